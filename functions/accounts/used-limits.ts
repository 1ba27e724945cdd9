import { MS_PER_DAY, MS_PER_SECOND } from '../core/clock.ts';
import { keyedHash, type KeyTagSecrets } from '../core/api-key.ts';
import { readTogether, ABSENT, names, type ItemKey } from '../store/items.ts';
import { accountItemKey } from './account-items.ts';
import type { Caller, Change, AccountStore } from './account-store.ts';
import { deleteItem } from './conditional-writes.ts';
import { StaleError } from './refusals.ts';

/**
 * How long it is kept of a person who is no more how many accounts they created. For this long nobody gets others by
 * deleting their profile; and no longer, since it is personal data that they have not asked to be kept.
 */
const KEPT_MS = 90 * MS_PER_DAY;

/**
 * Under what the use of limits of a person is counted: their identity at the provider, hashed under a secret of the stage.
 * It does not end with the profile, and tells nobody without the secret whose it is. Of a person whose identity is not
 * noted yet, the user id in its place.
 */
export async function usedBy(
  { keyTagSecrets }: Pick<AccountStore, 'keyTagSecrets'>,
  { userId, identityHash = userId }: Pick<Caller, 'userId' | 'identityHash'>,
): Promise<string> {
  const [newest] = await keyTagSecrets();
  return usedUnder(newest, identityHash);
}

const usedUnder = (secret: KeyTagSecrets[0], identityHash: string): string =>
  keyedHash(secret, 'use of limits', [identityHash]).toString('hex');

/** What is left of the use of limits of a person who is no more. */
interface Remainder {
  readonly accountsCreated: number;
  /** Epoch seconds; checked in code, since the table's TTL deletes days late. */
  readonly ttl: number;
}

/** Leaves behind of a person, with the change that deletes them, how many accounts they have created. */
export async function leavesRemainder(
  store: AccountStore,
  person: Pick<Caller, 'userId' | 'identityHash'>,
  accountsCreated: number,
): Promise<Change[]> {
  if (accountsCreated === 0) return [];
  const ttl = Math.ceil((store.clock.now() + KEPT_MS) / MS_PER_SECOND);
  return [
    {
      write: {
        Update: {
          TableName: store.tables.gateway,
          Key: accountItemKey.remainder(await usedBy(store, person)),
          UpdateExpression: 'SET #accountsCreated = if_not_exists(#accountsCreated, :zero) + :created, #ttl = :ttl',
          ExpressionAttributeNames: names('accountsCreated', 'ttl'),
          ExpressionAttributeValues: { ':zero': 0, ':created': accountsCreated, ':ttl': ttl },
        },
      },
    },
  ];
}

/**
 * How many accounts a new person has created as who they were before, and the part of a change that takes this over: it
 * fails where another deletion of theirs came in between. Found under every secret of the stage, not the newest alone.
 */
export async function takenOver(
  store: AccountStore,
  identityHash: string,
): Promise<{ accountsCreated: number; changes: Change[] }> {
  const secrets = await store.keyTagSecrets();
  const keys = secrets.map((secret) => accountItemKey.remainder(usedUnder(secret, identityHash)));
  const found = (await readTogether(store, keys)) as (Remainder | undefined)[];
  const nowSeconds = store.clock.now() / MS_PER_SECOND;
  const alive = found.filter((remainder) => remainder !== undefined && nowSeconds < remainder.ttl) as Remainder[];
  return {
    accountsCreated: alive.reduce((sum, { accountsCreated }) => sum + accountsCreated, 0),
    changes: keys.map((key, i) => taken(store, key, found[i])),
  };
}

/** Takes a remainder away that is as it was seen; where there was none, there must be none. */
function taken(store: AccountStore, key: ItemKey, seen: Remainder | undefined): Change {
  const what = 'This person';
  if (seen) return deleteItem(store, { key, what, seen: { accountsCreated: seen.accountsCreated, ttl: seen.ttl } });
  const check = { TableName: store.tables.gateway, Key: key, ConditionExpression: ABSENT };
  return { write: { ConditionCheck: check }, refusal: () => new StaleError(what) };
}
