import { isoTime, MS_PER_DAY, MS_PER_SECOND } from '../core/clock.ts';
import { ABSENT, names, type ItemKey } from '../store/items.ts';
import { accountItemKey } from './account-items.ts';
import type { Change, AccountStore } from './account-store.ts';
import { StaleError } from './refusals.ts';
import type { StoredMember } from './stored-members.ts';

/** How long an invitation can be accepted. */
const INVITATION_MS = 14 * MS_PER_DAY;

/** Who invites: a person of the account, under a name that they chose; or an operator. */
export type InvitedByKind = 'person' | 'operator';

/**
 * An invitation as stored, under its address: once by its account, by which it is answered, and once by its end, by which
 * it is listed. The role is at the member, who may get another one meanwhile.
 */
export interface StoredInvitation {
  readonly accountId: string;
  readonly memberId: string;
  /** Name or address of who invited, as they say it is; or `operator`. */
  readonly invitedBy: string;
  /** Absent: from before it was noted. */
  readonly invitedByKind?: InvitedByKind;
  /** The person who invites, so that their name can be taken out of it. Absent: the platform team, or as above. */
  readonly inviterId?: string;
  readonly expiresAtMs: number;
  /** When the table may delete it, in epoch seconds. Absent: from before there were lists; it is in none. */
  readonly ttl?: number;
}

/** Whether an invitation can still be accepted: checked wherever one is read, since the table's TTL deletes days late. */
export const isAlive = (invitation: StoredInvitation | undefined, nowMs: number): invitation is StoredInvitation =>
  invitation !== undefined && nowMs < invitation.expiresAtMs;

/** An invitation that is made now. */
export function newInvitation(
  nowMs: number,
  details: Pick<StoredInvitation, 'accountId' | 'memberId' | 'invitedBy' | 'invitedByKind' | 'inviterId'>,
): StoredInvitation {
  const expiresAtMs = nowMs + INVITATION_MS;
  return { ...details, expiresAtMs, ttl: Math.ceil(expiresAtMs / MS_PER_SECOND) };
}

/** Puts an invitation in place of none, or of one that has expired; and lists it. */
export function putInvitation({ clock, tables }: AccountStore, email: string, invitation: StoredInvitation): Change[] {
  const { accountId, expiresAtMs } = invitation;
  return [
    {
      write: {
        Put: {
          TableName: tables.gateway,
          Item: { ...accountItemKey.invitation(email, accountId), ...invitation },
          ConditionExpression: `${ABSENT} OR #expiresAtMs <= :now`,
          ExpressionAttributeNames: names('expiresAtMs'),
          ExpressionAttributeValues: { ':now': clock.now() },
        },
      },
      refusal: () => new StaleError(`The team of account ${accountId}`),
    },
    {
      write: {
        Put: { TableName: tables.gateway, Item: { ...listingAt(email, accountId, expiresAtMs), ...invitation } },
      },
    },
  ];
}

/** Deletes an invitation, if it is this member's. */
export const invitationEnd = (
  { tables }: AccountStore,
  accountId: string,
  email: string,
  memberId: string,
): Change => ({
  write: {
    Delete: {
      TableName: tables.gateway,
      Key: accountItemKey.invitation(email, accountId),
      ConditionExpression: `${ABSENT} OR #memberId = :memberId`,
      ExpressionAttributeNames: names('memberId'),
      ExpressionAttributeValues: { ':memberId': memberId },
    },
  },
  refusal: () => new StaleError(`Member ${memberId}`),
});

/**
 * Takes the invitation of a member-to-be off the list of its address, whether it is there or not. Not when an account is
 * closed, whose transaction has no room for it: what is left then is in no list, and goes at its end.
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
