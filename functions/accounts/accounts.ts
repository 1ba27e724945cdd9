import { isoTime } from '../core/clock.ts';
import { generateAccountId } from '../core/ids.ts';
import { noSuchAccount, NOTHING_COUNTED } from './account-counts.ts';
import { audited } from './audit.ts';
import { isWithin } from './callers.ts';
import { commit, create, type Change, type ControlPlane } from './control-plane.ts';
import { edit } from './edits.ts';
import { notFound } from './refusals.ts';
import { readItem, readItems } from '../store/items.ts';
import { queryItems } from '../store/client.ts';
import { itemKey, names, type ItemKey } from '../store/table-items.ts';

/** A developer's account, which owns projects. Name and address may be a person's. */
export interface AccountDetails {
  readonly name: string;
  /** Null: not known. */
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
export async function createAccount(plane: ControlPlane, details: AccountDetails): Promise<string> {
  const accountId = generateAccountId(plane.randomBytes);
  await commit(plane, [
    ...newAccount(plane, accountId, details),
    await audited(plane, 'account.create', { accountId }, { before: null, after: {} }),
  ]);
  return accountId;
}

/** The items of an account without members; its counts, and more that is stored with it, may be given. */
export function newAccount(
  plane: ControlPlane,
  accountId: string,
  { name, email }: AccountDetails,
  more: object = NOTHING_COUNTED,
  refusal?: Change['refusal'],
): Change[] {
  const createdAt = isoTime(plane.clock.now());
  const item = { ...itemKey.account(accountId), accountId, name, email, createdAt, ...more };
  return [create(plane, item, refusal), create(plane, { ...itemKey.accountListing(accountId), accountId })];
}

/** Changes the name, the address or both; of persons an owner may. Throws `ControlPlaneError` for an unknown account. */
export const updateAccount = (
  plane: ControlPlane,
  accountId: string,
  changes: Partial<AccountDetails>,
): Promise<StoredAccount> =>
  edit<StoredAccount>(plane, {
    key: () => itemKey.account(accountId),
    what: `Account ${accountId}`,
    absent: () => noSuchAccount(accountId),
    authority: 'owner',
    action: 'account.update',
    subject: () => ({ accountId }),
    decide: ({ name, email, status }) => {
      if (status === 'closed') throw notFound(`Account ${accountId} is closed.`);
      return { name: changes.name ?? name, email: changes.email ?? email };
    },
    reliesOn: ['name', 'email', 'status'],
    personal: ['name', 'email'],
  });

/** One account. Throws `ControlPlaneError` when there is none, and where a person asks for another than theirs. */
export async function readAccount(plane: ControlPlane, accountId: string): Promise<StoredAccount> {
  const account = await readItem<StoredAccount>(plane, itemKey.account(accountId));
  if (!account || !isWithin(plane, accountId)) throw noSuchAccount(accountId);
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
