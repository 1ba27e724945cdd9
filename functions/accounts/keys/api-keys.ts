import { isoTime, MS_PER_MINUTE } from '../../shared/time.ts';
import { generateId } from '../../shared/ids.ts';
import { moveActiveKeys } from '../projects/active-keys.ts';
import { changeAs } from '../authority/authority.ts';
import { create } from '../store/transact.ts';
import { RefusedError, StaleError } from '../store/refusals.ts';
import type { AccountStore, Change } from '../store/account-store.ts';
import { creationOf, orRepeated, markedBy, unlessRepeated, type Creation } from '../store/idempotency.ts';
import { audited, auditValues } from '../authority/audit.ts';
import { edit, type Edit } from '../authority/edit.ts';
import { readProject, requireOpenProject } from '../projects/stored-projects.ts';
import { requireOneCounter, withSameCap } from './key-caps.ts';
import { moveActivePlace, releaseActivePlace } from './key-predecessors.ts';
import { moveListing, ttlOf, listKey } from './listed-keys.ts';
import {
  CHANGEABLE_NAMES,
  findKey,
  inheritedOf,
  requireUnreplaced,
  requireUsable,
  readKey,
  seenOf,
  type LocatedKey,
  type StoredKey,
} from './stored-keys.ts';
import { capOf, type KeyRecord } from '../../shared/request/admission.ts';
import { generateApiKey, hashApiKey, lastFour } from '../../shared/credentials/api-key.ts';
import { itemKey } from '../../shared/store/items.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { deleteItem, replaceAttributes } from '../store/writes.ts';

/**
 * Creates a key. A person's repeat under one Idempotency-Key is {@link reissueKey}. Throws `RefusedError` for an
 * unknown project.
 */
export async function createKey(store: AccountStore, details: KeyDetails, idempotencyKey?: string): Promise<NewKey> {
  const { projectId } = details;
  // The rate limit is the stage's.
  const input = { ...inheritedOf(details), rpm: undefined };
  const asked = await creationOf(store, ['key', projectId], input, idempotencyKey);
  const keyId = generateId('key', asked.ids);
  const creation = changeAs(store, 'member', async () => {
    const { accountId } = await readProject(store, projectId);
    const { key, stored, changes } = await newKey(store, accountId, { keyId, ...details }, asked);
    const enters = moveActiveKeys(store, { accountId, projectId }, { sets: stored, requires: 'room' });
    return { result: { keyId, key }, changes: [requireOpenProject(store, projectId), ...changes, ...enters] };
  });
  return orRepeated(creation, () => reissueKey(store, projectId, keyId));
}

/**
 * Changes name, limits and expiry, and pauses or resumes the key, effective for the next request. A changed cap also
 * applies to the predecessor in its grace. Throws `RefusedError` for an unknown project or key, for another cap or
 * expiry of a replaced key, for a cap together with a high rate limit, for an expiry that has passed, and for a pause
 * or an expiry of a key that has ended.
 */
export const updateKey = (
  store: AccountStore,
  projectId: string,
  keyId: string,
  changes: KeyChanges,
): Promise<StoredKey> =>
  editKey(store, projectId, keyId, {
    action: 'key.update',
    decide: (key) => {
      const { name = key.name, rpm = key.rpm, unitsLimit: cap = key.unitsLimit } = changes;
      const unitsLimit = cap === 'none' ? undefined : cap;
      // A cap that the successor shares is changed there.
      if (unitsLimit !== key.unitsLimit) requireUnreplaced(key);
      requireOneCounter({ keyId, rpm }, unitsLimit);
      const paused = changes.paused === undefined ? key.paused : changes.paused || undefined;
      const nowMs = store.clock.now();
      if (paused !== key.paused) requireUsable(key, nowMs);
      return { name, rpm, unitsLimit, paused, ...changedExpiry(key, changes.expiresAtMs, nowMs) };
    },
    alsoWrites: (key, after, accountId) =>
      'expiresAtMs' in after ? moveActiveKeys(store, { accountId, projectId }, { sets: { ...key, ...after } }) : [],
  });

