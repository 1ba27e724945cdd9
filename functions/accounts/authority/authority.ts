import { accountItemKey } from '../store/account-items.ts';
import type { AccountStore, Caller, Change, Membership, StoredItem } from '../store/account-store.ts';
import { conditionOf, SHOWS_PRESENT } from '../store/writes.ts';
import { not, type Conditions } from '../store/expressions.ts';
import { notFound, StaleError, RefusedError, TooManyRequestsError, type RefusalCode } from '../store/refusals.ts';
import { countedChange } from './rate.ts';
import { tokenCheck } from './token-check.ts';
import { commit, retryWhileStale } from '../store/transact.ts';

/**
 * What a change requires of the person: a role in the account, or only to be a person. Each role may do what the ones
 * after it may; `viewer` is any active member.
 */
export type Authority = 'owner' | 'member' | 'viewer' | 'person';

/** The account store for a person. The audit names the person by id alone. */
export const asPerson = (
  store: AccountStore,
  { userId, identityHash, limits }: Omit<Caller, 'membership'>,
): AccountStore => ({
  ...store,
  actor: () => Promise.resolve(`user:${userId}`),
  caller: { userId, identityHash, limits },
});

/**
 * The account store for a person as a member of one account. Everything outside of the account is not found. Each
 * change requires that the member exists, is active and has the role. So a removal also stops a change in flight.
 */
export const asMember = (
  store: AccountStore,
  person: Omit<Caller, 'membership'>,
  { accountId, memberId }: Membership,
): AccountStore => {
  const ofPerson = asPerson(store, person);
  return { ...ofPerson, caller: { ...person, membership: { accountId, memberId } } };
};

/** Whether the caller may see an account: the platform team sees all, a member their own. */
export const maySeeAccount = ({ caller }: AccountStore, accountId: string): boolean =>
  caller === undefined || (caller.token ?? caller.membership)?.accountId === accountId;

/** The writes of a change, and its result. */
export interface Decision<T> {
  readonly result: T;
  /** Empty: nothing to write. The caller is checked and the change is counted nevertheless. */
  readonly changes: readonly Change[];
  /** Whether they already check the caller's own member item: an item may occur only once in a transaction. */
  readonly checksCaller?: boolean;
}

/** Refusals of a member's role. They count too: each is a transaction that failed. */
const OF_ROLE: ReadonlySet<RefusalCode> = new Set<RefusalCode>(['OWNER_ONLY', 'MEMBER_ONLY']);
/** Refusals that do not concern authority. They count as the refused change, because they cost as many reads. */
const COUNTED_REFUSALS: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'INVALID_REQUEST',
  'LIMIT_REACHED',
  'LAST_OWNER',
  'ALREADY_MEMBER',
  'KEY_NOT_ACTIVE',
  'IDEMPOTENCY_CONFLICT',
  'CHANGED_MEANWHILE',
]);

/**
 * Makes a change for the caller, in one transaction with the person's authority and the count of their changes. Decides
 * again when it is stale. Without the authority, nobody learns another reason for a refusal.
 */
export const changeAs = <T>(
  store: AccountStore,
  authority: Authority,
  decide: () => Promise<Decision<T>>,
): Promise<T> =>
  retryWhileStale(store, async () => {
    try {
      const { result, changes, checksCaller = false } = await decide();
      await commit(store, [...(await guards(store, checksCaller ? 'person' : authority)), ...changes]);
      return result;
    } catch (error) {
      throw await countRefusal(store, authority, error);
    }
  });

/** Counts a refused change. Returns what refuses it: the caller's role, if that would have refused it, too. */
async function countRefusal(store: AccountStore, authority: Authority, refusal: unknown): Promise<unknown> {
  // A change that is decided again is not refused yet.
  if (!(refusal instanceof RefusedError) || refusal instanceof StaleError) return refusal;
  const isOfRole = store.caller?.token === undefined && OF_ROLE.has(refusal.code);
  if (!isOfRole && !COUNTED_REFUSALS.has(refusal.code)) return refusal;
  try {
    await commit(store, await guards(store, isOfRole ? 'person' : authority));
    return refusal;
  } catch (error) {
    if (!isOfRole) return countRefusal(store, authority, error);
    // The role comes first. The instance knows now that the minute is used up, and asks nothing more in it.
    return error instanceof TooManyRequestsError ? refusal : error;
  }
}

/** Checks and counts a change that was made before, and returns its result. */
export const doneBefore = <T>(store: AccountStore, authority: Authority, result: T): Promise<T> =>
  changeAs(store, authority, () => Promise.resolve({ result, changes: [] }));

async function guards(store: AccountStore, authority: Authority): Promise<Change[]> {
  const { caller } = store;
  if (!caller) return [];
  if (caller.token) {
    // A token has the authority of a member at most.
    if (authority !== 'member') throw notFound('A token makes no such change.');
    return [tokenCheck(store, caller.token), ...(await countedChange(store, caller))];
  }
  return [
    ...(authority === 'person' ? [] : [membershipCheck(store, authority)]),
    ...(await countedChange(store, caller)),
  ];
}

/** What an authority requires of the stored member. For `viewer` any role will do. */
const ROLE_CONDITION: Readonly<Record<Role, Conditions>> = {
  owner: { role: 'owner' },
  member: { role: not('viewer') },
  viewer: {},
};
type Role = Exclude<Authority, 'person'>;

/** Requires the caller to be an active member in a role. */
function membershipCheck(store: AccountStore, authority: Role): Change {
  const { caller } = store;
  if (!caller?.membership) throw notFound('This person is not in an account.');
  const { userId, membership } = caller;
  const key = accountItemKey.member(membership.accountId, membership.memberId);
  const wanted: Conditions = { userId, status: 'active', ...ROLE_CONDITION[authority] };
  return {
    write: { ConditionCheck: { ...conditionOf(store, key, wanted), ...SHOWS_PRESENT } },
    refusal: (member) => authorityRefusal(member, userId, authority) ?? new StaleError('The team'),
  };
}

/** The refusal for a member without an authority; undefined: the member has it. */
export function authorityRefusal(
  member: StoredItem | undefined,
  userId: string,
  authority: Role,
): RefusedError | undefined {
  if (member?.userId !== userId || member.status !== 'active') return notFound('There is nothing here.');
  if (authority === 'owner' && member.role !== 'owner') {
    return new RefusedError('Only an owner of the account may do this.', { code: 'OWNER_ONLY' });
  }
  if (authority === 'member' && member.role === 'viewer') {
    return new RefusedError('A viewer changes nothing in the account.', { code: 'MEMBER_ONLY' });
  }
  return undefined;
}
