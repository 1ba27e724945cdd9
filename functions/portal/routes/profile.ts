import type { Hono } from 'hono';
import { deleteProfile, deleteRemains, MAX_LEFT_AT_ONCE } from '../../accounts/people/profile.ts';
import { RefusedError, LastOwnerError } from '../../accounts/refusals.ts';
import { authorizePerson } from '../changes.ts';
import { clearCookie } from '../cookies.ts';
import { CHANGE } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { PortalError } from '../errors.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import type { AuthorityDependencies } from '../session/authority.ts';
import { SESSION_COOKIE } from '../session/session-cookie.ts';

/** What the route writes. */
const WRITES = [
  ...CHANGE,
  'ACCOUNT/ACCOUNT',
  'ACCOUNT/MEMBER',
  'IDENTITY/IDENTITY',
  'USER/ACCOUNT',
  'USER/SESSION',
  'USER/USER',
  'USED/REMAINDER',
] as const;

/** The data of the person. */
export function profileRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  addRoute(app, ROUTES.deleteProfile, WRITES, async (c) => {
    const { store, person } = await authorizePerson(c, dependencies);
    const { userId } = person.user;
    await deleteProfile(store, person.user).catch((error: unknown) => {
      throw inTheirWords(error);
    });
    // The person is deleted already: remaining items expire.
    c.get('state').runInBackground(deleteRemains(store, userId));
    clearCookie(c, SESSION_COOKIE);
    return c.body(null, 204);
  });
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
