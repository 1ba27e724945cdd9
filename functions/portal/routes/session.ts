import { endOwnSession, ownSessions, readSessions } from '../../accounts/people/own-sessions.ts';
import { deleteProfile, deleteRemains, MAX_LEFT_AT_ONCE } from '../../accounts/people/profile.ts';
import { endSession, idTokenOf } from '../../accounts/people/sessions.ts';
import { endAllSessions } from '../../accounts/people/users.ts';
import { LastOwnerError, RefusedError } from '../../accounts/store/refusals.ts';
import { listOwnAccounts } from '../../accounts/team/own-accounts.ts';
import { keyPrefixes } from '../../shared/credentials/credential-text.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import type { ClientPackages } from '../../shared/settings/client-packages.ts';
import { sessionContract } from '../contract/session.ts';
import { clearCookie } from '../request/cookies.ts';
import type { PortalDependencies } from '../request/dependencies.ts';
import { PortalError } from '../contract/errors.ts';
import { serve } from '../serve/serve.ts';
import { SESSION_COOKIE } from '../request/session-cookie.ts';
import { invitationsOf } from './invitations.ts';

const NO_PACKAGES: ClientPackages = { npm: null, pypi: null };
/** The number of newest invitations in the session. Further ones are read in pages. */
const INVITATIONS_SHOWN = 20;

/** The signed-in person, their sessions and their profile. */
export const sessionRoutes = [
  serve(sessionContract.getSession, async ({ store, person, dependencies }) => {
    const { userId, email = null, name = null, emailVerified } = person.user;
    const [{ invitations, cursor: invitationsCursor }, accounts] = await allFulfilled([
      invitationsOf(store, person.user, { limit: INVITATIONS_SHOWN }),
      listOwnAccounts(store, userId),
    ]);
    const { gatewayUrl, stage, limits } = dependencies;
    const { hasMail = false, supportUrl = null, clientPackages = NO_PACKAGES } = dependencies;
    const user = { userId, email, name, emailVerified };
    const shown = { user, accounts, invitations, invitationsCursor };
    return { ...shown, gatewayUrl, stage, limits, hasMail, supportUrl, keyPrefixes: keyPrefixes(), clientPackages };
  }),

  serve(sessionContract.listSessions, async ({ store, person, nowMs, dependencies }) => {
    const { user, reference } = person;
    const sessions = await readSessions(store, user.userId);
    return { sessions: ownSessions(sessions, user, reference, nowMs, dependencies.sessionLimits) };
  }),

  serve(sessionContract.endSession, async ({ c, store, person, id, dependencies }) => {
    const ended = await endOwnSession(store, person.user, id('sessionId'), dependencies.sessionLimits);
    if (ended.secretHash === person.reference.secretHash) clearCookie(c, SESSION_COOKIE);
  }),

  serve(sessionContract.signOut, async ({ c, store, person, input, dependencies }) => {
    await (input.everywhere ? endAllSessions(store, person.user) : endSession(store, person.reference));
    clearCookie(c, SESSION_COOKIE);
    const idToken = idTokenOf(person.session, person.reference, await store.keyTagSecrets());
    return { location: await endOfProvidersSession(dependencies, idToken) };
  }),

  serve(sessionContract.deleteProfile, async ({ c, store, person }) => {
    await deleteProfile(store, person.user).catch((error: unknown) => {
      throw inTheirWords(error);
    });
    // The person is deleted already: remaining items expire.
    c.get('state').runInBackground(deleteRemains(store, person.user.userId));
    clearCookie(c, SESSION_COOKIE);
  }),
];

/**
 * The provider's page for the sign-out. It is our own page if the provider has none or is unavailable, or if there is
 * no hint.
 */
async function endOfProvidersSession(
  { provider, portalOrigin }: PortalDependencies,
  idToken: string | undefined,
): Promise<string> {
  if (idToken === undefined) return '/';
  const url = await provider.endSessionUrl(idToken, `${portalOrigin}/`).catch(() => undefined);
  return url?.href ?? '/';
}

function inTheirWords(error: unknown): unknown {
  if (error instanceof LastOwnerError) {
    const detail =
      'You are the last owner of these accounts. Make another member owner there, or close the account, first.';
    return new PortalError('LAST_OWNER', { detail, accounts: error.accounts });
  }
  if (error instanceof RefusedError && error.code === 'LIMIT_REACHED') {
    const detail = `You are in more than ${MAX_LEFT_AT_ONCE} accounts, which cannot be left at once. Leave some first.`;
    return new PortalError('LIMIT_REACHED', { detail });
  }
  return error;
}
