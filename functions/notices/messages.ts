import { newDelivery, type StoredDelivery } from '../accounts/endpoints/deliveries.ts';
import { kindsOf, listEndpoints } from '../accounts/endpoints/stored-endpoints.ts';
import { listMembers } from '../accounts/team/stored-members.ts';
import { allFulfilled } from '../shared/fulfilled.ts';
import { NOTICES_METRICS } from '../shared/names.ts';
import type { NoticesDependencies } from './dependencies.ts';
import type { MailMessage } from './message.ts';
import type { Notice, NoticeSource } from './notice.ts';
import { queueDeliveries } from './webhooks/drain.ts';

/**
 * Puts the mails of a notice into their queue, and has its deliveries made. Rejects if a queue did not take one of them.
 * The caller then repeats all of it, so some may be sent twice, under the same ids. Whether an owner wants such mails, and whether
 * an address may get one, is checked when the mail is sent.
 */
export async function enqueueNotice(
  dependencies: NoticesDependencies,
  notice: Notice,
  source: NoticeSource,
): Promise<void> {
  const { queues, mailer, telemetry } = dependencies;
  const [mails, deliveries] = await allFulfilled([
    mailer ? mailsOf(dependencies, notice, source) : Promise.resolve([]),
    deliveriesOf(dependencies, notice, source),
  ]);
  await allFulfilled([
    mails.length > 0 ? queues.mail.send(mails) : Promise.resolve(),
    queueDeliveries(dependencies, notice.accountId, deliveries),
  ]);
  const { id, type, accountId } = notice;
  telemetry.info('notice', { id, type, accountId, mails: mails.length, deliveries: deliveries.length });
  telemetry.count(NOTICES_METRICS.noticesTold);
}

async function mailsOf(
  { store }: NoticesDependencies,
  { type, accountId, actor, memberId, userId }: Notice,
  source: NoticeSource,
): Promise<MailMessage[]> {
  const mail = (to: MailMessage['to']): MailMessage => ({ kind: 'mail', source, to });
  if (type === 'invitation.created') return memberId === undefined ? [] : [mail({ memberId })];
  const members = await Array.fromAsync(listMembers(store, accountId));
  // The author of a change gets no mail about it.
  const owners = members.filter(
    (member) => member.role === 'owner' && member.status === 'active' && `user:${member.userId}` !== actor,
  );
  // The changed member gets one whatever their role is, unless they made the change.
  const isTheirs = userId !== undefined && `user:${userId}` !== actor;
  const person = isTheirs && (type === 'member.role_changed' || type === 'member.removed') ? [{ userId }] : [];
  const others = owners.filter((owner) => person.every((told) => told.userId !== owner.userId));
  return [...person, ...others.map((owner) => ({ memberId: owner.memberId }))].map(mail);
}

async function deliveriesOf(
  { store }: NoticesDependencies,
  notice: Notice,
  source: NoticeSource,
): Promise<StoredDelivery[]> {
  if (notice.data.isAgain === true) return [];
  const endpoints = await listEndpoints(store, notice.accountId);
  return endpoints
    .filter((endpoint) => endpoint.status === 'active' && kindsOf(endpoint).includes(notice.type))
    .map(({ endpointId }) => newDelivery(store, notice, { source: source.sk, endpointId }));
}
