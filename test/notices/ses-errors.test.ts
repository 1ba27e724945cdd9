import { createServer } from 'node:http';
import { SESv2ServiceException } from '@aws-sdk/client-sesv2';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sesMailer } from '../../functions/notices/mail/ses.ts';
import { faultOf, MailHeldUpError } from '../../functions/notices/mail/ses-errors.ts';
import { listMailResults } from '../../functions/accounts/mail/mail-results.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { readMailStates } from '../../functions/accounts/mail/mail-states.ts';
import { noticesHandler } from '../../functions/notices/dispatch.ts';
import { readNotice } from '../../functions/notices/read-notice.ts';
import { testGateway } from '../support/gateway.ts';
import { messageOf, testMailer, testSender } from '../support/mails.ts';
import { ownAccount } from '../support/people.ts';
import { variablesOf } from '../support/iam-proxy/callers.ts';

const UNVERIFIED = 'Email address is not verified. The following identities failed the check in region EU: grace@x.org';

test.each([
  ['MessageRejected', UNVERIFIED, 'ours'],
  ['MessageRejected', 'Email address not verified "grace@x.org"', 'ours'],
  ['MessageRejected', 'Transaction failed: Address list blocked', 'theirs'],
  ['AccountSuspendedException', 'x', 'ours'],
  ['SendingPausedException', 'x', 'ours'],
  ['MailFromDomainNotVerifiedException', 'x', 'ours'],
  ['NotFoundException', 'Configuration set <a> does not exist.', 'ours'],
  ['AccessDeniedException', 'x', 'ours'],
  ['LimitExceededException', 'x', 'later'],
  ['TooManyRequestsException', 'Maximum sending rate exceeded.', 'later'],
  ['BadRequestException', 'Domain contains control or whitespace', 'theirs'],
  ['BadRequestException', 'Missing final ‘@domain’', 'theirs'],
  ['BadRequestException', 'Header name is not allowed', 'ours'],
  ['SomethingNewException', 'x', 'ours'],
])('%s of SES (%s) is %s', (name, message, fault) => {
  expect(faultOf(new SESv2ServiceException({ name, message, $fault: 'client', $metadata: {} }))).toBe(fault);
});

test('no answer, and a failure of SES itself, pass by themselves', () => {
  expect(faultOf(new Error('socket hang up'))).toBe('later');
  expect(faultOf(new SESv2ServiceException({ name: 'X', message: '', $fault: 'server', $metadata: {} }))).toBe('later');
});

describe('the mailer of SES', () => {
  let answer = { status: 200, type: '', body: {} as object };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(answer.status, { 'content-type': 'application/json', 'x-amzn-errortype': answer.type });
      response.end(JSON.stringify(answer.body));
    });
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    Object.assign(process.env, { AWS_ENDPOINT_URL_SESV2: `http://127.0.0.1:${port}`, ...variablesOf('notices') });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const mail = { to: 'grace@x.org', subject: 's', text: 't', html: 'h', headers: {}, tags: {} };

  test('keeps the id of SES, and tells a recipient’s refusal from one of ours without the address', async () => {
    const mailer = sesMailer('a@example.com', undefined);
    answer = { status: 200, type: '', body: { MessageId: 'ses-1' } };
    expect(await mailer.send(mail)).toEqual({ outcome: 'taken', messageId: 'ses-1' });
    answer = { status: 400, type: 'MessageRejected', body: { message: 'Address blocked' } };
    expect(await mailer.send(mail)).toEqual({ outcome: 'refused', reason: 'MessageRejected' });
    answer = { status: 400, type: 'MessageRejected', body: { message: UNVERIFIED } };
    const error: unknown = await mailer.send(mail).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'MailHeldUpError', fault: 'ours', reason: 'MessageRejected' });
    expect(JSON.stringify([error, String(error)])).not.toContain('grace');
  });
});

async function scene(mailer: Parameters<typeof testSender>[1]) {
  const gateway = testGateway();
  const { accountId, store } = await ownAccount(gateway);
  const memberId = await inviteMember(store, accountId, { email: `${accountId}@example.com`, role: 'member' });
  const message = await messageOf(gateway.store, { accountId, action: 'member.add', to: { memberId } });
  const sender = testSender(gateway.store, mailer);
  const lines: object[] = [];
  const metrics: string[] = [];
  Object.assign(sender.dependencies.telemetry, {
    info: (text: string, details: object) => lines.push({ text, ...details }),
    warn: (text: string, details: object) => lines.push({ text, ...details }),
    count: (metric: string) => metrics.push(metric),
  });
  const record = (sentMs: number) => ({
    messageId: 'q1',
    body: JSON.stringify(message),
    attributes: { SentTimestamp: String(sentMs) },
  });
  const handle = noticesHandler(sender.dependencies);
  const give = (sentMs: number) => handle({ Records: [record(sentMs)] } as never, () => Infinity);
  return { gateway, accountId, memberId, message, sender, lines, metrics, give };
}

test('a mail that SES does not take for a reason of ours is kept, counted, and sent once that has passed', async () => {
  const mailer = testMailer();
  let isVerified = false;
  const send = (mail: Parameters<typeof mailer.send>[0]) =>
    isVerified ? mailer.send(mail) : Promise.reject(new MailHeldUpError('ours', 'MessageRejected'));
  const { gateway, accountId, memberId, give, metrics } = await scene({ send });
  expect((await give(gateway.clock.nowMs)).batchItemFailures).toHaveLength(1);
  expect(metrics).toContain('MailsHeldUp');
  expect(metrics).not.toContain('NoticeBatchesFailed');
  expect((await readMailStates(gateway.store, accountId, [memberId])).get(memberId)).toBeUndefined();
  isVerified = true;
  expect((await give(gateway.clock.nowMs)).batchItemFailures).toEqual([]);
  expect(mailer.taken).toHaveLength(1);
});

test('a message that has failed for an hour is counted, a younger one is not', async () => {
  const { gateway, give, metrics } = await scene({ send: () => Promise.reject(new MailHeldUpError('later', 'X')) });
  await give(gateway.clock.nowMs - 3_599_000);
  expect(metrics).not.toContain('NoticeMessagesStuck');
  await give(gateway.clock.nowMs - 3_600_000);
  expect(metrics).toContain('NoticeMessagesStuck');
});

test('a stage without a sender keeps its mails', async () => {
  const { gateway, give } = await scene(undefined);
  expect((await give(gateway.clock.nowMs)).batchItemFailures).toHaveLength(1);
});

test('each mail is one line of ids, and is found by its notice', async () => {
  const mailer = testMailer();
  const { gateway, accountId, memberId, message, give, lines } = await scene(mailer);
  await give(gateway.clock.nowMs);
  const { id: noticeId = '' } = (await readNotice(gateway.store, message.source)) ?? {};
  const ids = { accountId, memberId, messageId: 'm1' };
  const outcome = { ...ids, noticeId, outcome: 'sent', reason: null };
  expect(lines).toContainEqual({ text: 'mail', ...outcome });
  expect(JSON.stringify(lines)).not.toContain('@');
  expect(await Array.fromAsync(listMailResults(gateway.store, noticeId))).toMatchObject([{ ...ids, state: 'sent' }]);
});
