import type { KeyTagSecrets } from '../../shared/credentials/api-key.ts';
import type { TokenScope } from '../../shared/choices.ts';
import type { Clock, QuotaPeriod } from '../../shared/time.ts';
import type { RandomBytes } from '../../shared/ids.ts';
import type { Store, TransactItem } from '../../shared/store/tables.ts';
import type { Limits } from './limits.ts';
import type { RefusedError, RepeatedError } from './refusals.ts';

/**
 * The store for managing keys, projects, accounts and people, as one caller uses it. The caller decides what is found
 * and what may be changed.
 */
export interface AccountStore extends Store {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** A fresh id, for the sort key of an audit event. */
  readonly newId: () => string;
  /** The actor of changes, for the audit. Called only for a change. Rejects when the actor cannot be determined. */
  readonly actor: () => Promise<string>;
  /**
   * The gateway's secrets under which new keys are tagged. Called only for a new key; rejects when they cannot be read.
   */
  readonly keyTagSecrets: () => Promise<KeyTagSecrets>;
  /** The quota period of the stage. Called only for a cap; throws when it is not certain. */
  readonly quotaPeriod: () => QuotaPeriod;
  /** The person who makes the changes, as a member; absent: the platform team, which may do everything. */
  readonly caller?: Caller;
}

/** A person who makes changes. */
export interface Caller {
  readonly userId: string;
  /** The identity by which the use of limits is counted; of a token see `countedAs`. */
  readonly identityHash: string;
  readonly limits: Limits;
  /** The account to work in, and the person's member id in it. */
  readonly membership?: Membership;
  /** The management token that makes the changes instead of a person; `userId` is then its id. */
  readonly token?: CallingToken;
  /** Of a token: the account under which its requests are counted, and the name of its own part of that count. */
  readonly countedAs?: { readonly accountId: string; readonly part: string };
}

/** A management token that makes a request, and what the request requires of it. */
export interface CallingToken {
  readonly accountId: string;
  readonly hash: string;
  readonly name: string;
  readonly scope: TokenScope;
  /** The project that the request is about. */
  readonly projectId: string;
}

/** A person's membership in an account, as the item of `accountItemKey.membership` stores it. */
export interface Membership {
  readonly accountId: string;
  readonly memberId: string;
}

/** An item as stored, not checked yet. */
export type StoredItem = Readonly<Record<string, unknown>>;

/** One write of a change, and the meaning of its failed condition. */
export interface Change {
  readonly write: TransactItem;
  /**
   * The refusal, from the present item where the write requests it (`ALL_OLD`). It is a {@link StaleError} when what
   * the change depends on has changed, and a {@link RepeatedError} when the change was made already. Absent: a failed
   * condition is a defect.
   */
  readonly refusal?: (stored: StoredItem | undefined) => RefusedError | RepeatedError;
  /**
   * Whether a failed condition of a later attempt proves that an earlier attempt was committed. True: only this change
   * can create or delete this item. A function decides by the present item, which the write requests (`ALL_OLD`).
   */
  readonly provesCommit?: true | ((stored: StoredItem | undefined) => boolean);
}
