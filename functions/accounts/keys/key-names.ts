import { itemKey } from '../../shared/store/items.ts';
import { readBatches } from '../../shared/store/tables.ts';
import type { AccountStore } from '../store/account-store.ts';
import type { StoredKey } from './stored-keys.ts';

/** The name of a key for people. */
export interface KeyName {
  /** Null: it has none. */
  readonly name: string | null;
  readonly lastFour: string;
}

interface KeyIds {
  readonly projectId: string;
  readonly keyId: string;
}

/**
 * The names of keys, ended ones included, in their order; null for one that was deleted. At most two sequential reads,
 * of two items for each different key. The caller must have checked that the projects are the reader's.
 */
export async function readKeyNames(store: AccountStore, keys: readonly KeyIds[]): Promise<(KeyName | null)[]> {
  const references = new Map(
    keys.map(({ projectId, keyId }) => [keyId, itemKey.keyReference(projectId, keyId)] as const),
  );
  const found = await readBatches<{ keyHash: string }>(store, [...references.values()]);
  const hashes = [...new Set(found.flatMap((reference) => reference?.keyHash ?? []))];
  const stored = await readBatches<StoredKey>(store, hashes.map(itemKey.apiKey));
  const names = new Map(
    stored.flatMap((key) => (key ? [[key.keyId, { name: key.name ?? null, lastFour: key.lastFour }] as const] : [])),
  );
  return keys.map(({ keyId }) => names.get(keyId) ?? null);
}
