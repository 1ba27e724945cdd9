import { itemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';
import { noSuchAccount } from './account-counts.ts';
import type { AccountStore } from '../store/account-store.ts';
import { editAccount } from './accounts.ts';

/** The kinds of mail that the owners of an account can switch off. */
const OWNER_MAIL_KINDS = ['quota', 'keys', 'team'] as const;
export type OwnerMailKind = (typeof OWNER_MAIL_KINDS)[number];

/** Which mails the owners of an account get. */
export type OwnerMails = Readonly<Record<OwnerMailKind, boolean>>;

/** The same as attributes of an account. Absent: they get them. */
export interface StoredOwnerMails {
  readonly mailsQuota?: boolean;
  readonly mailsKeys?: boolean;
  readonly mailsTeam?: boolean;
}

/** Which mails the owners of an account get, as stored. */
export const ownerMailsOf = ({ mailsQuota, mailsKeys, mailsTeam }: StoredOwnerMails): OwnerMails => ({
  quota: mailsQuota ?? true,
  keys: mailsKeys ?? true,
  team: mailsTeam ?? true,
});

const storedOwnerMails = ({ quota, keys, team }: Partial<OwnerMails>): Readonly<Record<string, boolean>> => ({
  ...(quota !== undefined && { mailsQuota: quota }),
  ...(keys !== undefined && { mailsKeys: keys }),
  ...(team !== undefined && { mailsTeam: team }),
});

/** Which mails the owners of an account get. Throws `RefusedError` for an account that does not exist. */
export async function readOwnerMails(store: AccountStore, accountId: string): Promise<OwnerMails> {
  const account = await readItem<StoredOwnerMails>(store, itemKey.account(accountId));
  if (!account) throw noSuchAccount(accountId);
  return ownerMailsOf(account);
}

/** Changes which mails the owners of an account get. Absent: unchanged. People need the role owner. */
export const updateOwnerMails = async (
  store: AccountStore,
  accountId: string,
  changes: Partial<Record<OwnerMailKind, boolean | undefined>>,
): Promise<OwnerMails> =>
  ownerMailsOf(
    await editAccount<StoredOwnerMails>(store, accountId, (account) => {
      const before = ownerMailsOf(account);
      const changed = OWNER_MAIL_KINDS.filter((kind) => changes[kind] !== undefined && changes[kind] !== before[kind]);
      return storedOwnerMails(Object.fromEntries(changed.map((kind) => [kind, changes[kind]])));
    }),
  );
