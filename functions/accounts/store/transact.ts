import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import {
  available,
  CONFLICT,
  jitteredDelayMs,
  MAX_ATTEMPTS,
  NO_DEADLINE,
  REQUEST_TIMEOUT_MS,
  retryConflicts,
  hasFailed,
} from '../../shared/store/client.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { callOptions } from '../../shared/store/tables.ts';
import type { AccountStore, Change } from './account-store.ts';
import { NO_ITEM, putOf, SHOWS_PRESENT } from './writes.ts';
import { StaleError, RefusedError, type RepeatedError } from './refusals.ts';

/** Puts an item that must not exist yet; the refusal describes the existing one. */
export const create = (
  store: AccountStore,
  item: ItemKey & Record<string, unknown>,
  refusal?: Change['refusal'],
): Change => ({
  write: { Put: { ...putOf(store, item, NO_ITEM), ...(refusal && SHOWS_PRESENT) } },
  ...(refusal && { refusal }),
});

/**
 * Makes all changes or none; there may be none. Throws the refusal of the first that fails. They are in the order of
 * their importance: a later one does not answer while an earlier one has a conflict. An attempt may be committed
 * although it was reported as a conflict, because the SDK's repeat met the attempt itself. {@link Change.provesCommit}
 * recognises it.
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
      // An earlier attempt is being applied, item by item. The proof comes with its own item.
      const isUnderWay = changes.some(({ provesCommit }, i) => provesCommit === true && reasons[i]?.Code === CONFLICT);
      if (isUnderWay) return undefined;
      const isMade = changes.some(({ provesCommit }, i) => {
        const reason = reasons[i];
        if (!reason || !hasFailed(reason)) return false;
        const { Item } = reason;
        return typeof provesCommit === 'function' ? provesCommit(Item && unmarshall(Item)) : provesCommit;
      });
      if (isMade && attempts > 1) return false;
      const first = reasons.findIndex(({ Code }) => Code !== 'None');
      const reason = reasons[first];
      if (!reason || !hasFailed(reason)) return undefined;
      return changes[first]?.refusal?.(reason.Item && unmarshall(reason.Item));
    },
  );
  if (refusal !== false) throw refusal;
}

/**
 * Makes a change that begins with a read, and repeats it when it is stale: until the deadline, because each round lets
 * one change through; without a deadline, a fixed number of times.
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
