import type { AccountStore } from '../../accounts/store/account-store.ts';
import { requireAddressKey } from '../../accounts/mail/address-key.ts';
import { addressHash, mailboxHash, mailStop, stopOf, stopToken } from '../../accounts/mail/mailed-addresses.ts';
import { noteMailResult } from '../../accounts/mail/mail-results.ts';
import { noteMailState, type MailState } from '../../accounts/mail/mail-states.ts';
import { sendAgain } from '../send-again.ts';
import { BusyError } from '../failures.ts';
import type { NoticesDependencies } from '../dependencies.ts';
import { NOTICES_METRICS } from '../../shared/names.ts';
import type { MailMessage } from '../message.ts';
import type { Notice, NoticeSource } from '../notice.ts';
import { readNotice } from '../read-notice.ts';
import { isSuperseded } from '../thresholds.ts';
import { addresseeOf, type Addressee } from './addressee.ts';
import { isHeld, noteInvitationSent } from '../../accounts/team/invitation-bounces.ts';
import { causesOf, noteSent, readClaim, releaseMail, takeMail, type MailClaim } from './claims.ts';
import { contentOf, foldOf, isUrgent, type NamedNotice } from './contents.ts';
import { foldMail, noteFoldSent } from './fold.ts';
import type { Sent } from './mailer.ts';
import { MailHeldUpError } from './ses-errors.ts';
import { logMail } from './mail-line.ts';
import { renderMail } from './template.ts';
import { accountItemKey } from '../../accounts/store/account-items.ts';
import type { StoredEndpoint } from '../../accounts/endpoints/stored-endpoints.ts';
import { readActive } from '../../accounts/tokens/active-tokens.ts';
import { noticeItemKey } from '../../accounts/store/notice-items.ts';
import { locateKey } from '../../accounts/keys/stored-keys.ts';
import type { StoredMember } from '../../accounts/team/stored-members.ts';
import type { StoredProject } from '../../accounts/projects/stored-projects.ts';
import type { StoredUser } from '../../accounts/people/users.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';

/** The address that ends such mails: a mail program with one request, a person on a page (RFC 8058). */
const STOP_PATH = '/api/mails/stop';
const STOP_PAGE = '/mails/stop';

/**
 * Sends one mail. It is not sent when it is not valid any more, its address gets no mail, or a bound is reached.
 * Rejects when it must be tried again. At worst it is then sent twice, under the same id.
 */
export async function onMail(dependencies: NoticesDependencies, message: MailMessage): Promise<void> {
  const { store, mailer } = dependencies;
  // After a rollback to a version without `mailFrom` the mails wait in the queue, and then in its dead letters.
  if (!mailer) throw new Error('this stage sends no mail');
  const { source, to } = message;
  const notice = await readCurrent(store, source);
  const addressee = notice && (await addresseeOf(store, notice, to));
  if (!notice || !addressee) return;
  const { memberId, recipient } = addressee;
  if (recipient !== 'owner' || memberId === undefined) {
    await sendOne(dependencies, addressee, notice.id, [notice]);
    return;
  }
  const fold = { accountId: source.accountId, memberId, kind: foldOf(notice) };
  for (;;) {
    const folded = await foldMail(store, fold, source.sk);
    if (folded === 'told') return;
    if ('waitMs' in folded) {
      await sendAgain(dependencies, message, folded.waitMs);
      return;
    }
    const sources = folded.sources.map((sk) => readCurrent(store, { accountId: source.accountId, sk }));
    const notices = (await Promise.all(sources)).filter((one) => one !== undefined);
    await sendOne(dependencies, addressee, folded.id, notices, folded.more);
    await noteFoldSent(store, fold, folded);
    if (folded.sources.includes(source.sk)) return;
    // It was the mail of an earlier hour.
  }
}

/** A notice that waited for its hour may be superseded by one of a higher threshold. */
async function readCurrent(store: AccountStore, source: NoticeSource): Promise<Notice | undefined> {
  const notice = await readNotice(store, source);
  return notice && !(await isSuperseded(store, notice, source)) ? notice : undefined;
}

