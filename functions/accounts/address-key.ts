import { createSecretKey, type KeyObject } from 'node:crypto';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ABSENT, callOptions, names, readItem, type Store } from '../store/items.ts';
import type { AccountStore } from './account-store.ts';
import { unlessStale } from './conditional-writes.ts';
import { noticeItemKey } from './notice-items.ts';
import { seal, unseal, type SealedAs } from './sealing.ts';

/**
 * The key under which addresses are hashed, and links signed that end mails. It is random and never changes, so what is
 * known of an address holds when the stage's secret is changed; that secret only seals it.
 */
export type AddressKey = KeyObject;

const KEY_BYTES = 32;
const KEY = noticeItemKey.addressKey();
const AS: SealedAs = { label: 'sandbox-gateway: key of addresses', boundTo: KEY.pk };

interface StoredKey {
  readonly sealed: Uint8Array;
}
type StoreOfKey = Store & Pick<AccountStore, 'keyTagSecrets'>;

/** The key, by a consistent read; undefined: no address was hashed yet. Rejects when no secret of the stage opens it. */
export async function readAddressKey(store: StoreOfKey): Promise<AddressKey | undefined> {
  const stored = await readItem<StoredKey>(store, KEY);
  return stored && createSecretKey(await opened(store, stored));
}

/** The key, made now if there is none. Of many who make it at once all have the same. Rejects as {@link readAddressKey}. */
export async function requireAddressKey(store: StoreOfKey & Pick<AccountStore, 'randomBytes'>): Promise<AddressKey> {
  const stored = await readAddressKey(store);
  if (stored) return stored;
  const sealed = seal(store.randomBytes(KEY_BYTES), AS, await store.keyTagSecrets(), store.randomBytes);
  const put = new PutCommand({
    TableName: store.tables.gateway,
    Item: { ...KEY, sealed },
    ConditionExpression: ABSENT,
  });
  await unlessStale(store, () => store.client.send(put, callOptions(store)));
  return requireAddressKey(store);
}

/**
 * Seals the key anew if the stage has a newer secret than the one that it is sealed under; says whether it did. Rejects as
 * {@link readAddressKey}.
 */
export async function resealAddressKey(store: StoreOfKey & Pick<AccountStore, 'randomBytes'>): Promise<boolean> {
  const stored = await readItem<StoredKey>(store, KEY);
  if (!stored) return false;
  const [newest, ...older] = await store.keyTagSecrets();
  if (unseal(stored.sealed, AS, [newest])) return false;
  const next = seal(await opened(store, stored), AS, [newest, ...older], store.randomBytes);
  const update = new UpdateCommand({
    TableName: store.tables.gateway,
    Key: KEY,
    UpdateExpression: 'SET #sealed = :next',
    ConditionExpression: '#sealed = :seen',
    ExpressionAttributeNames: names('sealed'),
    ExpressionAttributeValues: { ':next': next, ':seen': stored.sealed },
  });
  // Another one was first.
  await unlessStale(store, () => store.client.send(update, callOptions(store)));
  return true;
}

async function opened(store: StoreOfKey, { sealed }: StoredKey): Promise<Buffer> {
  const key = unseal(sealed, AS, await store.keyTagSecrets());
  // Nothing is sent then: with another key, who wanted no mails would get some. What to do:
  // docs/operating.md, "Change the secret of key tags".
  if (!key) throw new Error('the key of addresses is sealed under a secret that the stage does not have');
  return key;
}
