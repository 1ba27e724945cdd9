import { BatchGetCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { KeyRecord } from '../core/admission.ts';
import { generateApiKey, hashApiKey, lastFour } from '../core/api-key.ts';
import { isoTime } from '../core/clock.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import { generateKeyId } from '../core/ids.ts';
import { jitteredDelayMs, MAX_ATTEMPTS } from './conflicts.ts';
import {
  commit,
  ControlPlaneError,
  create,
  NO_DEADLINE,
  requireItem,
  whenFree,
  type Change,
  type ControlPlane,
} from './control-plane.ts';
import { noSuchProject, requireProject } from './projects.ts';
import { available, queryItems } from './store.ts';
import { itemKey, KEY_REFERENCE_PREFIX, names, type ItemKey } from './table-items.ts';

/** What an operator chooses about a key. */
export interface KeyDetails extends Pick<KeyRecord, 'projectId' | 'mode' | 'scopes' | 'rpm'> {
  readonly name?: string | undefined;
  /** How long the key is valid from its creation on; undefined: for ever. */
  readonly lifetimeMs?: number | undefined;
}

/** A key as stored: everything but the key itself. */
export interface StoredKey extends KeyRecord {
  readonly name?: string;
  readonly lastFour: string;
  /** What it was created for; `expiresAtMs` may have been brought forward since. */
  readonly lifetimeMs?: number;
  readonly createdAt: string;
}

/** A key that was just created. */
export interface NewKey {
  readonly keyId: string;
  /** The whole key. Shown once and never stored. */
  readonly key: string;
}

/** Keys that one `BatchGetItem` may ask for (AWS, "BatchGetItem"). */
const BATCH_SIZE = 100;

/** Creates a key. Throws `ControlPlaneError` for an unknown project. */
export async function createKey(plane: ControlPlane, details: KeyDetails): Promise<NewKey> {
  const { newKey, changes } = keyCreation(plane, details);
  const { projectId } = details;
  await commit(plane, [requireItem(plane, itemKey.project(projectId), noSuchProject(projectId)), ...changes]);
  return newKey;
}

/** Revokes a key; its next request is refused. Revoking it again changes nothing. */
export async function revokeKey(plane: ControlPlane, projectId: string, keyId: string): Promise<void> {
  const { client, tables, clock } = plane;
  const command = new UpdateCommand({
    TableName: tables.gateway,
    Key: await findKey(plane, projectId, keyId),
    UpdateExpression: 'SET #status = :revoked, #revokedAt = if_not_exists(#revokedAt, :now)',
    ConditionExpression: 'attribute_exists(#keyId)',
    ExpressionAttributeNames: names('status', 'revokedAt', 'keyId'),
    ExpressionAttributeValues: { ':revoked': 'revoked', ':now': isoTime(clock.now()) },
  });
  await whenFree(plane, () => client.send(command));
}

/**
 * Replaces a key: a new one like it, while the old one goes on for the grace (but never longer than it would have). A
 * key made to last some time is replaced by one that lasts as long again. Throws `ControlPlaneError` for an unknown,
 * revoked or expired key.
 */
export async function rotateKey(
  plane: ControlPlane,
  projectId: string,
  keyId: string,
  graceMs: number,
): Promise<NewKey> {
  const { client, tables, clock } = plane;
  const oldKey = await findKey(plane, projectId, keyId);
  const read = new GetCommand({ TableName: tables.gateway, Key: oldKey, ConsistentRead: true });
  const old = (await available(client.send(read))).Item as StoredKey | undefined;
  const nowMs = clock.now();
  if (!old) throw noSuchKey(projectId, keyId);
  if (old.status !== 'active') throw new ControlPlaneError(`Key ${keyId} is revoked; create a new one.`);
  const { expiresAtMs, lifetimeMs, mode, scopes, rpm, name } = old;
  if (expiresAtMs !== undefined && nowMs >= expiresAtMs) {
    throw new ControlPlaneError(`Key ${keyId} has expired; create a new one.`);
  }
  const { newKey, changes } = keyCreation(plane, { projectId, mode, scopes, rpm, name, lifetimeMs });
  const unchanged = expiresAtMs === undefined ? 'attribute_not_exists(#expiresAtMs)' : '#expiresAtMs = :seen';
  const retire: Change = {
    write: {
      Update: {
        TableName: tables.gateway,
        Key: oldKey,
        UpdateExpression: 'SET #expiresAtMs = :expiry',
        ConditionExpression: `#status = :active AND ${unchanged}`,
        ExpressionAttributeNames: names('status', 'expiresAtMs'),
        ExpressionAttributeValues: {
          ':active': 'active',
          ':expiry': Math.min(nowMs + graceMs, expiresAtMs ?? Infinity),
          ...(expiresAtMs !== undefined && { ':seen': expiresAtMs }),
        },
      },
    },
    refusal: `Key ${keyId} was changed meanwhile; try again.`,
  };
  await commit(plane, [retire, ...changes]);
  return newKey;
}

/** The keys of a project, a page at a time, in the order of their ids. Throws for an unknown project. */
export async function* listKeys(plane: ControlPlane, projectId: string): AsyncGenerator<StoredKey> {
  await requireProject(plane, projectId);
  const references = queryItems(plane.client, {
    TableName: plane.tables.gateway,
    KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :prefix)',
    ExpressionAttributeNames: names('pk', 'sk'),
    ExpressionAttributeValues: { ':pk': itemKey.project(projectId).pk, ':prefix': KEY_REFERENCE_PREFIX },
    ConsistentRead: true,
  });
  let batch: ItemKey[] = [];
  for await (const { keyHash } of references) {
    batch.push(itemKey.apiKey(keyHash as string));
    if (batch.length === BATCH_SIZE) {
      yield* await readKeys(plane, batch);
      batch = [];
    }
  }
  if (batch.length > 0) yield* await readKeys(plane, batch);
}

