import { isoTime } from '../../shared/time.ts';
import { generateId } from '../../shared/ids.ts';
import { noSuchAccount, NOTHING_COUNTED } from './account-counts.ts';
import { audited } from '../authority/audit.ts';
import { edit, type Edit } from '../authority/edit.ts';
import { maySeeAccount } from '../authority/authority.ts';
import { commit, create } from '../store/transact.ts';
import type { Change, AccountStore } from '../store/account-store.ts';
import type { Value } from '../store/expressions.ts';
import { notFound } from '../store/refusals.ts';
import { ACCOUNTS_PARTITION, itemKey, type ItemKey } from '../../shared/store/items.ts';
import { queryOf, readItem, readItems } from '../../shared/store/tables.ts';
import { queryItems } from '../../shared/store/client.ts';

/** A developer's account, which owns projects. Name and address may be a person's. */
export interface AccountDetails {
  readonly name: string;
  /** Null: unknown. */
  readonly email: string | null;
}

/** An account as stored. */
export interface StoredAccount extends AccountDetails {
  readonly accountId: string;
  readonly createdAt: string;
  /** Absent: open. */
  readonly status?: 'closed';
}

/** Creates an account, with its entry in the list of accounts, and returns its id. */
export async function createAccount(store: AccountStore, details: AccountDetails): Promise<string> {
  const accountId = generateId('acc', store.randomBytes);
  await commit(store, [
    ...newAccount(store, accountId, details),
    await audited(store, 'account.create', { accountId }, { before: null, after: {} }),
  ]);
  return accountId;
}

/** The items of an account without members. Its counts and other attributes may be given. */
export function newAccount(
  store: AccountStore,
  accountId: string,
  { name, email }: AccountDetails,
  more: object = NOTHING_COUNTED,
  refusal?: Change['refusal'],
): Change[] {
  const createdAt = isoTime(store.clock.now());
  const item = { ...itemKey.account(accountId), accountId, name, email, createdAt, ...more };
  return [create(store, item, refusal), create(store, { ...itemKey.accountListing(accountId), accountId })];
}

/** Changes the name, the address or both. People need the role owner. Throws `RefusedError` for an unknown account. */
export const updateAccount = (
  store: AccountStore,
  accountId: string,
  changes: Partial<AccountDetails>,
): Promise<StoredAccount> =>
  editAccount<object>(
    store,
    accountId,
    ({ name, email }) => ({ name: changes.name ?? name, email: changes.email ?? email }),
    ['name', 'email'],
  );

/**
 * Changes attributes of an open account. People need the role owner. Throws `RefusedError` for an account that does not
 * exist, or is closed.
 * @param reads what `decide` reads and does not change
 * @param alsoWrites further writes of the same change
 */
export const editAccount = <T extends object>(
  store: AccountStore,
  accountId: string,
  decide: (account: StoredAccount & T) => Readonly<Record<string, Value>>,
  reads: readonly (keyof (StoredAccount & T) & string)[] = [],
  alsoWrites: Edit<StoredAccount & T>['alsoWrites'] = () => [],
): Promise<StoredAccount & T> =>
  edit<StoredAccount & T>(store, {
    key: () => itemKey.account(accountId),
    what: `Account ${accountId}`,
    absent: () => noSuchAccount(accountId),
    authority: 'owner',
    action: 'account.update',
    subject: () => ({ accountId }),
    decide: (account) => {
      if (account.status === 'closed') throw notFound(`Account ${accountId} is closed.`);
      return decide(account);
    },
    dependsOn: ['status', ...reads],
    personal: ['name', 'email'],
    alsoWrites,
  });

/** One account. Throws `RefusedError` when it does not exist, or when a person is not in it. */
export async function readAccount(store: AccountStore, accountId: string): Promise<StoredAccount> {
  const account = await readItem<StoredAccount>(store, itemKey.account(accountId));
  if (!account || !maySeeAccount(store, accountId)) throw noSuchAccount(accountId);
  return account;
}

/** All accounts, in the order of their ids. The next page is read when the iteration needs it. */
export const readAccounts = (store: AccountStore): AsyncGenerator<StoredAccount> =>
  readItems<StoredAccount>(store, accountKeys(store));

async function* accountKeys(store: AccountStore): AsyncGenerator<ItemKey> {
  for await (const accountId of listAccounts(store)) yield itemKey.account(accountId);
}

/** The ids of all accounts, in order. The next page is read when the iteration needs it. */
export async function* listAccounts({ client, tables }: AccountStore): AsyncGenerator<string> {
  const listing = queryItems<{ accountId: string }>(client, queryOf(tables.gateway, ACCOUNTS_PARTITION));
  for await (const { accountId } of listing) yield accountId;
}
