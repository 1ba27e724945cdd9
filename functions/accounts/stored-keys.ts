import type { KeyRecord } from '../core/admission.ts';
import { allFulfilled } from '../core/fulfilled.ts';
import { whileOvertaken, type ControlPlane } from './control-plane.ts';
import { itemsFrom, readItem, readItems, type StoreReader } from '../store/items.ts';
import { readProject, requireProject } from './stored-projects.ts';
import { ControlPlaneError, notFound, OvertakenError } from './refusals.ts';
import { itemKey, type ItemKey } from '../store/table-items.ts';

/** A key as stored: everything but the key itself. */
export interface StoredKey extends KeyRecord {
  readonly name?: string;
  readonly lastFour: string;
  /** What it was created for; `expiresAtMs` may have been brought forward since. */
  readonly lifetimeMs?: number;
  readonly createdAt: string;
  readonly revokedAt?: string;
  /** The id of the key that its rotation made: a key is rotated once. */
  readonly replacedBy?: string;
  /** The UTC minute of its last admitted request, numbered from the epoch: the admission's rate window. */
  readonly window?: number;
}

/** The keys of a project, in the order of their ids, a page at a time as they are taken. Throws for an unknown project. */
export async function* listKeys(plane: ControlPlane, projectId: string): AsyncGenerator<StoredKey> {
  await requireProject(plane, projectId);
  yield* keysOf(plane, projectId);
}

/** As {@link listKeys}, of a project that is known. */
export const keysOf = (plane: StoreReader, projectId: string): AsyncGenerator<StoredKey> =>
  readItems<StoredKey>(plane, keyItems(plane, projectId));

async function* keyItems(plane: StoreReader, projectId: string): AsyncGenerator<ItemKey> {
  const references = itemsFrom(plane, itemKey.keyReference(projectId, ''));
  for await (const { keyHash } of references) yield itemKey.apiKey(keyHash as string);
}

/** A key with where it is stored. */
export type LocatedKey = StoredKey & ItemKey;

/** One key. Throws `ControlPlaneError` for an unknown project or key. */
export const readKey = (plane: ControlPlane, projectId: string, keyId: string): Promise<LocatedKey> =>
  whileOvertaken(plane, async () => {
    const [, at] = await allFulfilled([readProject(plane, projectId), keyAt(plane, projectId, keyId)]);
    if (!at) throw noSuchKey(projectId, keyId);
    const key = await readItem<LocatedKey>(plane, at);
    // A repeat of its creation moves a key: see `reissueKey`.
    if (!key) throw new OvertakenError(`Key ${keyId}`);
    return key;
  });

/** Where the key of a public id is stored. Throws `ControlPlaneError` for an unknown project or key. */
export async function findKey(plane: ControlPlane, projectId: string, keyId: string): Promise<ItemKey> {
  const at = await keyAt(plane, projectId, keyId);
  if (at) return at;
  await requireProject(plane, projectId);
  throw noSuchKey(projectId, keyId);
}

async function keyAt(plane: ControlPlane, projectId: string, keyId: string): Promise<ItemKey | undefined> {
  const reference = await readItem<{ keyHash: string }>(plane, itemKey.keyReference(projectId, keyId));
  return reference && itemKey.apiKey(reference.keyHash);
}

const noSuchKey = (projectId: string, keyId: string): ControlPlaneError =>
  notFound(`There is no key ${keyId} in project ${projectId}.`);

/** Throws `ControlPlaneError` for a key that never works again. */
export function requireUsable({ keyId, status, expiresAtMs = Infinity }: StoredKey, nowMs: number): void {
  const ended = status !== 'active' ? 'is revoked' : nowMs >= expiresAtMs ? 'has expired' : undefined;
  if (ended) throw new ControlPlaneError(`Key ${keyId} ${ended}; create a new one.`, { code: 'KEY_NOT_ACTIVE' });
}

/** Throws `ControlPlaneError` for a key that was rotated already. */
export function requireUnreplaced({ keyId, replacedBy }: StoredKey): void {
  if (replacedBy === undefined) return;
  const line = `Key ${keyId} was rotated already; its successor is ${replacedBy}.`;
  throw new ControlPlaneError(line, { code: 'KEY_NOT_ACTIVE' });
}
