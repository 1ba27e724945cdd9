import type { KeyRecord } from '../core/admission.ts';
import { ControlPlaneError, type ControlPlane } from './control-plane.ts';
import { itemsFrom, readItem, readItems } from '../store/items.ts';
import { requireProject } from './projects.ts';
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
  yield* readItems<StoredKey>(plane, keysOf(plane, projectId));
}

async function* keysOf(plane: ControlPlane, projectId: string): AsyncGenerator<ItemKey> {
  const references = itemsFrom(plane, itemKey.keyReference(projectId, ''));
  for await (const { keyHash } of references) yield itemKey.apiKey(keyHash as string);
}

/** One key. Throws `ControlPlaneError` for an unknown project or key. */
export async function readKey(plane: ControlPlane, projectId: string, keyId: string): Promise<StoredKey> {
  const key = await readItem<StoredKey>(plane, await findKey(plane, projectId, keyId));
  if (!key) throw new ControlPlaneError(noSuchKey(projectId, keyId));
  return key;
}

/** Where the key of a public id is stored. Throws `ControlPlaneError` for an unknown project or key. */
export async function findKey(plane: ControlPlane, projectId: string, keyId: string): Promise<ItemKey> {
  const reference = await readItem<{ keyHash: string }>(plane, itemKey.keyReference(projectId, keyId));
  if (reference) return itemKey.apiKey(reference.keyHash);
  await requireProject(plane, projectId);
  throw new ControlPlaneError(noSuchKey(projectId, keyId));
}

/** What an operator is told of an unknown key. */
export const noSuchKey = (projectId: string, keyId: string): string =>
  `There is no key ${keyId} in project ${projectId}.`;
