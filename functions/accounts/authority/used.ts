import { MS_PER_DAY, MS_PER_SECOND, ttlAt } from '../../shared/time.ts';
import { keyedHash, type KeyTagSecrets } from '../../shared/credentials/api-key.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { readTogether } from '../../shared/store/tables.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { Caller, Change, AccountStore } from '../store/account-store.ts';
import { conditionOf, deleteItem, NO_ITEM, updateOf } from '../store/writes.ts';
import { StaleError } from '../store/refusals.ts';

/**
 * How long the number of created accounts is kept after a person was deleted. For this time nobody gets more accounts
 * by deleting their profile. It is not longer, because this is personal data.
 */
const KEPT_MS = 90 * MS_PER_DAY;

/**
 * The id under which a person's use of limits is counted: the identity at the provider, hashed under a secret of the
 * stage. It does not end with the profile, and reveals nobody without the secret.
 */
export async function usedBy(
  { keyTagSecrets }: Pick<AccountStore, 'keyTagSecrets'>,
  { identityHash }: Pick<Caller, 'identityHash'>,
): Promise<string> {
  const [newest] = await keyTagSecrets();
  return usedUnder(newest, identityHash);
}

/**
 * The same under the first and the last secret of the stage, with the secret of each. A count that must not begin again
 * is one under both: of two lists that follow each other in a change of the secret, one has the first or the last
 * secret of the other. They are in one order, however the list is.
 */
export async function usedByUnderEach(
  { keyTagSecrets }: Pick<AccountStore, 'keyTagSecrets'>,
  { identityHash }: Pick<Caller, 'identityHash'>,
): Promise<{ readonly secret: KeyTagSecrets[0]; readonly id: string }[]> {
  const secrets = await keyTagSecrets();
  const each = [secrets[0], ...secrets.slice(1).slice(-1)].map((secret) => ({
    secret,
    id: usedUnder(secret, identityHash),
  }));
  return each.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

const usedUnder = (secret: KeyTagSecrets[0], identityHash: string): string =>
  keyedHash(secret, 'use of limits', [identityHash]).toString('hex');

/** A deleted person's use of limits. */
interface Remainder {
  readonly accountsCreated: number;
  /** In epoch seconds. It is checked in code, because TTL deletes days later. */
  readonly ttl: number;
}

/** Stores the number of created accounts, as part of the change that deletes the person. */
export async function leavesRemainder(
  store: AccountStore,
  person: Pick<Caller, 'identityHash'>,
  accountsCreated: number,
): Promise<Change[]> {
  if (accountsCreated === 0) return [];
  const ttl = ttlAt(store.clock.now() + KEPT_MS);
  const key = accountItemKey.remainder(await usedBy(store, person));
  return [{ write: { Update: updateOf(store, { key, set: { ttl }, add: { accountsCreated } }) } }];
}

/**
 * The number of accounts that a new person created before deleting their profile, and the part of a change that takes
 * it over. It fails if another deletion was made in between. It is found under every secret of the stage, not only
 * under the newest.
 */
export async function takenOver(
  store: AccountStore,
  identityHash: string,
): Promise<{ accountsCreated: number; changes: Change[] }> {
  const secrets = await store.keyTagSecrets();
  const keys = secrets.map((secret) => accountItemKey.remainder(usedUnder(secret, identityHash)));
  const found = await readTogether<Remainder>(store, keys);
  const nowSeconds = store.clock.now() / MS_PER_SECOND;
  const alive = found.filter((remainder) => remainder !== undefined).filter(({ ttl }) => nowSeconds < ttl);
  return {
    accountsCreated: alive.reduce((sum, { accountsCreated }) => sum + accountsCreated, 0),
    changes: keys.map((key, i) => taken(store, key, found[i])),
  };
}

/** Deletes a remainder, if it is as read. If there was none, there must be none. */
function taken(store: AccountStore, key: ItemKey, seen: Remainder | undefined): Change {
  const what = 'This person';
  if (seen) return deleteItem(store, { key, what, seen: { accountsCreated: seen.accountsCreated, ttl: seen.ttl } });
  return { write: { ConditionCheck: conditionOf(store, key, NO_ITEM) }, refusal: () => new StaleError(what) };
}