function changedExpiry(key: StoredKey, wanted: KeyChanges['expiresAtMs'], nowMs: number) {
  const expiresAtMs = wanted === 'never' ? undefined : (wanted ?? key.expiresAtMs);
  if (expiresAtMs === key.expiresAtMs) return {};
  requireUsable(key, nowMs);
  requireUnreplaced(key);
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) {
    throw new RefusedError(`${isoTime(expiresAtMs)} has passed; nothing was changed.`, { code: 'CHANGED_MEANWHILE' });
  }
  return { expiresAtMs };
}

/** The changes of a key; absent: unchanged. */
export interface KeyChanges {
  readonly name?: string | undefined;
  readonly rpm?: number | undefined;
  /** Units that it may spend in a quota period. */
  readonly unitsLimit?: number | 'none' | undefined;
  readonly paused?: boolean | undefined;
  /** In epoch milliseconds. */
  readonly expiresAtMs?: number | 'never' | undefined;
}

/** Revokes a key; its next request is refused. A second revocation changes nothing. */
export const revokeKey = (store: AccountStore, projectId: string, keyId: string): Promise<StoredKey> =>
  editKey(store, projectId, keyId, {
    action: 'key.revoke',
    decide: ({ status }) => (status === 'revoked' ? {} : { status: 'revoked', revokedAt: isoTime(store.clock.now()) }),
    alsoWrites: (key, _after, accountId) => releaseActivePlace(store, accountId, key),
  });

/** When a key shall expire: at a moment, or after a time. */
export type Expiry = { readonly atMs: number } | { readonly inMs: number };

/**
 * Sets the expiry of a key. A later expiry needs `extend`. An expired or revoked key never works again, because people
 * rely on its end. Throws `RefusedError` for these, for a moment in the past, and for an unknown project or key.
 */
export const expireKey = (
  store: AccountStore,
  projectId: string,
  keyId: string,
  expiry: Expiry,
  extend = false,
): Promise<StoredKey> =>
  editKey(store, projectId, keyId, {
    action: 'key.expire',
    decide: (key) => {
      const nowMs = store.clock.now();
      const expiresAtMs = 'atMs' in expiry ? expiry.atMs : nowMs + expiry.inMs;
      requireUsable(key, nowMs);
      if (expiresAtMs < nowMs) throw new RefusedError(`${isoTime(expiresAtMs)} has passed; nothing was changed.`);
      if (!extend && expiresAtMs > (key.expiresAtMs ?? Infinity)) {
        const earlier = isoTime(key.expiresAtMs ?? Infinity);
        throw new RefusedError(`Key ${keyId} expires earlier, at ${earlier}; only --extend sets a later end.`);
      }
      return { expiresAtMs };
    },
    alsoWrites: (key, { expiresAtMs }, accountId) => {
      const { replacedBy, ...sets } = { ...key, expiresAtMs: expiresAtMs as number };
      return replacedBy === undefined
        ? moveActiveKeys(store, { accountId, projectId }, { sets })
        : moveActivePlace(store, accountId, replacedBy, sets);
    },
  });

type AlsoWrites = NonNullable<Edit<StoredKey>['alsoWrites']>;
interface KeyEdit extends Pick<Edit<StoredKey>, 'action' | 'decide'> {
  readonly alsoWrites?: (...of: [...Parameters<AlsoWrites>, accountId: string]) => ReturnType<AlsoWrites>;
}

/** Changes a key, with its listing, its time of deletion and what it shares with its predecessor. */
export async function editKey(
  store: AccountStore,
  projectId: string,
  keyId: string,
  request: KeyEdit,
): Promise<StoredKey> {
  const { accountId } = await readProject(store, projectId);
  const what = `Key ${keyId}`;
  return edit<LocatedKey>(store, {
    key: () => findKey(store, projectId, keyId),
    what,
    // A repeat of its creation gives a key another item: see `reissueKey`.
    absent: () => new StaleError(what),
    subject: () => ({ accountId, projectId, keyId }),
    // So a revocation notices a successor that the key got meanwhile.
    dependsOn: CHANGEABLE_NAMES,
    ...request,
    derives: (changed, { expiresAtMs, paused }) => ({
      ttl: ttlOf(changed),
      ...(changed.paused && !paused && { pausedAtMs: store.clock.now() }),
      ...(capOf(changed) && { capId: capOf(changed)?.id }),
      ...(changed.expiresAtMs !== expiresAtMs && { lifetimeMs: lifetimeUntil(changed.expiresAtMs, store.clock.now()) }),
    }),
    alsoWrites: async (key, after) => [
      ...((await request.alsoWrites?.(key, after, accountId)) ?? []),
      ...('unitsLimit' in after ? await withSameCap(store, accountId, { ...key, ...after }) : []),
      ...moveListing(store, accountId, key, { ...key, ...after }),
    ],
  });
}

