import { isoTime } from '../core/clock.ts';
import { generateAccountId } from '../core/ids.ts';
import { audited } from './audit.ts';
import { commit, ControlPlaneError, create, type ControlPlane } from './control-plane.ts';
import { edit } from './edits.ts';
import { readItem, readItems } from '../store/items.ts';
import { queryItems } from '../store/client.ts';
import { itemKey, names, type ItemKey } from '../store/table-items.ts';

/** A developer's account, which owns projects. Name and address may be a person's. */
export interface AccountDetails {
  readonly name: string;
  readonly email: string;
}

/** An account as stored. */
export interface StoredAccount extends AccountDetails {
  readonly accountId: string;
  readonly createdAt: string;
}

/** Creates an account, with its entry in the list of accounts, and returns its id. */
export async function createAccount(plane: ControlPlane, { name, email }: AccountDetails): Promise<string> {
  const accountId = generateAccountId(plane.randomBytes);
  const createdAt = isoTime(plane.clock.now());
  await commit(plane, [
    create(plane, { ...itemKey.account(accountId), accountId, name, email, createdAt }),
    create(plane, { ...itemKey.accountListing(accountId), accountId }),
    await audited(plane, 'account.create', { accountId }, { before: null, after: {} }),
  ]);
  return accountId;
}

/** Changes the name, the address or both. Throws `ControlPlaneError` for an unknown account. */
export const updateAccount = (
  plane: ControlPlane,
  accountId: string,
  changes: Partial<AccountDetails>,
): Promise<StoredAccount> =>
  edit<StoredAccount>(plane, {
    key: itemKey.account(accountId),
    what: `Account ${accountId}`,
    absent: noSuchAccount(accountId),
    action: 'account.update',
    subject: () => ({ accountId }),
    decide: ({ name, email }) => ({ name: changes.name ?? name, email: changes.email ?? email }),
    personal: ['name', 'email'],
  });

/** One account. Throws `ControlPlaneError` when there is none. */
export async function readAccount(plane: ControlPlane, accountId: string): Promise<StoredAccount> {
  const account = await readItem<StoredAccount>(plane, itemKey.account(accountId));
  if (!account) throw new ControlPlaneError(noSuchAccount(accountId));
  return account;
}

/** All accounts, in the order of their ids, read page by page as they are taken. */
export const readAccounts = (plane: ControlPlane): AsyncGenerator<StoredAccount> =>
  readItems<StoredAccount>(plane, accountKeys(plane));

async function* accountKeys(plane: ControlPlane): AsyncGenerator<ItemKey> {
  for await (const accountId of listAccounts(plane)) yield itemKey.account(accountId);
}

/** The ids of all accounts, in their order, read page by page as they are taken. */
export async function* listAccounts({ client, tables }: ControlPlane): AsyncGenerator<string> {
  const listing = queryItems(client, {
    TableName: tables.gateway,
    KeyConditionExpression: '#pk = :pk',
    ExpressionAttributeNames: names('pk'),
    ExpressionAttributeValues: { ':pk': itemKey.accountListing('').pk },
    ConsistentRead: true,
  });
  for await (const { accountId } of listing) yield accountId as string;
}

/** What an operator is told of an unknown account. */
export const noSuchAccount = (accountId: string): string => `There is no account ${accountId}.`;
