import type { AccountStore } from '../../accounts/store/account-store.ts';
import { requireAddressKey } from '../../accounts/mail/address-key.ts';
import { addressHash, mailboxHash, mailStop, stopOf, stopToken } from '../../accounts/mail/mailed-addresses.ts';
import { noteMailResult } from '../../accounts/mail/mail-results.ts';
import { noteMailState, type MailOutcome } from '../../accounts/mail/mail-states.ts';
import { BusyError } from '../failures.ts';
import type { NoticesDependencies } from '../dependencies.ts';
import { NOTICES_METRICS } from '../../shared/names.ts';
import type { MailMessage } from '../message.ts';
import type { Notice } from '../notice.ts';
import { readNotice } from '../read-notice.ts';
import { isSuperseded } from '../thresholds.ts';
import { addresseeOf, type Addressee } from './addressee.ts';
import { isHeld, noteInvitationSent } from '../../accounts/team/invitation-bounces.ts';
import { causesOf, noteSent, readClaim, releaseMail, takeMail, type MailClaim } from './claims.ts';
import { contentOf, isUrgent, subjectOf, type NoticeNames } from './contents.ts';
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
 * Sends one mail. It is not sent when it is not valid any more, its address gets no mail, or a bound is reached. Rejects
 * when it must be tried again. At worst it is then sent twice, under the same id.
 */
export async function onMail(dependencies: NoticesDependencies, message: MailMessage): Promise<void> {
  const { store, mailer } = dependencies;
  // After a rollback to a version without `mailFrom` the mails wait in the queue, and then in its dead letters.
  if (!mailer) throw new Error('this stage sends no mail');
  const notice = await readNotice(store, message.source);
  if (!notice || (await isSuperseded(store, notice, message.source))) return;
  const addressee = await addresseeOf(store, notice, message.to);
  if (addressee) await send(dependencies, addressee, notice);
}

async function send(dependencies: NoticesDependencies, addressee: Addressee, notice: Notice): Promise<void> {
  const { store, telemetry } = dependencies;
  const { email, scope, recipient, memberId } = addressee;
  const { id: noticeId, accountId, type } = notice;
  const key = await requireAddressKey(store);
  const hash = addressHash(key, email);
  const stop = mailStop(key, email, scope);
  // First: what stops a later mail does not change what became of this one.
  const earlier = await readClaim(store, { hash, noticeId });
  if (earlier?.isSent) return;
  // One line a mail, and the same for whoever asks what became of it. Never the address.
  const noted = async (
    state: MailOutcome,
    more: { messageId?: string | null; reason?: string } = {},
  ): Promise<void> => {
    const ofAccount = scope === 'invitations' ? undefined : hash;
    const messageId = more.messageId ?? null;
    const ids = { noticeId, accountId, memberId: memberId ?? null, messageId };
    logMail(telemetry, { ...ids, outcome: state, reason: more.reason ?? null });
    await noteMailResult(store, { ...ids, state });
    if (memberId !== undefined && state !== 'recent')
      await noteMailState(store, { accountId, memberId, noticeId }, state, ofAccount);
  };
  const why = await stopOf(store, hash, stop);
  if (why) return noted(why);
  const isRemoval = recipient === 'oneself' && type === 'member.removed';
  const causes = recipient === 'invited' ? await causesOf(store, notice) : undefined;
  if (causes && (await isHeld(store, causes))) return noted('held');
  const mailbox = mailboxHash(key, email);
  const claim: MailClaim = {
    hash,
    mailbox,
    noticeId,
    accountId,
    recipient,
    subject: subjectOf(notice),
    isUrgent: isUrgent(notice),
    isRemoval,
    causes,
  };
  const claimed = await takeMail(store, claim, earlier);
  if (claimed === 'limited' || claimed === 'recent') return noted(claimed);
  if (claimed === 'busy') throw new BusyError('another attempt sends this mail now');
  const outcome = await deliver(dependencies, addressee, notice, stopToken(key, stop)).catch(async (error: unknown) => {
    await releaseMail(store, claim);
    if (error instanceof MailHeldUpError && error.fault === 'ours') {
      telemetry.count(NOTICES_METRICS.mailsHeldUp);
      telemetry.warn('a mail waits for the platform team', { accountId, noticeId, reason: error.reason });
    }
    throw error;
  });
  if (causes && outcome.outcome === 'taken') await noteInvitationSent(store, causes, noticeId);
  await noteSent(store, claim);
  await (outcome.outcome === 'taken' ? noted('sent', outcome) : noted('refused', outcome));
}

/** Passes the mail to the mailer. */
async function deliver(
  { store, mailer, portalOrigin }: NoticesDependencies,
  addressee: Addressee,
  notice: Notice,
  token: string,
): Promise<Sent> {
  if (!mailer) throw new Error('this stage sends no mail');
  const { email, recipient, memberId } = addressee;
  const { id: noticeId, accountId } = notice;
  const links = { portalOrigin, stopUrl: `${portalOrigin}${STOP_PAGE}?token=${token}` };
  const content = contentOf(recipient, notice, await namesOf(store, notice, addressee), links);
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

/** The names that a mail shows, as of now. */
async function namesOf(
  store: AccountStore,
  notice: Notice,
  { account, invitation }: Pick<Addressee, 'account' | 'invitation'>,
): Promise<NoticeNames> {
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
  };
}
