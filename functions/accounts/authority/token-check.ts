import { accountItemKey } from '../store/account-items.ts';
import type { AccountStore, CallingToken, Change, StoredItem } from '../store/account-store.ts';
import { conditionOf, SHOWS_PRESENT } from '../store/writes.ts';
import { above, absentOr, containing } from '../store/expressions.ts';
import { notFound, RefusedError } from '../store/refusals.ts';

/** Why a token does not work. */
export type TokenEnd = 'unknown' | 'revoked' | 'expired';

/** A token that does not work, or no longer. */
export class TokenEndedError extends RefusedError {
  override readonly name = 'TokenEndedError';
  readonly end: TokenEnd;

  constructor(end: TokenEnd) {
    super(`This token is ${end}.`, { code: 'NOT_SIGNED_IN' });
    this.end = end;
  }
}

/** A token without the scope that a request requires. */
export class MissingScopeError extends RefusedError {
  override readonly name = 'MissingScopeError';
  readonly scope: string;

  constructor(scope: string) {
    super(`This token lacks the scope ${scope}.`, { code: 'OWNER_ONLY' });
    this.scope = scope;
  }
}

/** The parts of a stored token that decide about a request. */
export interface TokenState {
  readonly status: 'active' | 'revoked';
  readonly expiresAtMs: number;
  readonly scopes: readonly string[];
  /** Undefined: every project of the account. */
  readonly projectId?: string | undefined;
}

/** Why a token does not work at a moment; undefined: it works. */
export function endOfToken(token: TokenState | undefined, nowMs: number): TokenEnd | undefined {
  if (!token) return 'unknown';
  if (token.status !== 'active') return 'revoked';
  return nowMs < token.expiresAtMs ? undefined : 'expired';
}

/**
 * Requires the calling token to be active, unexpired, and of this scope and project, as a part of each of its changes.
 * So its revocation also stops a change in flight.
 */
export function tokenCheck(store: AccountStore, { hash, scope, projectId }: CallingToken): Change {
  const nowMs = store.clock.now();
  return {
    write: {
      ConditionCheck: {
        ...conditionOf(store, accountItemKey.token(hash), {
          status: 'active',
          expiresAtMs: above(nowMs),
          scopes: containing(scope),
          projectId: absentOr(projectId),
        }),
        ...SHOWS_PRESENT,
      },
    },
    refusal: (stored) => refusalOf(stored, scope, nowMs),
  };
}

function refusalOf(stored: StoredItem | undefined, scope: string, nowMs: number): RefusedError {
  const token = stored as TokenState | undefined;
  const end = endOfToken(token, nowMs);
  if (end) return new TokenEndedError(end);
  return token?.scopes.includes(scope) ? notFound('This project is not the token’s.') : new MissingScopeError(scope);
}