/** Sends one mail of one or more notices, under one id. */
async function sendOne(
  dependencies: NoticesDependencies,
  addressee: Addressee,
  noticeId: string,
  notices: readonly Notice[],
  more = 0,
): Promise<void> {
  const { store, telemetry } = dependencies;
  const { email, scope, recipient, memberId } = addressee;
  const [first] = notices;
  if (!first) return;
  const { accountId, type } = first;
  const key = await requireAddressKey(store);
  const hash = addressHash(key, email);
  const stop = mailStop(key, email, scope);
  const noticeIds = notices.map(({ id }) => id);
  // First: what stops a later mail does not change what became of this one.
  const earlier = await readClaim(store, { hash, noticeId });
  if (earlier?.isSent) return;
  // One line a mail, and the same for whoever asks what became of it. Never the address.
  const noted = async (state: MailState, more: { messageId?: string | null; reason?: string } = {}): Promise<void> => {
    const ofAccount = scope === 'invitations' ? undefined : hash;
    const messageId = more.messageId ?? null;
    const ids = { noticeIds, mailId: noticeId, accountId, memberId: memberId ?? null, messageId };
    logMail(telemetry, { ...ids, outcome: state, reason: more.reason ?? null });
    await noteMailResult(store, { ...ids, state });
    if (memberId !== undefined) await noteMailState(store, { accountId, memberId, noticeId }, state, ofAccount);
  };
  const why = await stopOf(store, hash, stop);
  if (why) return noted(why);
  const isRemoval = recipient === 'oneself' && type === 'member.removed';
  const causes = recipient === 'invited' ? await causesOf(store, first) : undefined;
  if (causes && (await isHeld(store, causes))) return noted('held');
  const mailbox = mailboxHash(key, email);
  const claim: MailClaim = {
    hash,
    mailbox,
    noticeId,
    accountId,
    recipient,
    isUrgent: notices.some(isUrgent),
    isRemoval,
    causes,
  };
  const claimed = await takeMail(store, claim, earlier);
  if (claimed === 'limited') return noted('limited');
  if (claimed === 'busy') throw new BusyError('another attempt sends this mail now');
  const named = await Promise.all(notices.map((notice) => withNames(store, notice, addressee)));
  const outcome = await deliver(dependencies, addressee, claim, stopToken(key, stop), { named, more }).catch(
    async (error: unknown) => {
      await releaseMail(store, claim);
      if (error instanceof MailHeldUpError && error.fault === 'ours') {
        telemetry.count(NOTICES_METRICS.mailsHeldUp);
        telemetry.warn('a mail waits for the platform team', { accountId, mailId: noticeId, reason: error.reason });
      }
      throw error;
    },
  );
  if (causes && outcome.outcome === 'taken') await noteInvitationSent(store, causes, noticeId);
  await noteSent(store, claim);
  await (outcome.outcome === 'taken' ? noted('sent', outcome) : noted('refused', outcome));
}

/** Passes the mail to the mailer. */
async function deliver(
  { mailer, portalOrigin }: NoticesDependencies,
  { email, recipient, memberId }: Addressee,
  { noticeId, accountId }: MailClaim,
  token: string,
  { named, more }: { readonly named: readonly NamedNotice[]; readonly more: number },
): Promise<Sent> {
  if (!mailer) throw new Error('this stage sends no mail');
  const content = contentOf(
    recipient,
    named,
    { portalOrigin, stopUrl: `${portalOrigin}${STOP_PAGE}?token=${token}` },
    more,
  );
  return mailer.send({
    to: email,
    subject: content.subject,
    ...renderMail(content),
    headers: {
      'List-Unsubscribe': `<${portalOrigin}${STOP_PATH}?token=${token}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
    tags: { accountId, noticeId, ...(memberId !== undefined && { memberId }) },
  });
}

/** Adds the names that a mail shows, as of now. */
async function withNames(
  store: AccountStore,
  notice: Notice,
  { account, invitation }: Pick<Addressee, 'account' | 'invitation'>,
): Promise<NamedNotice> {
  const { accountId, projectId, keyId, memberId, userId, endpointId, tokenId } = notice;
  const [project, key, member, user, endpoint, active] = await Promise.all([
    projectId === undefined ? undefined : readItem<StoredProject>(store, itemKey.project(projectId)),
    projectId === undefined || keyId === undefined ? undefined : locateKey(store, projectId, keyId),
    memberId === undefined ? undefined : readItem<StoredMember>(store, accountItemKey.member(accountId, memberId)),
    userId === undefined ? undefined : readItem<StoredUser>(store, accountItemKey.user(userId)),
    endpointId === undefined
      ? undefined
      : readItem<StoredEndpoint>(store, noticeItemKey.endpoint(accountId, endpointId)),
    tokenId === undefined ? undefined : readActive(store, accountId),
  ]);
  return {
    notice,
    names: {
      account: account.name,
      project: project?.name,
      key: key?.name,
      token: tokenId === undefined ? undefined : active?.[tokenId]?.name,
      endpointUrl: endpoint?.url,
      member: user?.name ?? user?.email ?? member?.name ?? member?.email ?? undefined,
      ...(invitation && {
        inviter: { kind: invitation.invitedByKind, name: invitation.invitedBy },
        invitation: { role: member?.role ?? 'member', expiresAtMs: invitation.expiresAtMs },
      }),
    },
  };
}
