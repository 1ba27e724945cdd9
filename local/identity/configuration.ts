import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { SIGNING_ALGORITHM, type ProviderKeys } from './keys.ts';
import { errorPage, pageHeaders, signOutPage } from './pages.ts';
import type { LocalPerson } from './people.ts';
import { memoryStore } from './store.ts';

/** Path of the form in which a person says who they are, before the id of the interaction. */
export const INTERACTION_PATH = '/sign-in/';

/** The only client of the provider: the portal. */
export interface PortalClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly portalOrigin: string;
  readonly redirectUri: string;
}

const SECONDS_PER_HOUR = 3_600;

/** The settings of the library for a local portal. `people` holds who has signed in, by subject. */
export function configuration(
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
