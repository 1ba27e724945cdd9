import { accountItemKey } from './account-items.ts';
import { isWithin, authorityRefusal } from './changes.ts';
import type { AccountStore } from './account-store.ts';
import { notFound, type RefusedError } from './refusals.ts';
import { itemsFrom, readItem } from '../store/items.ts';

/** What a person may do in an account; the portal holds to it, the gateway knows keys only. */
export const MEMBER_ROLES = ['owner', 'member'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** A person who belongs to an account, or is invited to. */
export interface StoredMember {
  readonly memberId: string;
  /** Null: the provider does not tell. */
  readonly email: string | null;
  readonly name?: string;
  readonly role: MemberRole;
  /** Absent: invited, before there were invitations that can be accepted. */
  readonly status?: 'active' | 'invited';
  /** Who it is: of an active member only. */
  readonly userId?: string;
  readonly createdAt: string;
}

/** What is shown of a member. */
export const memberView = ({ memberId, email, name, role, status, createdAt }: StoredMember) => ({
  memberId,
  email,
  name: name ?? null,
  role,
  status: status ?? ('invited' as const),
  createdAt,
});

/** The members of an account, in the order of their ids, read page by page as they are taken; none for an unknown account. */
export async function* listMembers(store: AccountStore, accountId: string): AsyncGenerator<StoredMember> {
  for await (const { pk, sk, ...member } of itemsFrom(store, accountItemKey.member(accountId, ''))) {
    yield member as unknown as StoredMember;
  }
}

/** One member. Throws `RefusedError` when there is none, or none that the person who asks may know of. */
export async function readMember(store: AccountStore, accountId: string, memberId: string): Promise<StoredMember> {
  const member = await readItem<StoredMember>(store, accountItemKey.member(accountId, memberId));
  if (!member || !isWithin(store, accountId)) throw noSuchMember(accountId, memberId);
  return member;
}

/** Throws `RefusedError` unless the person who asks is an active owner of the account that they ask about. */
export async function requireOwner(store: AccountStore): Promise<void> {
  const { userId = '', membership } = store.caller ?? {};
  if (!membership) throw new Error('who is no member of an account is not asked for a role');
  const key = accountItemKey.member(membership.accountId, membership.memberId);
  const refusal = authorityRefusal(await readItem(store, key), userId, 'owner');
  if (refusal) throw refusal;
}

/** What is said of an unknown member. */
export const noSuchMember = (accountId: string, memberId: string): RefusedError =>
  notFound(`There is no member ${memberId} in account ${accountId}.`);
