/** Why a change is not made; the portal answers by it. */
export type RefusalCode =
  | 'INVALID_REQUEST'
  /** Also of what belongs to others: nothing is confirmed to exist. */
  | 'NOT_FOUND'
  | 'OWNER_ONLY'
  /** The person is no more, or must sign in anew first. */
  | 'NOT_SIGNED_IN'
  | 'TOO_MANY_REQUESTS'
  | 'LIMIT_REACHED'
  | 'LAST_OWNER'
  | 'ALREADY_MEMBER'
  | 'KEY_NOT_ACTIVE'
  /** The Idempotency-Key is another request's. */
  | 'IDEMPOTENCY_CONFLICT'
  | 'CHANGED_MEANWHILE';

/** An operation that cannot be done as asked; the message is for the operator. Nothing was written. */
export class RefusedError extends Error {
  override readonly name: string = 'RefusedError';
  readonly code: RefusalCode;
  /** What a person is told where the code's own words do not do. Fixed text: no id and no input. */
  readonly publicDetail: string | undefined;

  constructor(
    message: string,
    { code = 'INVALID_REQUEST', publicDetail }: { code?: RefusalCode; publicDetail?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.publicDetail = publicDetail;
  }
}

/** There is no such thing, or not for who asks. */
export const notFound = (message: string): RefusedError => new RefusedError(message, { code: 'NOT_FOUND' });

/** The person is no more, or their sessions have ended. */
export const notSignedIn = (userId: string): RefusedError =>
  new RefusedError(`User ${userId} must sign in again first.`, { code: 'NOT_SIGNED_IN' });

/** A person cannot go: accounts would be without an owner. */
export class LastOwnerError extends RefusedError {
  override readonly name = 'LastOwnerError';
  readonly accounts: readonly { readonly accountId: string; readonly name: string }[];

  constructor(accounts: LastOwnerError['accounts']) {
    const ids = accounts.map(({ accountId }) => accountId).join(', ');
    super(`This person is the last owner of ${ids}.`, { code: 'LAST_OWNER' });
    this.accounts = accounts;
  }
}

/** What a change was decided by is no longer so; nothing was written. It may be decided again. */
export class StaleError extends RefusedError {
  override readonly name = 'StaleError';
  /** What puts right the state that was met, before the next attempt. */
  readonly repair: (() => Promise<unknown>) | undefined;

  constructor(what: string, repair?: () => Promise<unknown>) {
    super(`${what} was changed meanwhile; try again.`, { code: 'CHANGED_MEANWHILE' });
    this.repair = repair;
  }
}

/**
 * The creation that is asked for was made already, by an earlier request of the same Idempotency-Key. No refusal: who
 * asks is answered by what a repeat does instead.
 */
export class RepeatedError extends Error {
  override readonly name = 'RepeatedError';
}

/** A person has used up the minute. */
export class TooManyRequestsError extends RefusedError {
  override readonly name = 'TooManyRequestsError';
  /** Whole seconds until the next minute. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('Too many requests in this minute.', { code: 'TOO_MANY_REQUESTS' });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
