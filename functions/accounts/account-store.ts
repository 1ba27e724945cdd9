import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { RandomBytes } from '../core/ids.ts';
import type { Clock } from '../core/clock.ts';
import type { KeyTagSecrets } from '../core/api-key.ts';
import {
  jitteredDelayMs,
  MAX_ATTEMPTS,
  NO_DEADLINE,
  retryConflicts,
  available,
  REQUEST_TIMEOUT_MS,
} from '../store/client.ts';
import { callOptions, type Store } from '../store/items.ts';
import { ABSENT, type ItemKey } from '../store/table-items.ts';
import type { Limits } from './limits.ts';
import { RefusedError, OvertakenError, type RepeatedError } from './refusals.ts';

export { RefusedError };

/**
 * The store as one caller uses it: who that is decides what is found and what may be changed. What keys, projects,
 * accounts and people are managed with.
 */
export interface AccountStore extends Store {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** A fresh id, for the sort key of an audit event. */
  readonly newId: () => string;
  /** Who makes the changes, for the audit. Asked only when there is one; rejects when it cannot be found out. */
  readonly actor: () => Promise<string>;
  /** Under which new keys are tagged: the gateway's. Asked only when a key is made; rejects when they cannot be had. */
  readonly keyTagSecrets: () => Promise<KeyTagSecrets>;
  /** The person who makes the changes, who may do what a member may; absent: an operator, who may do everything. */
  readonly caller?: Caller;
}

/** A person who makes changes. */
export interface Caller {
  readonly userId: string;
  /** By which their use of limits is counted; undefined: not noted yet, since they last signed in before it was. */
  readonly identityHash: string | undefined;
  readonly limits: Limits;
  /** The account whose things are changed, and the person's member id in it. */
  readonly membership?: Membership;
}

/** That a person belongs to an account: what the item of `accountItemKey.membership` says. */
export interface Membership {
  readonly accountId: string;
  readonly memberId: string;
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** An item as stored, of which nothing is known yet. */
export type StoredItem = Readonly<Record<string, unknown>>;

/** One write of a change, with what it means when its condition fails. */
export interface Change {
  readonly write: TransactItem;
  /**
   * The refusal, by the item as it stands where the write asks for it (`ALL_OLD`); an {@link OvertakenError} when what
   * the change was decided by is no longer so, a {@link RepeatedError} when it was made already. Absent: its failure is
   * a defect.
   */
  readonly refusal?: (stored: StoredItem | undefined) => RefusedError | RepeatedError;
  /**
   * Whether a further attempt whose condition fails has been made: true for what makes an item that this change alone can
   * make, or deletes one that never comes again; else told by the item as it stands, for which the write asks (`ALL_OLD`).
   */
  readonly proves?: true | ((stored: StoredItem | undefined) => boolean);
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
export async function whileOvertaken<T>(store: AccountStore, change: () => Promise<T>): Promise<T> {
  const { sleep, random, deadline } = store;
  for (let made = 1; ; made++) {
    try {
      return await change();
    } catch (error) {
      const isLast = deadline ? deadline.leftMs() < REQUEST_TIMEOUT_MS : made === MAX_ATTEMPTS;
      if (!(error instanceof OvertakenError) || isLast) throw error;
      await error.repair?.();
    }
    await available(sleep(jitteredDelayMs(made, random), deadline ?? NO_DEADLINE));
  }
}
