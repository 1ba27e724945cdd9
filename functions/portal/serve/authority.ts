import { asMember, asPerson } from '../../accounts/authority/authority.ts';
import type { AccountStore, Membership } from '../../accounts/store/account-store.ts';
import { accountItemKey } from '../../accounts/store/account-items.ts';
import {
  isSessionValid,
  isSeenAnew,
  noteSeen,
  type SessionReference,
  type StoredSession,
} from '../../accounts/people/sessions.ts';
import type { StoredUser } from '../../accounts/people/users.ts';
import { readTogether } from '../../shared/store/tables.ts';
import type { PortalDependencies } from '../request/dependencies.ts';
import type { PortalContext } from '../request/hono-context.ts';
import { PortalError } from '../contract/errors.ts';
import { ownSessionOf } from '../request/session-cookie.ts';

/** The page sends it with requests of a timer. They are no activity of the person. */
const BACKGROUND_HEADER = 'x-service-background';

/** The person who makes a request. */
export interface Person {
  readonly user: StoredUser;
  readonly session: StoredSession;
  readonly reference: SessionReference;
}

/**
 * Reads the person who makes a request, and their membership in an account, in one read. Refuses with NOT_SIGNED_IN
 * without a valid session. A token of the wrong form and an invented one cost no I/O.
 */
export async function readPerson(
  c: PortalContext,
  dependencies: PortalDependencies,
  accountId?: string,
): Promise<{ person: Person; membership: Membership | undefined }> {
  const state = c.get('state');
  const { store, sessionLimits } = dependencies;
  const reference = await ownSessionOf(c, dependencies);
  if (!reference) throw new PortalError('NOT_SIGNED_IN');
  const { userId, secretHash } = reference;
  const within = { ...store, deadline: state.deadline };
  const [session, user, membership] = (await readTogether(within, [
    accountItemKey.session(userId, secretHash),
    accountItemKey.user(userId),
    ...(accountId === undefined ? [] : [accountItemKey.membership(userId, accountId)]),
  ])) as [StoredSession?, StoredUser?, Membership?];
  const nowMs = state.receivedAtMs;
  if (!session || !user || !isSessionValid(session, user, nowMs, sessionLimits)) throw new PortalError('NOT_SIGNED_IN');
  state.userId = userId;
  if (c.req.header(BACKGROUND_HEADER) === undefined && isSeenAnew(session, nowMs)) {
    state.runInBackground(noteSeen(within, reference, nowMs));
  }
  return { person: { user, session, reference }, membership };
}

/** The account store for a person, until the request's deadline. */
export const storeOf = (
  c: PortalContext,
  { store, limits }: PortalDependencies,
  { userId, identityHash }: Pick<StoredUser, 'userId' | 'identityHash'>,
  membership?: Membership,
): AccountStore => {
  const own = { ...store, deadline: c.get('state').deadline };
  const person = { userId, identityHash, limits };
  return membership ? asMember(own, person, membership) : asPerson(own, person);
};
