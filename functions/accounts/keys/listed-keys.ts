import { isoTime, MS_PER_DAY, MS_PER_SECOND, ttlAt } from '../../shared/time.ts';
import { API_KEY_PREFIX, itemKey, type ItemKey } from '../../shared/store/items.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { Change, AccountStore } from '../store/account-store.ts';
import { replaceAttributes } from '../store/writes.ts';
import type { LocatedKey, StoredKey } from './stored-keys.ts';

/** How long an ended key is kept. For this time lists show it, and its refusal says why. */
export const KEPT_AFTER_END_MS = 90 * MS_PER_DAY;
/** The end of a key that never ends. It sorts after every time. */
export const NEVER = 'never';

/**
 * A key's position in the list of its project, by its end. So active keys sort after all ended ones, and nothing has to
 * be moved when a key expires. `2026-11-21T08:30:00.000Z#key_…`, or `never#key_…`.
 */
export type KeyPosition = string;

/** The listing of a key. */
export interface KeyListing extends ItemKey {
  readonly keyHash: string;
  readonly ttl?: number | undefined;
}

type KeyEnd = Pick<StoredKey, 'revokedAt' | 'expiresAtMs'>;

/** The earlier of its revocation and its expiry, in epoch milliseconds; Infinity: it has no end. */
export const endMsOf = ({ revokedAt, expiresAtMs = Infinity }: KeyEnd): number =>
  Math.min(revokedAt === undefined ? Infinity : Date.parse(revokedAt), expiresAtMs);

/** When the table may delete a key, its reference and its listing, in epoch seconds; undefined: never. */
export function ttlOf(key: KeyEnd): number | undefined {
  const endMs = endMsOf(key);
  return endMs === Infinity ? undefined : ttlAt(endMs + KEPT_AFTER_END_MS);
}

/** When a key ended or will end, from its time of deletion, in epoch milliseconds. It is at most a second later. */
export const endBefore = (ttl = Infinity): number => ttl * MS_PER_SECOND - KEPT_AFTER_END_MS;

/** The key's listing. It is in the partition of the account, so a reader of that list sees no other account. */
function listingOf(accountId: string, key: KeyEnd & Pick<StoredKey, 'projectId' | 'keyId'>): ItemKey {
  const endMs = endMsOf(key);
  const position: KeyPosition = `${endMs === Infinity ? NEVER : isoTime(endMs)}#${key.keyId}`;
  return accountItemKey.keyListing(accountId, key.projectId, position);
}

/**
 * Writes a key's listing. It has no condition of its own: another part of the change requires the key to be as read.
 */
export function listKey({ tables }: AccountStore, accountId: string, key: StoredKey, keyHash: string): Change {
  const Item: KeyListing = { ...listingOf(accountId, key), keyHash, ttl: ttlOf(key) };
  return { write: { Put: { TableName: tables.gateway, Item } } };
}

/** Deletes a listing, whether it exists or not. */
const unlistKey = ({ tables }: AccountStore, Key: ItemKey): Change => ({
  write: { Delete: { TableName: tables.gateway, Key } },
});

/**
 * The writes for a key with a new end: its listing moves, and its reference expires with it. None if the end is the
 * same and nothing is noted.
 *
 * @param noted in its reference
 */
export function moveListing(
  store: AccountStore,
  accountId: string,
  before: LocatedKey,
  after: StoredKey,
  noted: { readonly replacedAt?: string } = {},
): Change[] {
  const isMoved = endMsOf(before) !== endMsOf(after);
  if (!isMoved && noted.replacedAt === undefined) return [];
  const { projectId, keyId } = before;
  const keyHash = hashOf(before);
  return [
    ...(isMoved ? [unlistKey(store, listingOf(accountId, before)), listKey(store, accountId, after, keyHash)] : []),
    replaceAttributes(store, {
      key: itemKey.keyReference(projectId, keyId),
      what: `Key ${keyId}`,
      seen: { keyHash },
      after: { ttl: ttlOf(after), ...noted },
    }),
  ];
}

/** The hash under which a key is stored. */
const hashOf = ({ pk }: ItemKey): string => pk.slice(API_KEY_PREFIX.length);
