import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../listening.ts';
import { providerKeys, SIGNING_ALGORITHM, type ProviderKeys } from './keys.ts';
import { errorPage, pageHeaders, signInPage, signOutPage } from './pages.ts';
import { personOf, type LocalPerson } from './people.ts';
import type { Configuration, KoaContextWithOIDC, Adapter, AdapterPayload } from 'oidc-provider';

/** Larger than any form with an address. */
const MAX_BODY_BYTES = 4_096;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * An OpenID provider for a portal on this machine (oidc-provider) with a page of our own. Whoever enters an address is
 * that person. The library is loaded here, which takes a fifth of a second.
 */
export async function identityProvider(
  issuer: string,
  client: PortalClient,
  dataDirectory: string | undefined,
): Promise<Listener> {
  const [{ Provider }, keys] = await Promise.all([import('oidc-provider'), providerKeys(dataDirectory)]);
  const people = new Map<string, LocalPerson>();
  const provider = new Provider(issuer, configuration(client, keys, people));
  const callback = provider.callback();
  const { host } = new URL(issuer);

  const send = (response: ServerResponse, status: number, body: string): void => {
    response.writeHead(status, pageHeaders(client.portalOrigin)).end(body);
  };

  const interact = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    // Throws if this browser has not begun the sign-in, or began it too long ago.
    await provider.interactionDetails(request, response);
    if (request.method !== 'POST') {
      send(response, 200, signInPage(path));
      return;
    }
    const form = await readBody(request, MAX_BODY_BYTES);
    const email = new URLSearchParams(form?.toString()).get('email') ?? '';
    const person = personOf(email);
    if (!person) {
      send(response, 400, signInPage(path, email));
      return;
    }
    people.set(person.subject, person);
    await provider.interactionFinished(request, response, { login: { accountId: person.subject } });
  };

  return (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    // The owner of another name that resolves to this machine could read these pages (DNS rebinding).
    if (request.headers.host !== host) {
      send(response, 403, errorPage(`This page is at ${issuer} only.`, client.portalOrigin));
    } else if (path.startsWith(INTERACTION_PATH)) {
      interact(request, response, path).catch(() => {
        if (response.headersSent) response.destroy();
        else send(response, 400, errorPage('This sign-in has expired, or is another browser’s.', client.portalOrigin));
      });
    } else {
      void callback(request, response);
    }
  };
}

/** Path of the form in which a person says who they are, before the id of the interaction. */
const INTERACTION_PATH = '/sign-in/';

/** The only client of the provider: the portal. */
interface PortalClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly portalOrigin: string;
  readonly redirectUri: string;
}

const SECONDS_PER_HOUR = 3_600;

/** The settings of the library for a local portal. `people` holds who has signed in, by subject. */
function configuration(
  client: PortalClient,
  keys: ProviderKeys,
  people: ReadonlyMap<string, LocalPerson>,
): Configuration {
  const { clientId, clientSecret, portalOrigin, redirectUri } = client;
  const show = (ctx: KoaContextWithOIDC, body: string): void => {
    ctx.set(pageHeaders(portalOrigin));
    ctx.body = body;
  };
  return {
    adapter: memoryStore(),
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [`${portalOrigin}/`],
        id_token_signed_response_alg: SIGNING_ALGORITHM,
      },
    ],
    jwks: { keys: [keys.signing] },
    cookies: { keys: [keys.cookies] },
    pkce: { required: () => true },
    scopes: ['openid'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // In the ID token, as Cognito has them.
    conformIdTokenClaims: false,
    findAccount: (_ctx, accountId) => {
      const person = people.get(accountId);
      if (!person) return undefined;
      const { subject: sub, email, name } = person;
      return { accountId, claims: () => ({ sub, email, email_verified: true, name }) };
    },
    // Nobody is asked for consent, because portal and provider belong together.
    loadExistingGrant: async (ctx) => {
      const { provider, session, client: known } = ctx.oidc;
      if (!session?.accountId || !known) return undefined;
      const grant = new provider.Grant({ clientId: known.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    interactions: { url: (_ctx, { uid }) => INTERACTION_PATH + uid },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => show(ctx, signOutPage(form, ctx.oidc.entities.IdTokenHint !== undefined)),
        postLogoutSuccessSource: (ctx) => show(ctx, errorPage('You are signed out.', portalOrigin)),
      },
    },
    renderError: (ctx, { error_description, error }) => show(ctx, errorPage(error_description ?? error, portalOrigin)),
    ttl: {
      AccessToken: 60,
      AuthorizationCode: 60,
      Grant: 12 * SECONDS_PER_HOUR,
      IdToken: SECONDS_PER_HOUR,
      Interaction: SECONDS_PER_HOUR,
      Session: 12 * SECONDS_PER_HOUR,
    },
  };
}

interface Entry {
  readonly payload: AdapterPayload;
  readonly expiresAtMs: number;
}

/**
 * The provider's data in memory. A restart ends its own sessions, but not the portal's. The provider's
 * own adapter in memory warns on standard error.
 */
function memoryStore(): (model: string) => Adapter {
  const entries = new Map<string, Entry>();

  const current = (): Map<string, Entry> => {
    for (const [key, { expiresAtMs }] of entries) if (expiresAtMs <= Date.now()) entries.delete(key);
    return entries;
  };
  return (model) => {
    const keyOf = (id: string) => `${model}:${id}`;
    const find = (id: string) => current().get(keyOf(id))?.payload;
    const findBy = (property: 'uid' | 'userCode', value: string) =>
      [...current()].find(([key, { payload }]) => key.startsWith(keyOf('')) && payload[property] === value)?.[1]
        .payload;
    return {
      upsert: (id, payload, expiresInSeconds = Infinity) => {
        current().set(keyOf(id), { payload, expiresAtMs: Date.now() + expiresInSeconds * 1_000 });
        return Promise.resolve();
      },
      find: (id) => Promise.resolve(find(id)),
      findByUid: (uid) => Promise.resolve(findBy('uid', uid)),
      findByUserCode: (userCode) => Promise.resolve(findBy('userCode', userCode)),
      consume: (id) => {
        const payload = find(id);
        if (payload) payload.consumed = Math.floor(Date.now() / 1_000);
        return Promise.resolve();
      },
      destroy: (id) => Promise.resolve(void entries.delete(keyOf(id))),
      revokeByGrantId: (grantId) => {
        for (const [key, { payload }] of entries) if (payload.grantId === grantId) entries.delete(key);
        return Promise.resolve();
      },
    };
  };
}
