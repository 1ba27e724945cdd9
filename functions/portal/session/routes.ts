import type { Hono } from 'hono';
import { listOwnAccounts } from '../../accounts/team/own-accounts.ts';
import { endOwnSession, ownSessions, readSessions } from '../../accounts/people/own-sessions.ts';
import { endSession, idTokenOf } from '../../accounts/people/sessions.ts';
import { endAllSessions } from '../../accounts/people/users.ts';
import { allFulfilled } from '../../shared/rules/fulfilled.ts';
import { authorizePerson } from '../changes.ts';
import { clearCookie } from '../cookies.ts';
import { READ } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { SignOut } from '../contract/requests/session.ts';
import { invitationsOf } from '../routes/invitations.ts';
import { pathId } from '../paths.ts';
import type { ClientPackages } from '../../shared/rules/settings/client-packages.ts';
import type { OpenIdProvider } from '../sign-in/provider.ts';
import type { MailDependencies } from '../routes/mails.ts';
import { storeOf, readPerson } from './authority.ts';
import { SESSION_COOKIE } from './session-cookie.ts';

export interface SessionDependencies extends MailDependencies {
  readonly portalOrigin: string;
  /** Origin of the gateway, where keys are used. */
  readonly gatewayUrl: string;
  readonly stage: string;
  /** The address for questions. Undefined: the page names none. */
  readonly supportUrl?: string | undefined;
  /** The client libraries in registries. Undefined: the page names those that the portal serves. */
  readonly clientPackages?: ClientPackages | undefined;
  readonly provider: Pick<OpenIdProvider, 'endSessionUrl'>;
}

const NO_PACKAGES: ClientPackages = { npm: null, pypi: null };
/** The number of newest invitations in the session. Further ones are read in pages. */
const INVITATIONS_SHOWN = 20;

/** The session: the signed-in person, and the sign-out. */
export function sessionRoutes(app: Hono<PortalEnvironment>, dependencies: SessionDependencies): void {
  const { portalOrigin, gatewayUrl, stage, limits, sessionLimits, provider } = dependencies;
  const { hasMail = false, supportUrl = null, clientPackages = NO_PACKAGES } = dependencies;

  addRoute(app, ROUTES.getSession, READ, async (c) => {
    const { person } = await readPerson(c, dependencies);
    const { userId, email = null, name = null, emailVerified } = person.user;
    const store = storeOf(c, dependencies, person.user);
    const [{ invitations, cursor: invitationsCursor }, accounts] = await allFulfilled([
      invitationsOf(store, person.user, { limit: INVITATIONS_SHOWN }),
      listOwnAccounts(store, userId),
    ]);
    const user = { userId, email, name, emailVerified };
    const shown = { user, accounts, invitations, invitationsCursor };
    return c.json({ ...shown, gatewayUrl, stage, limits, hasMail, supportUrl, clientPackages });
  });

  addRoute(app, ROUTES.listSessions, READ, async (c) => {
    const { person } = await readPerson(c, dependencies);
    const { user, reference } = person;
    const sessions = await readSessions(storeOf(c, dependencies, user), user.userId);
    return c.json({ sessions: ownSessions(sessions, user, reference, c.get('state').receivedAtMs, sessionLimits) });
  });

  addRoute(app, ROUTES.endSession, ['USED/CHANGES', 'USER/SESSION'], async (c) => {
    const { store, person } = await authorizePerson(c, dependencies);
    const ended = await endOwnSession(store, person.user, pathId(c, 'sessionId'), sessionLimits);
    if (ended.secretHash === person.reference.secretHash) clearCookie(c, SESSION_COOKIE);
    return c.body(null, 204);
  });

  addRoute(app, ROUTES.signOut, ['USER/SESSION', 'USER/USER'], async (c) => {
    const { store, person, input } = await authorizePerson(c, dependencies, SignOut);
    await (input.everywhere ? endAllSessions(store, person.user) : endSession(store, person.reference));
    clearCookie(c, SESSION_COOKIE);
    const idToken = idTokenOf(person.session, person.reference, await store.keyTagSecrets());
    return c.json({ location: await endOfProvidersSession(idToken) });
  });

  /**
   * The provider's page for the sign-out. It is our own page if the provider has none or is unavailable, or if there is
   * no hint.
   */
  const endOfProvidersSession = async (idToken: string | undefined): Promise<string> => {
    if (idToken === undefined) return '/';
    const url = await provider.endSessionUrl(idToken, `${portalOrigin}/`).catch(() => undefined);
    return url?.href ?? '/';
  };
}
