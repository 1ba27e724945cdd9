import { names, readItem, type Store } from '../../shared/store/tables.ts';
import { accountItemKey } from '../account-items.ts';
import type { AccountStore, Change, StoredItem } from '../account-store.ts';
import { create } from '../changes.ts';
import { refusalOfFull, unexpiredEntries, type ActiveEntries } from '../active-entries.ts';
import { StaleError, type RefusedError } from '../refusals.ts';

/** The most active tokens of an account. */
const MAX_ACTIVE_TOKENS = 10;

/**
 * The active tokens of an account by their ids, in one item: their number is a condition of each new one. Tokens expire
 * without a write, so each is stored with its expiry, and expired ones are removed when there is no room.
 */
export type ActiveTokens = ActiveEntries<ActiveToken>;

/** With what its notices say. */
interface ActiveToken {
  readonly hash: string;
  readonly name: string;
  readonly createdAt: string;
  readonly expiresAtMs: number;
}

/** Reads the active tokens of an account; undefined: it has had none so far. */
export const readActive = async (store: Store, accountId: string): Promise<ActiveTokens | undefined> =>
  (await readItem<{ readonly tokens: ActiveTokens }>(store, accountItemKey.activeTokens(accountId)))?.tokens;

/**
 * Adds a token, as a part of the change that makes it: never beyond {@link MAX_ACTIVE_TOKENS}.
 * @param isFirst the account has had none so far: if it has one meanwhile, the change is stale
 */
export function entersActive(
  store: AccountStore,
  accountId: string,
  tokenId: string,
  entry: ActiveToken,
  isFirst = false,
): Change {
  const key = accountItemKey.activeTokens(accountId);
  if (isFirst) {
    const item = { ...key, tokens: { [tokenId]: entry } };
    return create(store, item, () => new StaleError(`The tokens of account ${accountId}`));
  }
  return {
    write: {
      Update: {
        TableName: store.tables.gateway,
        Key: key,
        UpdateExpression: 'SET #tokens.#id = :entry',
        ConditionExpression: 'attribute_exists(#tokens) AND (size(#tokens) < :most OR attribute_exists(#tokens.#id))',
        ExpressionAttributeNames: { ...names('tokens'), '#id': tokenId },
        ExpressionAttributeValues: { ':entry': entry, ':most': MAX_ACTIVE_TOKENS },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    refusal: (stored) => refusalOf(store, accountId, stored),
  };
}

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

function refusalOf(store: AccountStore, accountId: string, stored: StoredItem | undefined): RefusedError {
  const what = `The tokens of account ${accountId}`;
  if (!stored) return new StaleError(what);
  const seen = stored.tokens as ActiveTokens;
  const alive = unexpired(seen, store.clock.now());
  const line = `There are ${MAX_ACTIVE_TOKENS} active tokens in the account, which is the limit.`;
  const key = accountItemKey.activeTokens(accountId);
  return refusalOfFull(store, { key, attribute: 'tokens' }, { seen, alive }, { what, line });
}

/** The tokens that are active at a moment. */
export const unexpired = (tokens: ActiveTokens, nowMs: number): ActiveTokens =>
  unexpiredEntries(tokens, nowMs, ({ expiresAtMs }) => expiresAtMs);