function keyCreation(plane: ControlPlane, details: KeyDetails): { newKey: NewKey; changes: Change[] } {
  const { projectId, mode, scopes, rpm, name, lifetimeMs } = details;
  const nowMs = plane.clock.now();
  const key = generateApiKey(mode, projectId, plane.randomBytes);
  const keyId = generateKeyId(plane.randomBytes);
  const keyHash = hashApiKey(key);
  const stored: StoredKey = {
    keyId,
    projectId,
    mode,
    scopes,
    rpm,
    status: 'active',
    lastFour: lastFour(key),
    ...(name !== undefined && { name }),
    ...(lifetimeMs !== undefined && { lifetimeMs, expiresAtMs: nowMs + lifetimeMs }),
    createdAt: isoTime(nowMs),
  };
  const changes = [
    create(plane, { ...itemKey.apiKey(keyHash), ...stored }),
    create(plane, { ...itemKey.keyReference(projectId, keyId), keyId, keyHash }),
  ];
  return { newKey: { keyId, key }, changes };
}

/** Where the key of a public id is stored. Throws `ControlPlaneError` for an unknown project or key. */
async function findKey(plane: ControlPlane, projectId: string, keyId: string): Promise<ItemKey> {
  const { client, tables } = plane;
  const Key = itemKey.keyReference(projectId, keyId);
  const { Item } = await available(
    client.send(new GetCommand({ TableName: tables.gateway, Key, ConsistentRead: true })),
  );
  if (Item) return itemKey.apiKey(Item.keyHash as string);
  await requireProject(plane, projectId);
  throw noSuchKey(projectId, keyId);
}

const noSuchKey = (projectId: string, keyId: string): ControlPlaneError =>
  new ControlPlaneError(`There is no key ${keyId} in project ${projectId}.`);

async function readKeys(plane: ControlPlane, keys: ItemKey[]): Promise<StoredKey[]> {
  const table = plane.tables.gateway;
  const found: StoredKey[] = [];
  let pending: ItemKey[] = keys;
  for (let made = 1; pending.length > 0; made++) {
    const command = new BatchGetCommand({ RequestItems: { [table]: { Keys: pending, ConsistentRead: true } } });
    const { Responses, UnprocessedKeys } = await available(plane.client.send(command));
    found.push(...((Responses?.[table] ?? []) as StoredKey[]));
    pending = (UnprocessedKeys?.[table]?.Keys ?? []) as ItemKey[];
    if (pending.length === 0) break;
    if (made === MAX_ATTEMPTS) throw new StoreUnavailableError('the store left keys of a batch unprocessed');
    await plane.sleep(jitteredDelayMs(made, plane.random), NO_DEADLINE);
  }
  return found.sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
}
