import type { KeyRecord } from '../core/admission.ts';
import { generateApiKey, hashApiKey, lastFour } from '../core/api-key.ts';
import { isoTime } from '../core/clock.ts';
import { audited } from './audit.ts';
import { create, type Change, type AccountStore } from './account-store.ts';
import { markedBy, unlessRepeated, type Creation } from './derived-ids.ts';
import { told } from './edits.ts';
import { listKey, ttlOf } from './listed-keys.ts';
import type { StoredKey } from './stored-keys.ts';
import { itemKey } from '../store/table-items.ts';

/** What is chosen about a key. */
export interface KeyDetails extends Pick<KeyRecord, 'projectId' | 'mode' | 'scopes' | 'rpm'> {
  readonly name?: string | undefined;
  /** How long the key is valid from its creation on; undefined: for ever. */
  readonly lifetimeMs?: number | undefined;
}

/** A key that was just created. */
export interface NewKey {
  readonly keyId: string;
  /** The whole key. Shown once and never stored. */
  readonly key: string;
}

/** The characters of a key, and what is stored of them. */
export interface Secret {
  readonly key: string;
  readonly keyHash: string;
  readonly lastFour: string;
}

/** Makes the characters of a key. Rejects when the secrets of the stage's tags cannot be had. */
export async function newSecret(
  { keyTagSecrets, randomBytes }: AccountStore,
  { mode, projectId }: Pick<StoredKey, 'mode' | 'projectId'>,
): Promise<Secret> {
  const key = generateApiKey(mode, projectId, await keyTagSecrets(), randomBytes);
  return { key, keyHash: hashApiKey(key), lastFour: lastFour(key) };
}

/** With the id that it gets, and of the key whose rotation makes it. */
type NewKeyDetails = KeyDetails & Pick<StoredKey, 'keyId' | 'replaces'>;

/** A new key, and what a change writes to make it; what counts the active keys is apart. */
export async function newKey(
  store: AccountStore,
  accountId: string,
  { projectId, keyId, mode, scopes, rpm, name, lifetimeMs, replaces }: NewKeyDetails,
  asked: Creation,
): Promise<{ key: string; stored: StoredKey; changes: Change[] }> {
  const nowMs = store.clock.now();
  const { key, keyHash, lastFour } = await newSecret(store, { mode, projectId });
  const expiry = lifetimeMs === undefined ? {} : { lifetimeMs, expiresAtMs: nowMs + lifetimeMs };
  const stored: StoredKey = {
    keyId,
    projectId,
    mode,
    scopes,
    rpm,
    status: 'active',
    lastFour,
    ...(name !== undefined && { name }),
    ...(replaces !== undefined && { replaces }),
    ...expiry,
    ttl: ttlOf(expiry),
    createdAt: isoTime(nowMs),
  };
  const after = told({ name, mode, scopes, rpm, expiresAtMs: expiry.expiresAtMs, status: 'active' });
  const changes = [
    create(
      store,
      { ...itemKey.keyReference(projectId, keyId), keyId, keyHash, ttl: stored.ttl, ...markedBy(asked) },
      unlessRepeated(asked),
    ),
    create(store, { ...itemKey.apiKey(keyHash), ...stored }),
    listKey(store, accountId, stored, keyHash),
    await audited(store, 'key.create', { accountId, projectId, keyId }, { before: null, after }),
  ];
  return { key, stored, changes };
}
