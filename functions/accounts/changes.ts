import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import {
  available,
  jitteredDelayMs,
  MAX_ATTEMPTS,
  NO_DEADLINE,
  REQUEST_TIMEOUT_MS,
  retryConflicts,
} from '../store/client.ts';
import { ABSENT, callOptions, names, type ItemKey } from '../store/items.ts';
import { accountItemKey } from './account-items.ts';
import type { AccountStore, Caller, Change, Membership, StoredItem } from './account-store.ts';
import { notFound, StaleError, RefusedError, type RefusalCode, type RepeatedError } from './refusals.ts';
import { countedChange } from './request-rate.ts';

/** What a change requires of the person who makes it: a role in the account, or to be a person at all. */
export type Authority = 'owner' | 'member' | 'person';

/** The account store in the hands of a person, who is named in the audit by id alone. */
export const asPerson = (
  store: AccountStore,
  { userId, identityHash, limits }: Omit<Caller, 'membership'>,
): AccountStore => ({
  ...store,
  actor: () => Promise.resolve(`user:${userId}`),
  caller: { userId, identityHash, limits },
});

/**
 * The account store in the hands of a person as a member of one account. Everything that does not belong to it is not
 * found, and each change is made on condition that the member is there, active and in the role that it takes: a removal
 * holds also against a change in flight.
 */
export const asMember = (
  store: AccountStore,
  person: Omit<Caller, 'membership'>,
  { accountId, memberId }: Membership,
): AccountStore => {
  const ofPerson = asPerson(store, person);
  return { ...ofPerson, caller: { ...person, membership: { accountId, memberId } } };
};

/** Whether who makes changes may know of an account: an operator of all, a member of the one. */
export const isWithin = ({ caller }: AccountStore, accountId: string): boolean =>
  caller === undefined || caller.membership?.accountId === accountId;

/** What is to be written, and what is answered then. */
export interface Decision<T> {
  readonly result: T;
  /** None: nothing is to be done, which is checked and counted as a change all the same. */
  readonly changes: readonly Change[];
  /** Whether they hold the caller's own member item to what the authority takes: an item may occur once in a transaction. */
  readonly checksCaller?: boolean;
}

/** Refusals that say nothing of authority: they count as the change that they refuse, since they cost as many reads. */
const COUNTED: ReadonlySet<RefusalCode> = new Set([
  'INVALID_REQUEST',
  ...(['LIMIT_REACHED', 'LAST_OWNER', 'ALREADY_MEMBER', 'KEY_NOT_ACTIVE'] as const),
  ...(['IDEMPOTENCY_CONFLICT', 'CHANGED_MEANWHILE'] as const),
]);

/**
 * Makes a change as who asks for it, in one transaction with the person's authority and the count of their changes.
 * Decides again when another change came in between. Nobody without the authority is told why a change is refused.
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
      if (isCountedRefusal(error)) await commit(store, await guards(store, authority));
      throw error;
    }
  });

/** What is decided again is not refused yet. */
const isCountedRefusal = (error: unknown): boolean =>
  error instanceof RefusedError && !(error instanceof StaleError) && COUNTED.has(error.code);

/** Checks and counts what was done before, and gives its result. */
export const doneBefore = <T>(store: AccountStore, authority: Authority, result: T): Promise<T> =>
  changeAs(store, authority, () => Promise.resolve({ result, changes: [] }));

async function guards(store: AccountStore, authority: Authority): Promise<Change[]> {
  const { caller } = store;
  if (!caller) return [];
  return [...(authority === 'person' ? [] : [membershipCheck(store, authority)]), await countedChange(store, caller)];
}

/** Requires the caller to be an active member in a role. */
function membershipCheck({ caller, tables }: AccountStore, authority: 'owner' | 'member'): Change {
  if (!caller?.membership) throw notFound('This person is not in an account.');
  const { userId, membership } = caller;
  const isOwner = authority === 'owner';
  return {
    write: {
      ConditionCheck: {
        TableName: tables.gateway,
        Key: accountItemKey.member(membership.accountId, membership.memberId),
        ConditionExpression: `#userId = :userId AND #status = :active${isOwner ? ' AND #role = :owner' : ''}`,
        ExpressionAttributeNames: names('userId', 'status', ...(isOwner ? ['role'] : [])),
        ExpressionAttributeValues: { ':userId': userId, ':active': 'active', ...(isOwner && { ':owner': 'owner' }) },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    refusal: (member) => authorityRefusal(member, userId, authority) ?? new StaleError('The team'),
  };
}

/** What a member item lacks of an authority. */
export function authorityRefusal(
  member: StoredItem | undefined,
  userId: string,
  authority: 'owner' | 'member',
): RefusedError | undefined {
  if (member?.userId !== userId || member.status !== 'active') return notFound('There is nothing here.');
  if (authority === 'owner' && member.role !== 'owner') {
    return new RefusedError('Only an owner of the account may do this.', { code: 'OWNER_ONLY' });
  }
  return undefined;
}

/** Puts an item that must not exist yet; the refusal is told of the one that does. */
export const create = (
  { tables }: AccountStore,
  item: ItemKey & Record<string, unknown>,
  refusal?: Change['refusal'],
): Change => ({
  write: {
    Put: {
      TableName: tables.gateway,
      Item: item,
      ConditionExpression: ABSENT,
      ...(refusal && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    },
  },
  ...(refusal && { refusal }),
});

/**
 * Makes all changes or none; there may be none. Throws the refusal of the first that is not possible. Their order is
 * that of their importance: a later one does not answer while an earlier one is in conflict. An attempt that was made and
 * said to be in conflict, since its repeat met it at work, is found by what {@link Change.proves} it.
 */
export async function commit(store: AccountStore, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const TransactItems = changes.map(({ write }) => write);
  const { sleep, random, deadline = NO_DEADLINE } = store;
  let attempts = 0;
  const refusal = await retryConflicts<RefusedError | RepeatedError | false>(
    async () => {
      attempts++;
      await store.client.send(new TransactWriteCommand({ TransactItems }), callOptions(store));
      return false;
    },
    { sleep, random, deadline },
    (reasons) => {
      const isMade = changes.some(({ proves }, i) => {
        const { Code, Item } = reasons[i] ?? {};
        if (Code !== 'ConditionalCheckFailed') return false;
        return typeof proves === 'function' ? proves(Item && unmarshall(Item)) : proves;
      });
      if (isMade && attempts > 1) return false;
      const first = reasons.findIndex(({ Code }) => Code !== 'None');
      const { Code, Item } = reasons[first] ?? {};
      if (Code !== 'ConditionalCheckFailed') return undefined;
      return changes[first]?.refusal?.(Item && unmarshall(Item));
    },
  );
  if (refusal !== false) throw refusal;
}

/**
 * Makes a change that begins with a read, again when another change came in between: while the deadline leaves time
 * for it, since each round lets one through; without a deadline, so often and no more.
 */
export async function retryWhileStale<T>(store: AccountStore, change: () => Promise<T>): Promise<T> {
  const { sleep, random, deadline } = store;
  for (let made = 1; ; made++) {
    try {
      return await change();
    } catch (error) {
      const isLast = deadline ? deadline.leftMs() < REQUEST_TIMEOUT_MS : made === MAX_ATTEMPTS;
      if (!(error instanceof StaleError) || isLast) throw error;
      await error.repair?.();
    }
    await available(sleep(jitteredDelayMs(made, random), deadline ?? NO_DEADLINE));
  }
}
