/** Why a change is refused. The portal answers with it. */
export type RefusalCode =
  | 'INVALID_REQUEST'
  /** Also for what belongs to others: the answer does not confirm that it exists. */
  | 'NOT_FOUND'
  | 'OWNER_ONLY'
  /** The caller is a viewer. */
  | 'MEMBER_ONLY'
  /** The person was deleted, or must sign in again. */
  | 'NOT_SIGNED_IN'
  | 'TOO_MANY_REQUESTS'
  | 'LIMIT_REACHED'
  | 'LAST_OWNER'
  | 'ALREADY_MEMBER'
  | 'KEY_NOT_ACTIVE'
  /** The Idempotency-Key belongs to another request. */
  | 'IDEMPOTENCY_CONFLICT'
  | 'CHANGED_MEANWHILE';

/** An operation that is refused. The message is for the platform team. Nothing was written. */
export class RefusedError extends Error {
  override readonly name: string = 'RefusedError';
  readonly code: RefusalCode;
  /** The detail for people, if the code's own text is not enough. It has no id and no input. */
  readonly publicDetail: string | undefined;
  /** With `INVALID_REQUEST`: the wrong member of the body. */
  readonly field: string | undefined;

  constructor(
    message: string,
    {
      code = 'INVALID_REQUEST',
      publicDetail,
      field,
    }: { code?: RefusalCode; publicDetail?: string; field?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.publicDetail = publicDetail;
    this.field = field;
  }
}

/** There are as many as there may be. The line has no id: people read it too, and then what makes room. */
export const limitReached = (line: string, remedy: string): RefusedError =>
  new RefusedError(line, { code: 'LIMIT_REACHED', publicDetail: `${line} ${remedy}` });

/** It does not exist, or not for the caller. */
export const notFound = (message: string): RefusedError => new RefusedError(message, { code: 'NOT_FOUND' });

/** The person was deleted, or their sessions have ended. */
export const notSignedIn = (userId: string): RefusedError =>
  new RefusedError(`User ${userId} must sign in again first.`, { code: 'NOT_SIGNED_IN' });

/** A person cannot be deleted: accounts would be without an owner. */
export class LastOwnerError extends RefusedError {
  override readonly name = 'LastOwnerError';
  readonly accounts: readonly { readonly accountId: string; readonly name: string }[];

  constructor(accounts: LastOwnerError['accounts']) {
    const ids = accounts.map(({ accountId }) => accountId).join(', ');
    super(`This person is the last owner of ${ids}.`, { code: 'LAST_OWNER' });
    this.accounts = accounts;
  }
}

/** What a change depends on is stale; nothing was written. The change may be decided again. */
export class StaleError extends RefusedError {
  override readonly name = 'StaleError';
  /** Corrects the stored state before the next attempt. */
  readonly repair: (() => Promise<unknown>) | undefined;

  constructor(what: string, repair?: () => Promise<unknown>) {
    super(`${what} was changed meanwhile; try again.`, { code: 'CHANGED_MEANWHILE' });
    this.repair = repair;
  }
}

/**
 * The creation was already made, by an earlier request under the same Idempotency-Key. This is no refusal: the caller
 * gets the answer of a repeat.
 */
export class RepeatedError extends Error {
  override readonly name = 'RepeatedError';
}

/** A person has used up the limit of this minute. */
export class TooManyRequestsError extends RefusedError {
  override readonly name = 'TooManyRequestsError';
  /** Whole seconds until the next minute. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('Too many requests in this minute.', { code: 'TOO_MANY_REQUESTS' });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
