import { isoTime, MS_PER_DAY, MS_PER_SECOND } from '../core/clock.ts';
import { itemKey, type ItemKey } from '../store/items.ts';
import { accountItemKey } from './account-items.ts';
import type { Change, AccountStore } from './account-store.ts';
import { replaceAttributes } from './conditional-writes.ts';
import type { LocatedKey, StoredKey } from './stored-keys.ts';

/** How long a key that has ended is kept: so long lists show it, and its refusal says why. */
export const KEPT_AFTER_END_MS = 90 * MS_PER_DAY;
/** In place of the time at which a key ends that has no end. It sorts behind every time. */
export const NEVER = 'never';

/**
 * Where a key stands in the list of its project: by its end, so that the keys that have not ended stand behind all that
 * have, and nothing has to be moved when one ends by the clock. `2026-11-21T08:30:00.000Z#key_…`, or `never#key_…`.
 */
export type KeyPosition = string;

/** What a list needs to find a key. */
export interface KeyListing extends ItemKey {
  readonly keyHash: string;
  readonly ttl?: number | undefined;
}

type KeyEnd = Pick<StoredKey, 'revokedAt' | 'expiresAtMs'>;

/** The earlier of its revocation and its expiry, in epoch milliseconds; Infinity: it has no end. */
export const endOf = ({ revokedAt, expiresAtMs = Infinity }: KeyEnd): number =>
  Math.min(revokedAt === undefined ? Infinity : Date.parse(revokedAt), expiresAtMs);

/** When the table may delete a key and what leads to it, in epoch seconds; undefined: never. */
export function ttlOf(key: KeyEnd): number | undefined {
  const endMs = endOf(key);
  return endMs === Infinity ? undefined : Math.ceil((endMs + KEPT_AFTER_END_MS) / MS_PER_SECOND);
}

/** Where a key is listed: with its account, since whoever reads a list there reads nobody else's. */
export function listingOf(accountId: string, key: KeyEnd & Pick<StoredKey, 'projectId' | 'keyId'>): ItemKey {
  const endMs = endOf(key);
  const position: KeyPosition = `${endMs === Infinity ? NEVER : isoTime(endMs)}#${key.keyId}`;
  return accountItemKey.keyListing(accountId, key.projectId, position);
}

/**
 * Lists a key, in place of what is there. It has no condition of its own: the change that it is a part of requires the key
 * to be as it was read.
 */
export function listKey({ tables }: AccountStore, accountId: string, key: StoredKey, keyHash: string): Change {
  const Item: KeyListing = { ...listingOf(accountId, key), keyHash, ttl: ttlOf(key) };
  return { write: { Put: { TableName: tables.gateway, Item } } };
}

/** Takes a key off a list, whether it is there or not. */
export const unlistKey = ({ tables }: AccountStore, Key: ItemKey): Change => ({
  write: { Delete: { TableName: tables.gateway, Key } },
});

/**
 * What is written with a key that gets another end: it is listed elsewhere, and its reference goes with it. Nothing, where
 * its end stays.
 */
export function moveListing(store: AccountStore, accountId: string, before: LocatedKey, after: StoredKey): Change[] {
  if (endOf(before) === endOf(after)) return [];
  const { projectId, keyId } = before;
  const keyHash = hashOf(before);
  return [
    unlistKey(store, listingOf(accountId, before)),
    listKey(store, accountId, after, keyHash),
    replaceAttributes(store, {
      key: itemKey.keyReference(projectId, keyId),
      what: `Key ${keyId}`,
      seen: { keyHash },
      after: { ttl: ttlOf(after) },
    }),
  ];
}

/** The hash that a key is stored under. */
export const hashOf = ({ pk }: ItemKey): string => pk.slice(itemKey.apiKey('').pk.length);
