import type { ItemKey } from '../../shared/store/items.ts';
import { names } from '../../shared/store/tables.ts';
import { accountItemKey } from '../store/account-items.ts';
import { create } from '../store/transact.ts';
import type { Change, AccountStore } from '../store/account-store.ts';
import { unexpiredEntries, type ActiveEntries } from '../store/active-entries.ts';
import { replaceUnlessStale } from '../store/writes.ts';
import { limitReached, notFound, RefusedError, StaleError } from '../store/refusals.ts';
import { notesEnd } from '../store/expiring.ts';

/** The most active keys of a project, by anybody: one item of the database must hold them. */
export const MAX_ACTIVE_KEYS = 10_000;

/** The expiry of each active key by its id, in epoch milliseconds; {@link NEVER}: it does not expire. */
type Expiries = ActiveEntries<number>;
const NEVER = 0;

/**
 * The active keys of a project, in their own item: those that are neither revoked nor replaced. If the successor of a
 * key in its grace was revoked, the key takes its place. So for each listed key at most one more works.
 *
 * Their number is a condition of each new key. Keys expire without a write, so each is stored with its expiry. The
 * count is exact at any moment, and expired keys are removed when there is no room. A key takes 20 bytes for its id, at
 * most 9 for its expiry, and 1. {@link MAX_ACTIVE_KEYS} take 300 kB; DynamoDB allows 400 in an item.
 */
export interface ActiveKeysItem extends ItemKey {
  readonly keys: Expiries;
}

/** The number of keys that are active at a moment. */
export const countActiveKeys = (expiries: Expiries, nowMs: number): number =>
  Object.keys(unexpiredKeys(expiries, nowMs)).length;

/** The keys that are active at a moment. */
export const unexpiredKeys = (expiries: Expiries, nowMs: number): Expiries =>
  unexpiredEntries(expiries, nowMs, (expiresAtMs) => (expiresAtMs === NEVER ? Infinity : expiresAtMs));

/** The item of a new project. */
export const noActiveKeys = (store: AccountStore, projectId: string): Change =>
  create(store, { ...accountItemKey.activeKeys(projectId), keys: {} });

/** A change of the active keys of a project. */
interface KeyMoves {
  /** A key that becomes active, or changes its expiry. */
  readonly sets?: { readonly keyId: string; readonly expiresAtMs?: number | undefined };
  /** A key that is no longer active. */
  readonly removes?: string;
  /** What is required: room for one more, or the removed key must be listed. */
  readonly requires?: 'room' | 'removed';
}

/** A project, and the account that owns it. */
interface OfAccount {
  readonly accountId: string;
  readonly projectId: string;
}

/**
 * Changes the active keys of a project as part of a change, and notes the end of a key that becomes active or gets
 * another one. For the platform team the only limit is {@link MAX_ACTIVE_KEYS}.
 */
export function moveActiveKeys(store: AccountStore, { accountId, projectId }: OfAccount, moves: KeyMoves): Change[] {
  const move = moveOf(store, projectId, moves);
  const { keyId: id = '', expiresAtMs } = moves.sets ?? {};
  return expiresAtMs === undefined ? [move] : [move, notesEnd(store, { accountId, projectId, id, expiresAtMs })];
}

function moveOf(store: AccountStore, projectId: string, { sets, removes, requires }: KeyMoves): Change {
  const most = Math.min(store.caller?.limits.activeKeysPerProject ?? MAX_ACTIVE_KEYS, MAX_ACTIVE_KEYS);
  const limit = requires === 'room' ? most : undefined;
  const key = accountItemKey.activeKeys(projectId);
  const condition = [
    'attribute_exists(#keys)',
    ...(limit === undefined ? [] : ['size(#keys) < :limit']),
    ...(requires === 'removed' ? ['attribute_exists(#keys.#removed)'] : []),
  ].join(' AND ');
  const setting = sets && 'SET #keys.#set = :expiry';
  const removing = removes === undefined ? undefined : 'REMOVE #keys.#removed';
  const values = {
    ...(sets && { ':expiry': sets.expiresAtMs ?? NEVER }),
    ...(limit !== undefined && { ':limit': limit }),
  };
  return {
    write: {
      Update: {
        TableName: store.tables.gateway,
        Key: key,
        UpdateExpression: [setting, removing].join(' '),
        ConditionExpression: condition,
        ExpressionAttributeNames: {
          ...names('keys'),
          ...(sets && { '#set': sets.keyId }),
          ...(removes !== undefined && { '#removed': removes }),
        },
        ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    refusal: (stored) => {
      if (!stored) return notFound(`There is no project ${projectId}.`);
      if (limit === undefined) return new RefusedError(`Key ${removes ?? ''} has ended.`, { code: 'KEY_NOT_ACTIVE' });
      const seen = stored.keys as Expiries;
      const alive = unexpiredKeys(seen, store.clock.now());
      if (Object.keys(alive).length === Object.keys(seen).length) {
        return limitReached(`There are ${limit} active keys in the project, which is the limit.`, 'Revoke one first.');
      }
      // Some have expired: they are removed before the next attempt, which decides; unless one changed meanwhile.
      const removal = { key, seen: { keys: seen }, after: { keys: alive } };
      return new StaleError(`Project ${projectId}`, () => replaceUnlessStale(store, removal));
    },
  };
}
