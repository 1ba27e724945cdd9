import type { KeyRecord } from '../../shared/request/admission.ts';
import { MS_PER_SECOND, isoTime, MS_PER_MINUTE } from '../../shared/time.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { retryWhileStale } from '../store/transact.ts';
import type { AccountStore } from '../store/account-store.ts';
import { RefusedError, notFound, StaleError } from '../store/refusals.ts';
import { itemKey, type ItemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';
import { readProject, requireProject } from '../projects/stored-projects.ts';

/** A key as stored: everything except the key itself. */
export interface StoredKey extends KeyRecord {
  readonly name?: string;
  readonly lastFour: string;
  /** How long a successor lives: the lifetime at the creation, or from the last change of `expiresAtMs` to it. */
  readonly lifetimeMs?: number;
  readonly createdAt: string;
  readonly revokedAt?: string;
  /** When it was last paused; it stays when the key is resumed. Absent from a pause by an older version. */
  readonly pausedAtMs?: number;
  /** When it was first reported as leaked, and where it was found (`leaked-keys.ts`). */
  readonly leakedAt?: string;
  readonly foundAt?: string;
  /** The id of the key that its rotation made: a key is rotated once. */
  readonly replacedBy?: string;
  /** The id of the key whose rotation made it. */
  readonly replaces?: string;
  /** The UTC minute of its last admitted request, numbered from the epoch: the admission's rate window. */
  readonly window?: number;
  /** In epoch seconds: the table deletes the key some time after its end (`listed-keys.ts`). Absent: it has no end. */
  readonly ttl?: number | undefined;
}

/** What a key is given once, and what its use and its deletion write. */
type Fixed =
  | 'keyId'
  | 'projectId'
  | 'mode'
  | 'scopes'
  | 'lastFour'
  | 'createdAt'
  | 'replaces'
  | 'revokedAt'
  | 'pausedAtMs'
  | 'foundAt'
  | 'window'
  | 'ttl';

/** What can change and a successor inherits. */
const INHERITED = ['name', 'lifetimeMs', 'unitsLimit', 'capId', 'rpm'] as const;
/** What can change and is the key's own. */
const OWN = ['status', 'expiresAtMs', 'replacedBy', 'paused', 'leakedAt'] as const;
type Inherited = (typeof INHERITED)[number];
type Changeable = Inherited | (typeof OWN)[number];
/**
 * An edit and a copy of a key depend on all that can change, as it was seen. A new attribute does not compile until it
 * is in one of the three lists.
 */
export const CHANGEABLE_NAMES: readonly (Exclude<keyof StoredKey, Fixed> extends Changeable ? Changeable : never)[] = [
  ...INHERITED,
  ...OWN,
];
type Seen = Pick<StoredKey, Changeable>;

/** The attributes that must not have changed meanwhile; undefined: absent. */
export const seenOf = (key: Seen): Seen =>
  Object.fromEntries(CHANGEABLE_NAMES.map((name) => [name, key[name]])) as unknown as Seen;

/** The attributes of a new key that it inherits, or that were chosen for it; without those that are absent. */
export const inheritedOf = <Of extends Partial<Record<Inherited, unknown>>>(of: Of): InheritedOf<Of> =>
  Object.fromEntries(INHERITED.flatMap((name) => (of[name] === undefined ? [] : [[name, of[name]]]))) as never;
type InheritedOf<Of> = { [Name in keyof Pick<Of, keyof Of & Inherited>]: Exclude<Of[Name], undefined> };

/** A key with its primary key. */
export type LocatedKey = StoredKey & ItemKey;

/** One key. Throws `RefusedError` for an unknown project or key. */
export const readKey = (store: AccountStore, projectId: string, keyId: string): Promise<LocatedKey> =>
  retryWhileStale(store, async () => {
    const [, at] = await allFulfilled([readProject(store, projectId), keyAt(store, projectId, keyId)]);
    if (!at) throw noSuchKey(projectId, keyId);
    const key = await readItem<LocatedKey>(store, at);
    // The version before gave a key another item at a repeat of its creation.
    if (!key) throw new StaleError(`Key ${keyId}`);
    return key;
  });

/** One key of a known project; undefined: it does not exist. */
export async function locateKey(
  store: AccountStore,
  projectId: string,
  keyId: string,
): Promise<LocatedKey | undefined> {
  const at = await keyAt(store, projectId, keyId);
  return at && readItem<LocatedKey>(store, at);
}

/** The primary key of a key's public id. Throws `RefusedError` for an unknown project or key. */
export async function findKey(store: AccountStore, projectId: string, keyId: string): Promise<ItemKey> {
  const at = await keyAt(store, projectId, keyId);
  if (at) return at;
  await requireProject(store, projectId);
  throw noSuchKey(projectId, keyId);
}

/** The primary key of a key of a known project, and its reference. Throws `RefusedError` for an unknown key. */
export async function readKeyPlace(store: AccountStore, projectId: string, keyId: string): Promise<KeyPlace> {
  const place = await keyPlace(store, projectId, keyId);
  if (!place) throw noSuchKey(projectId, keyId);
  return place;
}

/** A key with data of its reference. */
export interface KeyPlace extends Pick<KeyReference, 'ttl' | 'replacedAt' | 'salt'> {
  readonly at: ItemKey;
}

const keyAt = async (...key: Parameters<typeof keyPlace>): Promise<ItemKey | undefined> => (await keyPlace(...key))?.at;

/** A key whose time of deletion has passed does not exist any more, whether it is deleted or not. */
async function keyPlace(store: AccountStore, projectId: string, keyId: string): Promise<KeyPlace | undefined> {
  const reference = await readItem<KeyReference>(store, itemKey.keyReference(projectId, keyId));
  if (reference?.keyHash === undefined) return undefined;
  const { keyHash, ttl, replacedAt, salt } = reference;
  if (store.clock.now() >= (ttl ?? Infinity) * MS_PER_SECOND) return undefined;
  return { at: itemKey.apiKey(keyHash), ttl, replacedAt, salt };
}

/** The reference from a key's public id to its item. */
interface KeyReference extends Pick<StoredKey, 'ttl'> {
  readonly keyHash?: string;
  /** Of the secret of a key that was made under an Idempotency-Key. */
  readonly salt?: string | undefined;
  /**
   * When its rotation made another key. It is not in the key's item, so that a reader of the requests since then need
   * not read the key first.
   */
  readonly replacedAt?: string | undefined;
}

const noSuchKey = (projectId: string, keyId: string): RefusedError =>
  notFound(`There is no key ${keyId} in project ${projectId}.`);

/** Until when a key works, in epoch milliseconds; a revoked one does not: -Infinity. */
export const worksUntilMs = ({ status, expiresAtMs = Infinity }: StoredKey): number =>
  status === 'active' ? expiresAtMs : -Infinity;

/** Throws `RefusedError` for a key that never works again. */
export function requireUsable({ keyId, status, expiresAtMs = Infinity }: StoredKey, nowMs: number): void {
  const ended = status !== 'active' ? 'is revoked' : nowMs >= expiresAtMs ? 'has expired' : undefined;
  if (ended) throw new RefusedError(`Key ${keyId} ${ended}; create a new one.`, { code: 'KEY_NOT_ACTIVE' });
}

/** Throws `RefusedError` for a key that was rotated already. */
export function requireUnreplaced({ keyId, replacedBy }: StoredKey): void {
  if (replacedBy === undefined) return;
  const line = `Key ${keyId} was rotated already; its successor is ${replacedBy}.`;
  throw new RefusedError(line, { code: 'KEY_NOT_ACTIVE' });
}

/** A key for display, without its cap: never the key itself, nor its hash. */
export function keyView({ keyId, name, mode, scopes, status, rpm, createdAt, ...more }: StoredKey, nowMs: number) {
  const { expiresAtMs, replacedBy, lastFour, window } = more;
  const expired = expiresAtMs !== undefined && nowMs >= expiresAtMs;
  return {
    keyId,
    name: name ?? null,
    mode,
    scopes: [...scopes],
    rpm,
    createdAt,
    lastFour,
    status: status === 'active' && expired ? ('expired' as const) : status,
    paused: more.paused === true,
    expiresAt: expiresAtMs === undefined ? null : isoTime(expiresAtMs),
    replacedBy: replacedBy ?? null,
    // The minute of the rate window, which the admission writes in any case: exact to the minute, without cost.
    lastUsed: window === undefined ? null : isoTime(window * MS_PER_MINUTE),
  };
}
