import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { KeyTagSecrets } from '../core/api-key.ts';
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { Store } from '../store/items.ts';
import type { Limits } from './limits.ts';
import type { RefusedError, RepeatedError } from './refusals.ts';

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
   * The refusal, by the item as it stands where the write asks for it (`ALL_OLD`); an {@link StaleError} when what the
   * change was decided by is no longer so, a {@link RepeatedError} when it was made already. Absent: its failure is a
   * defect.
   */
  readonly refusal?: (stored: StoredItem | undefined) => RefusedError | RepeatedError;
  /**
   * Whether a further attempt whose condition fails has been made: true for what makes an item that this change alone can
   * make, or deletes one that never comes again; else told by the item as it stands, for which the write asks (`ALL_OLD`).
   */
  readonly proves?: true | ((stored: StoredItem | undefined) => boolean);
}
