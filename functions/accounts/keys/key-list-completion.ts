import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { callOptions, itemsFrom, readItem, writeItem, itemKey, names } from '../../shared/store/items.ts';
import { accountItemKey } from '../account-items.ts';
import { countFirst } from './active-keys.ts';
import { commit, retryWhileStale } from '../changes.ts';
import type { Change, AccountStore } from '../account-store.ts';
import { StaleError } from '../refusals.ts';
import { deleteItem, replaceAttributes } from '../conditional-writes.ts';
import { hashOf, listingOf, listKey, ttlOf, unlistKey, type KeyListing } from './listed-keys.ts';
import { referencedKeys, type LocatedKey } from './stored-keys.ts';
import { readProject } from '../projects/stored-projects.ts';

/** Keys that are corrected in parallel. */
const AT_ONCE = 16;

/**
 * Gives every key of a project its correct listing, and an expiry in the table for ended keys. This is for keys without
 * listings, and for changes by an older version. Correct listings stay unchanged. So it may be repeated, and run while
 * keys are created and end. Returns the number of corrections. Throws `RefusedError` for an unknown project.
 */
export async function completeKeyList(store: AccountStore, projectId: string): Promise<number> {
  const { accountId } = await readProject(store, projectId);
  // Read before the keys: from here on, every change of a key also writes its listing.
  const listings = await readListings(store, accountId, projectId);
  let corrected = 0;
  let some: Promise<boolean>[] = [];
  const settle = async (): Promise<void> => {
    corrected += (await Promise.all(some)).filter(Boolean).length;
    some = [];
  };
  for await (const key of referencedKeys(store, projectId)) {
    some.push(correct(store, accountId, key, listings.get(key.keyId) ?? []));
    listings.delete(key.keyId);
    if (some.length === AT_ONCE) await settle();
  }
  await settle();
  // Listings of keys that the table has deleted.
  const left = [...listings.values()].flat();
  for (const { pk, sk, keyHash } of left) {
    // A repeat of the creation may have given the key another secret meanwhile. Then its listing is correct.
    await commit(store, [deleteItem(store, { key: { pk, sk }, what: 'A listed key', seen: { keyHash } })]).catch(
      (error: unknown) => {
        if (!(error instanceof StaleError)) throw error;
      },
    );
  }
  await markListed(store, projectId);
  return corrected + left.length;
}

/** The listings of a project, by key. */
async function readListings(store: AccountStore, accountId: string, projectId: string) {
  const found = new Map<string, KeyListing[]>();
  for await (const item of itemsFrom(store, accountItemKey.keyListing(accountId, projectId, ''))) {
    const listing = item as unknown as KeyListing;
    const keyId = listing.sk.slice(listing.sk.lastIndexOf('#') + 1);
    found.set(keyId, [...(found.get(keyId) ?? []), listing]);
  }
  return found;
}

/** Gives a key its correct listing, and no other. Returns whether something was wrong. */
async function correct(
  store: AccountStore,
  accountId: string,
  seen: LocatedKey,
  listings: readonly KeyListing[],
): Promise<boolean> {
  const isRight = (key: LocatedKey, { sk, keyHash }: KeyListing): boolean =>
    sk === listingOf(accountId, key).sk && keyHash === hashOf(key);
  if (listings.length === 1 && listings.every((listing) => isRight(seen, listing)) && seen.ttl === ttlOf(seen)) {
    return false;
  }
  await retryWhileStale(store, async () => {
    const key = await readItem<LocatedKey>(store, { pk: seen.pk, sk: seen.sk });
    // The key got another secret, with a listing, or was deleted.
    if (!key) return;
    const right = listingOf(accountId, key);
    await commit(store, [
      ...timed(store, key),
      listKey(store, accountId, key, hashOf(key)),
      ...listings.filter(({ sk }) => sk !== right.sk).map(({ pk, sk }) => unlistKey(store, { pk, sk })),
    ]);
  });
  return true;
}

/** Sets the expiry of key and reference after the key's end, on condition that the end is as read. */
function timed(store: AccountStore, key: LocatedKey): Change[] {
  const { pk, sk, projectId, keyId, revokedAt, expiresAtMs } = key;
  const what = `Key ${keyId}`;
  const after = { ttl: ttlOf(key) };
  return [
    replaceAttributes(store, { key: { pk, sk }, what, seen: { revokedAt, expiresAtMs }, after }),
    replaceAttributes(store, {
      key: itemKey.keyReference(projectId, keyId),
      what,
      seen: { keyHash: hashOf(key) },
      after,
    }),
  ];
}

/** Marks the keys of a project as completely listed. Active keys without an item are counted first. */
const markListed = (store: AccountStore, projectId: string): Promise<void> =>
  retryWhileStale(store, async () => {
    const command = new UpdateCommand({
      TableName: store.tables.gateway,
      Key: accountItemKey.activeKeys(projectId),
      UpdateExpression: 'SET #listed = :true',
      ConditionExpression: 'attribute_exists(#keys)',
      ExpressionAttributeNames: names('listed', 'keys'),
      ExpressionAttributeValues: { ':true': true },
    });
    try {
      await writeItem(store, () => store.client.send(command, callOptions(store)));
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      throw new StaleError(`Project ${projectId}`, () => countFirst(store, projectId));
    }
  });
