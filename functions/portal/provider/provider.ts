import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientAuth, Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import type { Identity } from '../../accounts/people/identities.ts';
import type { ClientSecret } from './client-secret.ts';
import { failedExchange, isClientRefused, refusedCallback } from './failures.ts';
import { isPlainAddress, MAX_ADDRESS_CHARACTERS } from '../../shared/address.ts';
import { isVisible, MAX_NAME_CHARACTERS } from '../../shared/http/input.ts';

/** The longest time for one request to the provider, in seconds, within the function's own time. */
const TIMEOUT_SECONDS = 3;
const SCOPE = 'openid email profile';

/** The OpenID provider of a stage, and the portal's credentials there. */
export interface ProviderSettings extends IssuerTrust {
  /** The issuer's address; plain HTTP only on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: ClientSecret;
  /**
   * For a user pool of Amazon Cognito: the origin of its sign-in pages. Absent: another provider, whose metadata are
   * requested.
   */
  readonly cognitoOrigin?: string | undefined;
}

/** The values that one attempt to sign in is bound to. Only a browser with all of them can finish it. */
interface Checks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** A person whom the provider has signed in. */
interface Authenticated {
  readonly identity: Identity;
  /** Identifies the provider's session to the provider. */
  readonly idToken: string | undefined;
}

/** The OpenID provider, as the portal needs it: authorization code with PKCE, state and nonce (RFC 9700). */
export interface OpenIdProvider {
  /** The address where the browser begins to sign in. Rejects when the provider cannot be reached. */
  authorizationUrl(redirectUri: string, checks: Checks): Promise<URL>;
  /**
   * The person whom the provider has signed in, by the address of the callback. Rejects for any error: with
   * `SignInRefusedError` if no call of ours failed.
   */
  authenticate(callbackUrl: URL, checks: Checks): Promise<Authenticated>;
  /** The address of the provider's sign-out; undefined: there is none. */
  endSessionUrl(idToken: string, returnTo: string): Promise<URL | undefined>;
}

/** One exchange of a code for tokens. */
interface Exchange {
  clientSecret: string;
  /** Whether the callback was valid, so that the provider is called. */
  isAsked: boolean;
}

/** A provider by its settings. The library and the metadata are loaded when they are first needed. */
export function openIdProvider(settings: ProviderSettings): OpenIdProvider {
  const { clientId, clientSecret, cognitoOrigin } = settings;
  // A wrong address fails at the start, not at the first sign-in.
  const issuer = new URL(settings.issuer);
  /** The library uses one configuration for all exchanges, and asks it for the secret. */
  const exchanges = new AsyncLocalStorage<Exchange>();
  let discovered: Promise<Configuration> | undefined;
  const configuration = (): Promise<Configuration> => {
    discovered ??= discover(issuer, settings, exchanges).catch((error: unknown) => {
      // An unavailable provider is tried again.
      discovered = undefined;
      throw error;
    });
    return discovered;
  };

  return {
    authorizationUrl: async (redirectUri, { state, nonce, codeVerifier }) => {
      const openid = await import('openid-client');
      return openid.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
    },
    authenticate: async (callbackUrl, { state, nonce, codeVerifier }) => {
      const openid = await import('openid-client');
      const config = await configuration();
      const exchange: Exchange = { clientSecret: await clientSecret.current(), isAsked: false };
      const redeem = () =>
        exchanges.run(exchange, () =>
          openid.authorizationCodeGrant(config, callbackUrl, {
            expectedState: state,
            // It is a claim of an ID token, so a token is expected.
            expectedNonce: nonce,
            pkceCodeVerifier: codeVerifier,
          }),
        );
      const tokens = await redeem()
        .catch(async (error: unknown) => {
          // The secret may have changed since it was read. The provider checks the client before it uses up a code.
          const isRefused = exchange.isAsked && isClientRefused(error);
          const newest = isRefused ? await clientSecret.renewed() : exchange.clientSecret;
          if (newest === exchange.clientSecret) throw error;
          exchange.clientSecret = newest;
          return redeem();
        })
        .catch((error: unknown) => {
          throw exchange.isAsked ? failedExchange(error) : refusedCallback(error);
        });
      const claims = tokens.claims();
      if (!claims) throw new Error('the provider gave no ID token');
      return { identity: readIdentity(claims, settings), idToken: tokens.id_token };
    },
    endSessionUrl: async (idToken, returnTo) => {
      if (cognitoOrigin !== undefined) return cognitoSignOutUrl(cognitoOrigin, clientId, returnTo);
      const openid = await import('openid-client');
      const config = await configuration();
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return openid.buildEndSessionUrl(config, { id_token_hint: idToken, post_logout_redirect_uri: returnTo });
    },
  };
}