/** The lifetime that a changed expiry asks for, from now on; undefined: the key never expires. */
const lifetimeUntil = (expiresAtMs: number | undefined, nowMs: number): number | undefined =>
  expiresAtMs === undefined ? undefined : expiresAtMs - nowMs;

/** The attributes of a new key that can be chosen. */
export interface KeyDetails extends Pick<KeyRecord, 'projectId' | 'mode' | 'scopes' | 'rpm'> {
  /** Units that it may spend in a quota period; undefined: as many as its project. */
  readonly unitsLimit?: number | undefined;
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
  { keyTagSecrets, randomBytes }: AccountStore,
  { mode, projectId }: Pick<StoredKey, 'mode' | 'projectId'>,
): Promise<Secret> {
  const key = generateApiKey(mode, projectId, await keyTagSecrets(), randomBytes);
  return { key, keyHash: hashApiKey(key), lastFour: lastFour(key) };
}

/** With its id, and of a rotation the key that it replaces, and the cap that both share. */
type NewKeyDetails = KeyDetails & Pick<StoredKey, 'keyId' | 'replaces'> & { readonly capId?: string | undefined };

/** A new key, and the writes of a change that make it, without the count of active keys. */
export async function newKey(
  store: AccountStore,
  accountId: string,
  details: NewKeyDetails,
  asked: Creation,
): Promise<{ key: string; stored: StoredKey; changes: Change[] }> {
  const { projectId, keyId, mode, scopes, rpm, replaces, unitsLimit } = details;
  requireOneCounter({ keyId, rpm }, unitsLimit);
  const { lifetimeMs, capId = unitsLimit === undefined ? undefined : keyId, ...chosen } = inheritedOf(details);
  const nowMs = store.clock.now();
  const { key, keyHash, lastFour } = await newSecret(store, { mode, projectId });
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
  const after = auditValues({ name: undefined, ...chosen, mode, scopes, expiresAtMs, status: 'active' });
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

/** How long a creation can be repeated. */
const REISSUED_FOR_MS = 10 * MS_PER_MINUTE;

/**
 * Answers the repeat of a creation whose answer was lost. A key cannot be shown again. So the same key id gets another
 * secret, and the unseen secret becomes invalid, if nobody has used it. Throws `RefusedError` when the key was used or
 * changed, or is older than ten minutes.
 */
export const reissueKey = (store: AccountStore, projectId: string, keyId: string): Promise<NewKey> =>
  changeAs(store, 'member', async () => {
    const [{ accountId }, old] = await allFulfilled([readProject(store, projectId), readKey(store, projectId, keyId)]);
    if (!isUnseen(old, store.clock.now())) {
      const message = `Key ${keyId} was created already, and cannot be shown again.`;
      throw new RefusedError(message, { code: 'CHANGED_MEANWHILE' });
    }
    const { pk, sk, ...stored } = old;
    const { key, keyHash, lastFour } = await newSecret(store, stored);
    const what = `Key ${keyId}`;
    const changes = [
      requireOpenProject(store, projectId),
      deleteItem(store, { key: { pk, sk }, what, seen: { ...seenOf(stored), window: undefined } }),
      create(store, { ...itemKey.apiKey(keyHash), ...stored, lastFour }),
      listKey(store, accountId, stored, keyHash),
      replaceAttributes(store, { key: itemKey.keyReference(projectId, keyId), what, seen: {}, after: { keyHash } }),
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
  nowMs < Date.parse(createdAt) + REISSUED_FOR_MS;
