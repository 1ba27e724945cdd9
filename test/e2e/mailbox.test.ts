import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sesMailer } from '../../functions/notices/mail/ses.ts';
import { startMailbox, type LocalMailbox } from '../../local/mailbox.ts';

const MAIL = {
  to: 'ada@example.com',
  subject: 'A subject',
  text: 'As text',
  html: '<p>As HTML</p><script>document.title = "ran"</script>',
  headers: { 'List-Unsubscribe': '<https://portal.example.com/api/mails/stop?token=t>' },
  tags: { noticeId: 'ntc_0000000000000000' },
};
let mailbox: LocalMailbox;
beforeAll(async () => {
  mailbox = await startMailbox(0);
  Object.assign(process.env, mailbox.functionEnvironment, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
});
afterAll(() => mailbox.stop());

const mails = async () => (await (await fetch(`${mailbox.origin}/mails.json`)).json()) as { id: string; to: string }[];
const post = (body: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${mailbox.origin}/v2/email/outbound-emails`, { method: 'POST', body, headers });

describe('the local mailbox', () => {
  test('takes a mail from the client of SES, and shows both of its forms', async () => {
    const mailer = sesMailer(mailbox.functionEnvironment.MAIL_FROM ?? '', undefined);
    expect(await mailer.send(MAIL)).toMatchObject({ outcome: 'taken' });
    const [mail] = await mails();
    expect(mail).toMatchObject({ to: MAIL.to, subject: MAIL.subject, text: MAIL.text, headers: MAIL.headers });
    const page = await fetch(`${mailbox.origin}/mails/${mail?.id}`);
    expect(await page.text()).toContain('sandbox="allow-popups');
    const html = await fetch(`${mailbox.origin}/mails/${mail?.id}.html`);
    expect(html.headers.get('content-security-policy')).toMatch(/^sandbox .*default-src 'none'/);
    expect(html.headers.get('content-security-policy')).not.toMatch(/allow-(scripts|same-origin)/);
    expect(await (await fetch(mailbox.origin)).text()).toContain(MAIL.subject);
  });

  test.each([
    ['two addresses in one', 'a@example.com,b@example.com'],
    ['a new line', 'a@example.com\nBcc: b@example.com'],
    ['no address', 'nobody'],
  ])('refuses %s, as SES does', async (_what, to) => {
    const before = await mails();
    const mailer = sesMailer(mailbox.functionEnvironment.MAIL_FROM ?? '', undefined);
    expect(await mailer.send({ ...MAIL, to })).toMatchObject({ outcome: 'refused' });
    expect(await mails()).toEqual(before);
  });

  test.each(['', 'x', '{}', '[]', 'null'])('refuses the body %j', async (body) => {
    expect((await post(body)).status).toBe(400);
  });

  test('takes nothing from a page, and answers no name that another has made its own', async () => {
    expect((await post('{}', { Origin: 'https://evil.example' })).status).toBe(400);
    const status = await new Promise((resolve, reject) => {
      request(`${mailbox.origin}/mails.json`, { headers: { Host: 'evil.example' } }, ({ statusCode }) =>
        resolve(statusCode),
      )
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
  });

  test('keeps the newest two hundred', async () => {
    const mailer = sesMailer(mailbox.functionEnvironment.MAIL_FROM ?? '', undefined);
    for (let i = 0; i < 205; i++) await mailer.send(MAIL);
    expect(await mails()).toHaveLength(200);
  });
});
