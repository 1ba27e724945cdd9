import { MS_PER_DAY, MS_PER_HOUR, MS_PER_SECOND, dayOf, ttlAt } from '../../shared/time.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';
import { accountItemKey } from '../../accounts/store/account-items.ts';
import type { AccountStore, Change } from '../../accounts/store/account-store.ts';
import { commit, create } from '../../accounts/store/transact.ts';
import { replaceAttributes, updateOf } from '../../accounts/store/writes.ts';
import { counted } from '../../accounts/store/counters.ts';
import type { AddressHash } from '../../accounts/mail/mailed-addresses.ts';
import type { Causes } from '../../accounts/team/invitation-bounces.ts';
import { absentOr, atMost } from '../../accounts/store/expressions.ts';
import { noticeItemKey } from '../../accounts/store/notice-items.ts';
import { RefusedError, StaleError } from '../../accounts/store/refusals.ts';
import { usedBy } from '../../accounts/authority/used.ts';
import type { StoredUser } from '../../accounts/people/users.ts';
import type { Notice } from '../notice.ts';
import type { Recipient } from './contents.ts';

/** The most mails in a UTC day that a stranger can cause (docs/using-the-portal.md, "Limits of the portal"). */
export const MAILS_IN_DAY = {
  /** Invitations to a mailbox, from all inviters and at all of its addresses. */
  address: 3,
  /** Invitations by an identity, in all accounts. */
  identity: 20,
  /** Invitations by an account. */
  account: 50,
  /** To a member of an account: quotas, keys and team. */
  member: 20,
  /** Of these, kept for what is urgent: a removal, a used up quota, an endpoint that is off, a key that ends. */
  urgent: 5,
  /** Beyond these, for the mail about one's own removal: nobody else can use them up. */
  removal: 3,
} as const;

/** How long a claim of a mail holds. After that another attempt takes over: the sender has died. */
const TAKEN_MS = 60_000;
/** How long sent mails are remembered: longer than a message is tried again, and than a day's count is kept. */
const KEPT_MS = 8 * MS_PER_DAY;

/** A mail that is sent once: one notice to one address. */
export interface MailClaim {
  readonly hash: AddressHash;
  /** The mailbox of the address: `mailboxHash`. */
  readonly mailbox: AddressHash;
  readonly noticeId: string;
  readonly accountId: string;
  readonly recipient: Recipient;
  /** Its kind and what it is about: {@link subjectOf}. */
  readonly subject: string;
  /** It may take one of the places that are kept. */
  readonly isUrgent: boolean;
  /** It tells a person of their own removal. */
  readonly isRemoval: boolean;
  /** Who caused an invitation. Absent: it is none, or its author does not exist any more. */
  readonly causes?: Causes | undefined;
}

/**
 * `taken`: the claim is ours. `busy`: another attempt sends the mail now. `recent`: another mail of its subject
 * was claimed within the hour. `limited`: a bound of the day is reached, or it is an invitation whose author does not
 * exist any more, so nobody can be counted.
 */
export type Claimed = 'taken' | 'busy' | 'recent' | 'limited';

interface StoredClaim {
  readonly takenUntilMs: number;
  readonly isSent?: boolean;
  readonly causes?: Causes;
}

/** The claim of a mail; undefined: no attempt has claimed it, or it is older than mails are remembered. */
export const readClaim = (
  store: AccountStore,
  claim: Pick<MailClaim, 'hash' | 'noticeId'>,
): Promise<StoredClaim | undefined> => readItem<StoredClaim>(store, keyOf(claim));

const keyOf = ({ hash, noticeId }: Pick<MailClaim, 'hash' | 'noticeId'>): ItemKey =>
  noticeItemKey.address(hash, `SENT#${noticeId}`);

/**
 * Claims a mail, so no other attempt sends it meanwhile. The same transaction counts it, so a repeat is not counted
 * again and parallel claims never exceed a bound.
 *
 * @param earlier the claim as read, of a mail that is not sent
 */
