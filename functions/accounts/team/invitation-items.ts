import { isoTime, MS_PER_DAY, ttlAt } from '../../shared/time.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { Change, AccountStore } from '../store/account-store.ts';
import { conditionOf, NO_ITEM, putOf } from '../store/writes.ts';
import { atMost } from '../store/expressions.ts';
import { StaleError } from '../store/refusals.ts';
import type { StoredMember } from './stored-members.ts';

/** How long an invitation can be accepted. */
const INVITATION_MS = 14 * MS_PER_DAY;

/** The inviter: a person of the account, under a name that they chose, or an operator. */
type InvitedByKind = 'person' | 'operator';

/**
 * An invitation as stored, under its address: once by its account, to be answered, and once by its end, to be listed.
 * The role is in the member's item, since it may change meanwhile.
 */
export interface StoredInvitation {
  readonly accountId: string;
  readonly memberId: string;
  /** Name or address of the inviter, as the inviter gives it; or `operator`. */
  readonly invitedBy: string;
  readonly invitedByKind: InvitedByKind;
  /** The inviting person, so that their name can be removed later. Absent: the platform team. */
  readonly inviterId?: string;
  readonly expiresAtMs: number;
  /** When the table may delete it, in epoch seconds. */
  readonly ttl: number;
}

/** Whether an invitation can still be accepted. Every read checks it, since TTL deletes days late. */
export const canBeAccepted = (
  invitation: StoredInvitation | undefined,
  nowMs: number,
): invitation is StoredInvitation => invitation !== undefined && nowMs < invitation.expiresAtMs;

/** A new invitation. */
export function newInvitation(
  nowMs: number,
  details: Pick<StoredInvitation, 'accountId' | 'memberId' | 'invitedBy' | 'invitedByKind' | 'inviterId'>,
): StoredInvitation {
  const expiresAtMs = nowMs + INVITATION_MS;
  return { ...details, expiresAtMs, ttl: ttlAt(expiresAtMs) };
}

/** Puts an invitation, if there is none or an expired one, and lists it. */
export function putInvitation(store: AccountStore, email: string, invitation: StoredInvitation): Change[] {
  const { accountId, expiresAtMs } = invitation;
  const item = { ...accountItemKey.invitation(email, accountId), ...invitation };
  return [
    {
      write: { Put: putOf(store, item, NO_ITEM, { expiresAtMs: atMost(store.clock.now()) }) },
      refusal: () => new StaleError(`The team of account ${accountId}`),
    },
    {
      write: {
        Put: { TableName: store.tables.gateway, Item: { ...listingAt(email, accountId, expiresAtMs), ...invitation } },
      },
    },
  ];
}

/** Deletes an invitation, if it is this member's. */
export const invitationEnd = (store: AccountStore, accountId: string, email: string, memberId: string): Change => ({
  write: { Delete: conditionOf(store, accountItemKey.invitation(email, accountId), NO_ITEM, { memberId }) },
  refusal: () => new StaleError(`Member ${memberId}`),
});

/**
 * Deletes the invitation of an invited member from the list of its address, whether it is there or not. The closing of
 * an account does not do that, since its transaction has no room. Entries that remain are not shown, and expire.
 */
export function unlistInvitation(
  { tables }: AccountStore,
  accountId: string,
  { email, status, createdAt }: StoredMember,
): Change[] {
  if (email === null || status === 'active') return [];
  const Key = listingAt(email, accountId, Date.parse(createdAt) + INVITATION_MS);
  return [{ write: { Delete: { TableName: tables.gateway, Key } } }];
}

const listingAt = (email: string, accountId: string, expiresAtMs: number): ItemKey =>
  accountItemKey.invitationListing(email, `${isoTime(expiresAtMs)}#${accountId}`);
