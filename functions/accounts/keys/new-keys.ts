import { isoTime, MS_PER_MINUTE } from '../../shared/time.ts';
import { changeAs } from '../authority/authority.ts';
import { create } from '../store/transact.ts';
import { RefusedError, StaleError } from '../store/refusals.ts';
import type { AccountStore, Change } from '../store/account-store.ts';
import { markedBy, newSalt, unlessRepeated, type Creation } from '../store/idempotency.ts';
import { audited, auditValues } from '../authority/audit.ts';
import { readProject, requireOpenProject } from '../projects/stored-projects.ts';
import { requireOneCounter } from './key-caps.ts';
import { ttlOf, listKey } from './listed-keys.ts';
import { inheritedOf, readKeyPlace, seenOf, type StoredKey } from './stored-keys.ts';
import type { KeyRecord } from '../../shared/request/admission.ts';
import { firstKeyOf, ownPeriodOf, type CapPeriod } from '../../shared/request/cap-period.ts';
import { generateApiKey, hashApiKey, lastFour } from '../../shared/credentials/api-key.ts';
import { itemKey } from '../../shared/store/items.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { unchanged } from '../store/writes.ts';
import type { RandomBytes } from '../../shared/ids.ts';
import { readItem } from '../../shared/store/tables.ts';

/** The attributes of a new key that can be chosen. */
export interface KeyDetails extends Pick<KeyRecord, 'projectId' | 'mode' | 'scopes' | 'rpm'> {
  /** Units that it may spend in a period of its cap; undefined: as many as its project. */
  readonly unitsLimit?: number | undefined;
  /** How often its cap begins again; undefined: with the quota. */
  readonly unitsPeriod?: CapPeriod | undefined;
  /** The id of a key whose budget it shares, instead of a limit and a period. */
  readonly capOf?: string | undefined;
  readonly name?: string | undefined;
  /** The lifetime of the key; undefined: unlimited. */
  readonly lifetimeMs?: number | undefined;
}

/** A key that was just created. */
export interface NewKey {
  readonly keyId: string;
  /** The whole key. It is shown once and never stored. */
  readonly key: string;
}

/** A key's text, and what is stored of it. */
interface Secret {
  readonly key: string;
  readonly keyHash: string;
  readonly lastFour: string;
}

/** Makes a key's text. Rejects when the secrets of the tags cannot be read. */
async function newSecret(
  { keyTagSecrets }: AccountStore,
  { mode, projectId }: Pick<StoredKey, 'mode' | 'projectId'>,
  randomBytes: RandomBytes,
): Promise<Secret> {
  const key = generateApiKey(mode, projectId, await keyTagSecrets(), randomBytes);
  return { key, keyHash: hashApiKey(key), lastFour: lastFour(key) };
}

/** With its id, the id of its cap, and of a rotation the key that it replaces. */
type NewKeyDetails = Omit<KeyDetails, 'unitsPeriod'> &
  Pick<StoredKey, 'keyId' | 'replaces'> & { readonly capId?: string | undefined };

/** A new key, and the writes of a change that make it, without the count of active keys. */
export async function newKey(
  store: AccountStore,
  accountId: string,
  details: NewKeyDetails,
  asked: Creation,
): Promise<{ key: string; stored: StoredKey; changes: Change[] }> {
  const { projectId, keyId, mode, scopes, rpm, replaces, unitsLimit } = details;
  requireOneCounter({ keyId, rpm }, unitsLimit);
  const { lifetimeMs, capId, ...chosen } = inheritedOf(details);
  const nowMs = store.clock.now();
  const salt = newSalt(store);
  const { key, keyHash, lastFour } = await newSecret(store, { mode, projectId }, asked.secretBytes(salt));
  const expiry = lifetimeMs === undefined ? {} : { lifetimeMs, expiresAtMs: nowMs + lifetimeMs };
  const stored: StoredKey = {
    keyId,
    projectId,
    mode,
    scopes,
    status: 'active',
    lastFour,
    ...chosen,
    ...(replaces !== undefined && { replaces }),
    ...(capId !== undefined && { capId }),
    ...expiry,
    ttl: ttlOf(expiry),
    createdAt: isoTime(nowMs),
  };
  const { expiresAtMs } = expiry;
  const unitsPeriod = ownPeriodOf(stored.capId ?? '');
  const after = auditValues({
    name: undefined,
    ...chosen,
    ...(unitsPeriod && { unitsPeriod }),
    ...(details.capOf !== undefined && { capOf: firstKeyOf(stored.capId ?? '') }),
    mode,
    scopes,
    expiresAtMs,
    status: 'active',
  });
  const changes = [
    create(
      store,
      { ...itemKey.keyReference(projectId, keyId), keyId, keyHash, ttl: stored.ttl, ...markedBy(asked, salt) },
      unlessRepeated(asked),
    ),
    create(store, { ...itemKey.apiKey(keyHash), ...stored }),
    listKey(store, accountId, stored, keyHash),
    await audited(store, 'key.create', { accountId, projectId, keyId }, { before: null, after }),
  ];
  return { key, stored, changes };
}

/** How long a creation can be repeated. */
const SHOWN_AGAIN_FOR_MS = 10 * MS_PER_MINUTE;

/**
 * Answers the repeat of a creation whose answer was lost: the key is not stored, but derives from the Idempotency-Key.
 * Throws `RefusedError` when the key was used or changed, or is older than ten minutes, and when prefix or secret of new
 * keys have changed since.
 */
export const showKeyAgain = (
  store: AccountStore,
  projectId: string,
  keyId: string,
  { secretBytes }: Pick<Creation, 'secretBytes'>,
): Promise<NewKey> =>
  changeAs(store, 'member', async () => {
    const [{ accountId }, { at, salt = '' }] = await allFulfilled([
      readProject(store, projectId),
      readKeyPlace(store, projectId, keyId),
    ]);
    const stored = await readItem<StoredKey>(store, at);
    if (!stored) throw new StaleError(`Key ${keyId}`);
    const { key, keyHash } = await newSecret(store, stored, secretBytes(salt));
    if (!isUnseen(stored, store.clock.now()) || itemKey.apiKey(keyHash).pk !== at.pk) {
      const message = `Key ${keyId} was created already, and cannot be shown again.`;
      throw new RefusedError(message, { code: 'CHANGED_MEANWHILE' });
    }
    const seen = { ...seenOf(stored), window: undefined };
    const changes = [
      requireOpenProject(store, projectId),
      unchanged(store, { key: at, what: `Key ${keyId}`, seen }),
      await audited(store, 'key.reissue', { accountId, projectId, keyId }, { before: {}, after: {} }),
    ];
    return { result: { keyId, key }, changes };
  });

const isUnseen = (
  { status, window, replacedBy, createdAt, expiresAtMs = Infinity }: StoredKey,
  nowMs: number,
): boolean =>
  status === 'active' &&
  window === undefined &&
  replacedBy === undefined &&
  nowMs < expiresAtMs &&
  nowMs < Date.parse(createdAt) + SHOWN_AGAIN_FOR_MS;
