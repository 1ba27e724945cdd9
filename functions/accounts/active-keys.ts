import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { MAX_ACTIVE_KEYS } from '../wiring.ts';
import { callOptions, writeItem, ABSENT, names, type ItemKey } from '../store/items.ts';
import { accountItemKey } from './account-items.ts';
import { create } from './changes.ts';
import type { Change, AccountStore } from './account-store.ts';
import { RefusedError, StaleError } from './refusals.ts';
import { referencedKeys } from './stored-keys.ts';

/** When an active key of a project expires, in epoch milliseconds, by its id; {@link NEVER}: it does not. */
type Expiries = Readonly<Record<string, number>>;
const NEVER = 0;

/**
 * The active keys of a project, in an item of their own: those that are neither revoked nor replaced, and those in their
 * grace whose successor was revoked, in its place: beside each key that is here one more works at most. How many there are
 * is a condition of each new one. Keys end by the clock and nobody writes then, so each stands there with its end: the
 * count is exact at any moment, and those that have ended make room when there is none. One takes 20 bytes for its id, 9
 * at most for its end and 1: {@link MAX_ACTIVE_KEYS} take 300 kB, of the 400 that DynamoDB takes of an item.
 */
export interface ActiveKeysItem extends ItemKey {
  readonly keys: Expiries;
  /** Whether every key of the project is in its list; absent: some may be from before there were lists. */
  readonly listed?: true;
}

/** How many of them are active at a moment. */
export const countActiveKeys = (expiries: Expiries, nowMs: number): number =>
  Object.keys(unexpiredKeys(expiries, nowMs)).length;

/** Those of them that are active at a moment. */
export const unexpiredKeys = (expiries: Expiries, nowMs: number): Expiries =>
  Object.fromEntries(
    Object.entries(expiries).filter(([, expiresAtMs]) => expiresAtMs === NEVER || nowMs < expiresAtMs),
  );

/** Of a project that is new. */
export const noActiveKeys = (store: AccountStore, projectId: string): Change =>
  create(store, { ...accountItemKey.activeKeys(projectId), keys: {}, listed: true });

/** What becomes of the active keys of a project. */
interface KeyMoves {
  /** A key that becomes active, or gets another expiry. */
  readonly sets?: { readonly keyId: string; readonly expiresAtMs?: number | undefined };
  /** A key that no longer is active. */
  readonly removes?: string;
  /** What is required: that there is room for one more, or that the one that is removed is there. */
  readonly requires?: 'room' | 'removed';
}

/** Moves the active keys of a project with a change. An operator is held to {@link MAX_ACTIVE_KEYS} alone. */
export function moveActiveKeys(store: AccountStore, projectId: string, { sets, removes, requires }: KeyMoves): Change {
  const most = Math.min(store.caller?.limits.activeKeysPerProject ?? MAX_ACTIVE_KEYS, MAX_ACTIVE_KEYS);
  const limit = requires === 'room' ? most : undefined;
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
        Key: accountItemKey.activeKeys(projectId),
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
      const what = `Project ${projectId}`;
      if (!stored) return new StaleError(what, () => countFirst(store, projectId));
      if (limit === undefined) return new RefusedError(`Key ${removes ?? ''} has ended.`, { code: 'KEY_NOT_ACTIVE' });
      const keys = stored.keys as Expiries;
      const alive = unexpiredKeys(keys, store.clock.now());
      if (Object.keys(alive).length < Object.keys(keys).length) {
        return new StaleError(what, () => replaceKeys(store, projectId, keys, alive));
      }
      const line = `There are ${limit} active keys in the project, as many as there may be.`;
      return new RefusedError(line, { code: 'LIMIT_REACHED' });
    },
  };
}

/** Takes keys off that have ended, unless a key moved meanwhile: then the next look decides. */
async function replaceKeys(store: AccountStore, projectId: string, seen: Expiries, alive: Expiries): Promise<void> {
  const command = new UpdateCommand({
    TableName: store.tables.gateway,
    Key: accountItemKey.activeKeys(projectId),
    UpdateExpression: 'SET #keys = :alive',
    ConditionExpression: '#keys = :seen',
    ExpressionAttributeNames: names('keys'),
    ExpressionAttributeValues: { ':alive': alive, ':seen': seen },
  });
  await unlessDone(store, () => store.client.send(command, callOptions(store)));
}

/** The active keys of a project from before they were counted. Nothing moves meanwhile: every move needs the item. */
export async function readActiveKeys(store: AccountStore, projectId: string): Promise<Expiries> {
  const keys = await Array.fromAsync(referencedKeys(store, projectId));
  const revoked = new Set(keys.filter(({ status }) => status === 'revoked').map(({ keyId }) => keyId));
  const active = keys.filter(
    ({ status, replacedBy }) => status === 'active' && (replacedBy === undefined || revoked.has(replacedBy)),
  );
  return Object.fromEntries(active.map(({ keyId, expiresAtMs }) => [keyId, expiresAtMs ?? NEVER]));
}

/** Counts the active keys of a project from before they were counted. */
export async function countFirst(store: AccountStore, projectId: string): Promise<void> {
  const Item = { ...accountItemKey.activeKeys(projectId), keys: await readActiveKeys(store, projectId) };
  const command = new PutCommand({ TableName: store.tables.gateway, Item, ConditionExpression: ABSENT });
  await unlessDone(store, () => store.client.send(command, callOptions(store)));
}

/** A write whose failed condition says that someone else has done it: what is then there decides. */
async function unlessDone(store: AccountStore, send: () => Promise<unknown>): Promise<void> {
  try {
    await writeItem(store, send);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
