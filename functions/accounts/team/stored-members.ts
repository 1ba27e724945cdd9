import { accountItemKey } from '../store/account-items.ts';
import { maySeeAccount, authorityRefusal } from '../authority/authority.ts';
import type { AccountStore } from '../store/account-store.ts';
import { notFound, type RefusedError } from '../store/refusals.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { itemsFrom, readItem } from '../../shared/store/tables.ts';
import type { MemberRole } from '../../shared/choices.ts';

/** A member of an account, or an invited person. */
export interface StoredMember {
  readonly memberId: string;
  /** Null: the provider gives none. */
  readonly email: string | null;
  readonly name?: string;
  readonly role: MemberRole;
  readonly status: 'active' | 'invited';
  /** The person; only for an active member. */
  readonly userId?: string;
  readonly createdAt: string;
}

/** A member for display. */
export const memberView = ({ memberId, email, name, role, status, createdAt }: StoredMember) => ({
  memberId,
  email,
  name: name ?? null,
  role,
  status,
  createdAt,
});

/**
 * The members of an account, in the order of their ids; none for an unknown account. The next page is read when the
 * iteration needs it.
 */
export async function* listMembers(store: AccountStore, accountId: string): AsyncGenerator<StoredMember> {
  const all = accountItemKey.member(accountId, '');
  for await (const { pk, sk, ...member } of itemsFrom<ItemKey & StoredMember>(store, all)) yield member;
}

/** One member. Throws `RefusedError` when it does not exist, or not for the caller. */
export async function readMember(store: AccountStore, accountId: string, memberId: string): Promise<StoredMember> {
  const member = await readItem<StoredMember>(store, accountItemKey.member(accountId, memberId));
  if (!member || !maySeeAccount(store, accountId)) throw noSuchMember(accountId, memberId);
  return member;
}

/** Throws `RefusedError` unless the caller is an active owner of the account. */
export async function requireOwner(store: AccountStore): Promise<void> {
  const { userId = '', membership } = store.caller ?? {};
  if (!membership) throw new Error('who is no member of an account is not asked for a role');
  const key = accountItemKey.member(membership.accountId, membership.memberId);
  const refusal = authorityRefusal(await readItem(store, key), userId, 'owner');
  if (refusal) throw refusal;
}

/** The refusal of an unknown member. */
export const noSuchMember = (accountId: string, memberId: string): RefusedError =>
  notFound(`There is no member ${memberId} in account ${accountId}.`);
