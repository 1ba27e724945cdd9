import { createSecretKey, type KeyObject } from 'node:crypto';
import { readItem, type Store } from '../../shared/store/tables.ts';
import type { AccountStore } from '../store/account-store.ts';
import { NO_ITEM, putUnlessStale, replaceUnlessStale } from '../store/writes.ts';
import { noticeItemKey } from '../store/notice-items.ts';
import { seal, unseal, type SealedAs } from '../store/sealing.ts';

/**
 * The key that hashes addresses and signs the links that stop mails. It is random and never changes. So the stored
 * hashes stay valid when the stage's secret is changed: that secret only seals this key.
 */
export type AddressKey = KeyObject;

const KEY_BYTES = 32;
const KEY = noticeItemKey.addressKey();
const AS: SealedAs = { label: 'sandbox-gateway: key of addresses', boundTo: KEY.pk };

interface StoredKey {
  readonly sealed: Uint8Array;
}
type StoreOfKey = Store & Pick<AccountStore, 'keyTagSecrets'>;

/**
 * The key, by a consistent read; undefined: no address was hashed yet. Rejects when no secret of the stage opens it.
 */
export async function readAddressKey(store: StoreOfKey): Promise<AddressKey | undefined> {
  const stored = await readItem<StoredKey>(store, KEY);
  return stored && createSecretKey(await opened(store, stored));
}

/** The key. It is made if there is none; parallel calls get the same key. Rejects as {@link readAddressKey}. */
export async function requireAddressKey(store: StoreOfKey & Pick<AccountStore, 'randomBytes'>): Promise<AddressKey> {
  const stored = await readAddressKey(store);
  if (stored) return stored;
  const sealed = seal(store.randomBytes(KEY_BYTES), AS, await store.keyTagSecrets(), store.randomBytes);
  await putUnlessStale(store, { ...KEY, sealed }, NO_ITEM);
  return requireAddressKey(store);
}

/**
 * Seals the key under the newest secret of the stage, if it is sealed under an older one. Returns whether it was.
 * Rejects as {@link readAddressKey}.
 */
export async function resealAddressKey(store: StoreOfKey & Pick<AccountStore, 'randomBytes'>): Promise<boolean> {
  const stored = await readItem<StoredKey>(store, KEY);
  if (!stored) return false;
  const [newest, ...older] = await store.keyTagSecrets();
  if (unseal(stored.sealed, AS, [newest])) return false;
  const next = seal(await opened(store, stored), AS, [newest, ...older], store.randomBytes);
  // Else a parallel call has sealed it already.
  await replaceUnlessStale(store, { key: KEY, seen: { sealed: stored.sealed }, after: { sealed: next } });
  return true;
}

async function opened(store: StoreOfKey, { sealed }: StoredKey): Promise<Buffer> {
  const key = unseal(sealed, AS, await store.keyTagSecrets());
  // Then no mail is sent. With another key, people who have stopped mails would get mails again. What to do:
  // docs/runbook.md, "Change the secret of key tags".
  if (!key) throw new Error('the key of addresses is sealed under a secret that the stage does not have');
  return key;
}
