import type { AccountStore } from '../accounts/store/account-store.ts';
import { putUnlessStale } from '../accounts/store/writes.ts';
import { noticeItemKey } from '../accounts/store/notice-items.ts';
import { worksUntilMs, locateKey, type StoredKey } from '../accounts/keys/stored-keys.ts';
import { MS_PER_DAY, ttlAt } from '../shared/time.ts';
import { firstKeyOf } from '../shared/request/cap-period.ts';
import { itemKey } from '../shared/store/items.ts';
import { accountItemKey } from '../accounts/store/account-items.ts';
import { unexpiredKeys, type ActiveKeysItem } from '../accounts/projects/active-keys.ts';
import { readBatches, readItem } from '../shared/store/tables.ts';

/** How long the found key is stored: longer than most keys spend from a cap. */
const KEPT_MS = 400 * MS_PER_DAY;
/** Rotations that a search follows, one call after the other. Anybody can make a chain of thousands within minutes. */
const MAX_FOLLOWED = 10;

/** A cap, and where it is. */
interface Cap {
  readonly accountId: string;
  readonly projectId: string;
  readonly capId: string;
  /** Whether it is a budget, which keys of other chains share. */
  readonly isShared: boolean;
}

/**
 * The key that spends from a cap: the first key with the cap, or a successor after that has ended. Undefined: none of
 * them works. In a grace the replaced key and its successor have the same limit, so either is right.
 *
 * The search follows the chain of rotations from the key that was found last. If that key was deleted, which happens
 * long after its end, if the chain is long, or if it has ended and others share its budget, the active keys of the
 * project are read instead.
 */
export async function readCapKey(store: AccountStore, cap: Cap): Promise<StoredKey | undefined> {
  const { accountId, projectId, capId, isShared } = cap;
  const key = noticeItemKey.capKey(accountId, capId);
  const { keyId: last = firstKeyOf(capId) } = (await readItem<{ readonly keyId?: string }>(store, key)) ?? {};
  const found = await working(store, projectId, last);
  const isLost = found === 'lost' || (isShared && found === undefined);
  const works = isLost ? await searched(store, cap) : found;
  if (works && works.keyId !== last) {
    // Parallel calls may store different keys of the chain. Either leads to the right one.
    await putUnlessStale(store, { ...key, keyId: works.keyId, ttl: ttlAt(store.clock.now() + KEPT_MS) });
  }
  return works;
}

/**
 * The first key of a chain that works, from this one on; undefined: there is none. `lost`: the chain does not lead to
 * it.
 */
async function working(
  store: AccountStore,
  projectId: string,
  fromKeyId: string,
): Promise<StoredKey | 'lost' | undefined> {
  const doesWork = (key: StoredKey): boolean => store.clock.now() < worksUntilMs(key);
  let key = await locateKey(store, projectId, fromKeyId);
  for (let followed = 0; key && !doesWork(key) && key.replacedBy !== undefined; followed++) {
    if (followed === MAX_FOLLOWED) return 'lost';
    key = await locateKey(store, projectId, key.replacedBy);
  }
  if (!key) return 'lost';
  if (doesWork(key)) return key;
  // It was revoked while its predecessor was in its grace.
  const predecessor = key.replaces === undefined ? undefined : await locateKey(store, projectId, key.replaces);
  return predecessor && doesWork(predecessor) ? predecessor : undefined;
}

async function searched(store: AccountStore, { projectId, capId }: Cap): Promise<StoredKey | undefined> {
  const keyIds = Object.keys(await readExpiries(store, projectId));
  const references = await readBatches<{ readonly keyHash: string }>(
    store,
    keyIds.map((keyId) => itemKey.keyReference(projectId, keyId)),
  );
  const hashes = references.flatMap((reference) => reference?.keyHash ?? []);
  const keys = await readBatches<StoredKey>(store, hashes.map(itemKey.apiKey));
  return keys.find((key) => key?.capId === capId && store.clock.now() < worksUntilMs(key));
}

/** The expiry of each active key, by key id, in epoch milliseconds. 0: never. */
export async function readExpiries(store: AccountStore, projectId: string): Promise<ActiveKeysItem['keys']> {
  const active = await readItem<ActiveKeysItem>(store, accountItemKey.activeKeys(projectId));
  return unexpiredKeys(active?.keys ?? {}, store.clock.now());
}
