import { names, readItem, type Store } from '../../shared/store/tables.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { AccountStore, Change } from '../store/account-store.ts';
import { unexpiredEntries, type ActiveEntries } from '../store/active-entries.ts';
import { updateOf } from '../store/writes.ts';
import { StaleError } from '../store/refusals.ts';

/** The most active tokens of an account. */
export const MAX_ACTIVE_TOKENS = 10;

/**
 * The active tokens of an account by their ids, in one item: their number is a condition of each new one. Tokens expire
 * without a write, so each is stored with its expiry, and the next new one removes those that have expired.
 */
export type ActiveTokens = ActiveEntries<ActiveToken>;

/** With what its notices say. */
interface ActiveToken {
  readonly hash: string;
  readonly name: string;
  readonly createdAt: string;
  readonly expiresAtMs: number;
  /** Its place among the active ones; absent: it was made before there were places. */
  readonly slot?: number | undefined;
}

/** Reads the active tokens of an account; undefined: it has had none so far. */
export const readActive = async (store: Store, accountId: string): Promise<ActiveTokens | undefined> =>
  (await readItem<{ readonly tokens: ActiveTokens }>(store, accountItemKey.activeTokens(accountId)))?.tokens;

/**
 * The first free place for a new token; undefined: there is none. It is the first, and not any, so that a token in the
 * place of a revoked one inherits what that one has used of its minute.
 */
export function freeSlot(tokens: ActiveTokens, nowMs: number): number | undefined {
  const alive = Object.values(unexpired(tokens, nowMs));
  if (alive.length >= MAX_ACTIVE_TOKENS) return undefined;
  const taken = new Set(alive.map(({ slot }) => slot));
  return Array.from({ length: MAX_ACTIVE_TOKENS }, (_, slot) => slot).find((slot) => !taken.has(slot));
}

/**
 * Adds a token, or replaces it, as a part of the change that makes it. It is stale if any token came or went since they
 * were read: so no two get one place.
 */
export const entersActive = (
  store: AccountStore,
  accountId: string,
  seen: ActiveTokens | undefined,
  entering: ActiveTokens,
): Change => ({
  write: {
    Update: updateOf(store, {
      key: accountItemKey.activeTokens(accountId),
      when: { tokens: seen },
      set: { tokens: { ...unexpired(seen ?? {}, store.clock.now()), ...entering } },
    }),
  },
  refusal: () => new StaleError(`The tokens of account ${accountId}`),
});

/** Removes a token, whether it is there or not. */
export const leavesActive = ({ tables }: AccountStore, accountId: string, tokenId: string): Change => ({
  write: {
    Update: {
      TableName: tables.gateway,
      Key: accountItemKey.activeTokens(accountId),
      UpdateExpression: 'REMOVE #tokens.#id',
      ConditionExpression: 'attribute_exists(#tokens)',
      ExpressionAttributeNames: { ...names('tokens'), '#id': tokenId },
    },
  },
});

/** The tokens that are active at a moment. */
export const unexpired = (tokens: ActiveTokens, nowMs: number): ActiveTokens =>
  unexpiredEntries(tokens, nowMs, ({ expiresAtMs }) => expiresAtMs);
