import type { AccountStore, StoredItem } from '../accounts/account-store.ts';
import { endOf, locateKey, type StoredKey } from '../accounts/stored-keys.ts';
import { itemKey, readBatches } from '../store/items.ts';
import { readExpiries } from './expiring-keys.ts';

/**
 * The working key that spends from a cap: the first key of the chain, or a successor once the first has ended.
 * Undefined: no key of the chain works. During a grace the replaced key and its successor have the same limit, so
 * either key will do.
 */
export async function readCapKey(
  store: AccountStore,
  projectId: string,
  capId: string,
): Promise<StoredKey | undefined> {
  const nowMs = store.clock.now();
  const first = await locateKey(store, projectId, capId);
  if (first && nowMs < endOf(first)) return first;
  const keyIds = Object.keys(await readExpiries(store, projectId));
  const references = await readBatches(
    store,
    keyIds.map((keyId) => itemKey.keyReference(projectId, keyId)),
  );
  const hashes = references.flatMap((reference) => (reference as StoredItem | undefined)?.keyHash ?? []) as string[];
  const keys = (await readBatches(store, hashes.map(itemKey.apiKey))) as (StoredKey | undefined)[];
  return keys.find((key) => key?.capId === capId && nowMs < endOf(key));
}