/** The provider's metadata, known or requested, with how a request to its token endpoint gets the secret. */
async function discover(
  issuer: URL,
  settings: ProviderSettings,
  exchanges: AsyncLocalStorage<Exchange>,
): Promise<Configuration> {
  const { clientId, cognitoOrigin } = settings;
  const openid = await import('openid-client');
  const clientAuth: ClientAuth = (...request) => {
    const exchange = exchanges.getStore();
    if (!exchange) throw new Error('a request to the token endpoint without a code');
    exchange.isAsked = true;
    openid.ClientSecretBasic(exchange.clientSecret)(...request);
  };
  if (cognitoOrigin !== undefined) {
    const metadata = cognitoMetadata(settings.issuer, cognitoOrigin);
    const known = new openid.Configuration(metadata, clientId, undefined, clientAuth);
    known.timeout = TIMEOUT_SECONDS;
    known[openid.customFetch] = boundedFetch;
    openid.enableNonRepudiationChecks(known);
    return known;
  }
  return openid.discovery(issuer, clientId, undefined, clientAuth, {
    timeout: TIMEOUT_SECONDS,
    [openid.customFetch]: boundedFetch,
    execute: [
      // The signature is checked, too: somebody between us and the token endpoint cannot sign anybody in.
      openid.enableNonRepudiationChecks,
      // oxlint-disable-next-line typescript/no-deprecated -- deprecated only to be noticed; only on this machine
      ...(isOnThisMachine(issuer) ? [openid.allowInsecureRequests] : []),
    ],
  });
}

const isOnThisMachine = ({ hostname }: URL): boolean => ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);

/** The most bytes that are read of an answer, after decoding. Metadata, keys and tokens have a few thousand. */
const MAX_BYTES = 262_144;

/**
 * `fetch` for a provider. A too large answer fails, and is not read to its end. Each request has its own connection: a
 * frozen function does not notice that the provider has closed a connection, and a code that was sent on it cannot be
 * sent again.
 */
export const boundedFetch: CustomFetch = async (url, options) => {
  const headers = new Headers(options.headers);
  headers.set('connection', 'close');
  const response = await fetch(url, { ...options, headers } as RequestInit);
  if (!response.body) return response;
  let left = MAX_BYTES;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      left -= chunk.byteLength;
      if (left < 0) controller.error(new Error('the provider answers too much'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(bound), response);
};

/**
 * The metadata of a user pool of Amazon Cognito. They follow from its addresses, so no instance has to request them.
 */
const cognitoMetadata = (issuer: string, signInPages: string): ServerMetadata => ({
  issuer,
  authorization_endpoint: `${signInPages}/oauth2/authorize`,
  token_endpoint: `${signInPages}/oauth2/token`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  id_token_signing_alg_values_supported: ['RS256'],
});

/**
 * The address of Cognito's sign-out, with parameters of its own (Cognito, "The managed login sign-out endpoint:
 * /logout").
 */
function cognitoSignOutUrl(signInPages: string, clientId: string, returnTo: string): URL {
  const url = new URL('/logout', signInPages);
  url.search = new URLSearchParams({ client_id: clientId, logout_uri: returnTo }).toString();
  return url;
}

/** The issuer's name, and how far it is trusted. */
interface IssuerTrust {
  /** Name of the issuer in identities. A change makes everybody a new person. */
  readonly issuerLabel: string;
  /** Accepts the addresses of a provider that does not say whether they are verified. */
  readonly trustEmail: boolean;
}

/** The claims of an ID token that are used (OpenID Connect). */
interface Claims {
  readonly sub: string;
  readonly email?: unknown;
  readonly email_verified?: unknown;
  readonly name?: unknown;
}

/**
 * The person whom an ID token names. An address is verified when the token says so, as a boolean, or when it says
 * nothing and the stage trusts the issuer; and only in the exact form of the token. An address that is shown in another
 * form is not verified: that form may be somebody else's address.
 */
export function readIdentity(
  { sub, email, email_verified, name }: Claims,
  { issuerLabel, trustEmail }: IssuerTrust,
): Identity {
  const address = oneLine(email);
  const known = address !== undefined && address.length <= MAX_ADDRESS_CHARACTERS;
  const isOwn = known && address === email && isPlainAddress(address);
  return {
    issuer: issuerLabel,
    subject: sub,
    email: known ? address : undefined,
    emailVerified: isOwn && (email_verified === undefined ? trustEmail : email_verified === true),
    name:
      Array.from(oneLine(name) ?? '')
        .slice(0, MAX_NAME_CHARACTERS)
        .join('')
        .trim() || undefined,
  };
}

/** A claim as one line of text; undefined: it is no text, or has no visible character. */
function oneLine(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const line = claim
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return isVisible(line) ? line : undefined;
}