export async function takeMail(
  store: AccountStore,
  claim: MailClaim,
  earlier: StoredClaim | undefined,
): Promise<Claimed> {
  const nowMs = store.clock.now();
  const key = keyOf(claim);
  if (earlier && nowMs < earlier.takenUntilMs) return 'busy';
  if (!earlier && claim.recipient === 'invited' && !claim.causes) return 'limited';
  const takenUntilMs = nowMs + TAKEN_MS;
  const stale = (): RefusedError => new StaleError('This mail');
  const recent = new RefusedError('Such a mail was sent within the hour.');
  const changes = earlier
    ? [
        replaceAttributes(store, {
          key,
          what: 'This mail',
          seen: { takenUntilMs: earlier.takenUntilMs, isSent: undefined },
          after: { takenUntilMs },
        }),
      ]
    : [
        create(
          store,
          {
            ...key,
            takenUntilMs,
            ...(claim.causes && { causes: claim.causes }),
            ttl: ttlAt(nowMs + KEPT_MS),
          },
          stale,
        ),
        ...(claim.recipient === 'invited' ? [] : [firstOfHour(store, claim, nowMs, recent)]),
        ...countedMail(store, claim, nowMs),
      ];
  try {
    await commit(store, changes);
    return 'taken';
  } catch (error) {
    if (error instanceof StaleError) return 'busy';
    if (error === recent) return 'recent';
    if (error instanceof RefusedError && error.code === 'LIMIT_REACHED') return 'limited';
    throw error;
  }
}

/** Marks the subject for an hour, unless it is marked. What is told in between is on the page. */
const firstOfHour = (
  store: AccountStore,
  { hash, accountId, subject }: MailClaim,
  nowMs: number,
  recent: RefusedError,
): Change => ({
  write: {
    Update: updateOf(store, {
      key: noticeItemKey.address(hash, `HOUR#${accountId}#${subject}`),
      when: { untilMs: absentOr(atMost(nowMs)) },
      set: { untilMs: nowMs + MS_PER_HOUR, ttl: ttlAt(nowMs + MS_PER_DAY) },
    }),
  },
  refusal: () => recent,
});

/** Stores that a mail was sent, so no repeat of its message sends it again. */
export const noteSent = (store: AccountStore, claim: Pick<MailClaim, 'hash' | 'noticeId'>): Promise<void> =>
  commit(store, [
    { ...replaceAttributes(store, { key: keyOf(claim), what: 'This mail', seen: {}, after: { isSent: true } }) },
  ]);

/** Releases the claim of a mail that was not sent, so the next attempt need not wait. */
export const releaseMail = (store: AccountStore, claim: Pick<MailClaim, 'hash' | 'noticeId'>): Promise<void> =>
  commit(store, [
    replaceAttributes(store, { key: keyOf(claim), what: 'This mail', seen: {}, after: { takenUntilMs: 0 } }),
  ]);

function countedMail(store: AccountStore, claim: MailClaim, nowMs: number): Change[] {
  const { hash, mailbox, accountId, recipient, isUrgent, isRemoval, causes: [, identity] = [] } = claim;
  const startMs = Math.floor(nowMs / MS_PER_DAY) * MS_PER_DAY;
  const dayText = dayOf(startMs);
  const endEpochSeconds = (startMs + MS_PER_DAY) / MS_PER_SECOND;
  const limited = (): RefusedError =>
    new RefusedError('The limit of mails of this day is reached.', { code: 'LIMIT_REACHED' });
  const within = (key: ItemKey, limit: number): Change => counted(store, { key, limit, endEpochSeconds }, limited);
  if (recipient !== 'invited') {
    const limit = MAILS_IN_DAY.member - (isUrgent ? 0 : MAILS_IN_DAY.urgent) + (isRemoval ? MAILS_IN_DAY.removal : 0);
    return [within(noticeItemKey.address(hash, `DAY#${dayText}#${accountId}`), limit)];
  }
  return [
    within(noticeItemKey.address(mailbox, `DAY#${dayText}`), MAILS_IN_DAY.address),
    ...(identity === undefined ? [] : [within(noticeItemKey.mailsInDay(identity, dayText), MAILS_IN_DAY.identity)]),
    within(noticeItemKey.mailsInDay(accountId, dayText), MAILS_IN_DAY.account),
  ];
}

/**
 * Who caused an invitation. Undefined: its author does not exist any more. A person is counted by identity, as in other
 * limits: deleting the profile gives nobody more.
 */
export async function causesOf(
  store: AccountStore,
  { accountId, actor = '' }: Pick<Notice, 'accountId' | 'actor'>,
): Promise<Causes | undefined> {
  if (!actor.startsWith('user:')) return [accountId];
  const user = await readItem<StoredUser>(store, accountItemKey.user(actor.slice('user:'.length)));
  return user && [accountId, await usedBy(store, user)];
}
