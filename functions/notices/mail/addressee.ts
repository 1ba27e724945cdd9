import { accountItemKey } from '../../accounts/store/account-items.ts';
import type { StoredAccount } from '../../accounts/team/accounts.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { canBeAccepted, type StoredInvitation } from '../../accounts/team/invitation-items.ts';
import type { MailScope } from '../../accounts/mail/mailed-addresses.ts';
import { ownerMailsOf, type StoredOwnerMails } from '../../accounts/team/owner-mails.ts';
import type { StoredMember } from '../../accounts/team/stored-members.ts';
import type { StoredUser } from '../../accounts/people/users.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';
import { isDeliverable, isPlainAddress, MAX_ADDRESS_CHARACTERS } from '../../shared/address.ts';
import type { MailMessage } from '../message.ts';
import type { Notice } from '../notice.ts';
import { OWNER_KINDS, type Recipient } from './contents.ts';

/** The recipient of a mail, as of now. */
export interface Addressee {
  readonly email: string;
  readonly recipient: Recipient;
  readonly scope: MailScope;
  /** For the team page. Undefined: the person is not a member any more. */
  readonly memberId: string | undefined;
  readonly account: StoredAccount;
  readonly invitation?: StoredInvitation;
}

/**
 * One address in ASCII. No character in it makes a mail program or SES read two addresses or a name (RFC 5321, section
 * 4.1.2).
 */
const ADDRESS =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

/**
 * The addressee of a mail. Undefined: the mail is not valid any more. The invitation was withdrawn or answered, or the
 * person is not an owner any more, does not want such mails, made the change, or has no verified address.
 */
export async function addresseeOf(
  store: AccountStore,
  notice: Notice,
  to: MailMessage['to'],
): Promise<Addressee | undefined> {
  const account = await readItem<StoredAccount & StoredOwnerMails>(store, itemKey.account(notice.accountId));
  if (!account || account.status === 'closed') return undefined;
  const found =
    'userId' in to
      ? await formerMember(store, notice, to.userId)
      : notice.type === 'invitation.created' && notice.memberId === to.memberId
        ? await invited(store, notice, to.memberId)
        : await member(store, notice, to.memberId, account);
  if (!found || !isOneAddress(found.email)) return undefined;
  return { ...found, account };
}

const isOneAddress = (email: string): boolean =>
  email.length <= MAX_ADDRESS_CHARACTERS && ADDRESS.test(email) && isPlainAddress(email) && isDeliverable(email);

type Found = Omit<Addressee, 'account'> | undefined;

async function invited(store: AccountStore, { accountId }: Notice, memberId: string): Promise<Found> {
  const asked = await readItem<StoredMember>(store, accountItemKey.member(accountId, memberId));
  if (asked?.status !== 'invited' || asked.email === null) return undefined;
  const invitation = await readItem<StoredInvitation>(store, accountItemKey.invitation(asked.email, accountId));
  if (!canBeAccepted(invitation, store.clock.now()) || invitation.memberId !== memberId) return undefined;
  return { email: asked.email, recipient: 'invited', scope: 'invitations', memberId, invitation };
}

async function formerMember(store: AccountStore, { accountId, actor }: Notice, userId: string): Promise<Found> {
  const email = await verifiedAddress(store, userId);
  if (email === undefined || actor === `user:${userId}`) return undefined;
  return { email, recipient: 'oneself', scope: accountId as MailScope, memberId: undefined };
}

async function member(
  store: AccountStore,
  notice: Notice,
  memberId: string,
  account: StoredOwnerMails,
): Promise<Found> {
  const { accountId, actor, type } = notice;
  const stored = await readItem<StoredMember>(store, accountItemKey.member(accountId, memberId));
  if (stored?.status !== 'active' || stored.userId === undefined || actor === `user:${stored.userId}`) return undefined;
  const recipient: Recipient = type === 'member.role_changed' && notice.memberId === memberId ? 'oneself' : 'owner';
  const kind = OWNER_KINDS[type];
  if (recipient === 'owner' && (stored.role !== 'owner' || (kind && !ownerMailsOf(account)[kind]))) return undefined;
  const email = await verifiedAddress(store, stored.userId);
  return email === undefined ? undefined : { email, recipient, scope: accountId as MailScope, memberId };
}

/** The verified address of the person, as of the last sign-in. */
async function verifiedAddress(store: AccountStore, userId: string): Promise<string | undefined> {
  const user = await readItem<StoredUser>(store, accountItemKey.user(userId));
  return user?.emailVerified ? user.email : undefined;
}
