import { afterEach, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { CookieJar, signInAtProvider } from '../support/identity.ts';
import { CLOCK_HEADER, CLOCK_PATH } from '../../local/clock.ts';
import { DAY_MS } from '../support/times.ts';
import { startPortalSite, type PortalSite } from '../support/portal-site.ts';
import { admin } from '../support/admin.ts';
import { atDoor, end, onOwnDatabase, type RunningProcess } from '../support/processes.ts';

const started: RunningProcess[] = [];
afterEach(async () => {
  for (const running of started.splice(0)) await end(running);
});

/** Signs in over HTTP, as a browser does. */
async function signedIn({ portalUrl }: PortalSite, email: string) {
  const jar = new CookieJar();
  const call = async (method: string, path: string, body?: object): Promise<Response> => {
    const headers = { cookie: jar.list().join('; '), origin: portalUrl, 'content-type': 'application/json' };
    const sent = body && { body: JSON.stringify(body) };
    const response = await fetch(portalUrl + path, { method, redirect: 'manual', headers, ...sent });
    jar.take(response.headers.getSetCookie());
    return response;
  };
  const begun = await call('GET', '/api/sign-in');
  const callback = await signInAtProvider(begun.headers.get('location') ?? '', portalUrl, email);
  await call('GET', callback.pathname + callback.search);
  return call;
}

interface Mail {
  readonly to: string;
  readonly text: string;
}

const mailsOf = async (origin: string): Promise<Mail[]> =>
  (await (await fetch(`${origin}/mails.json`)).json()) as Mail[];

/** The mails once there is one. */
async function firstMails(mailbox: string): Promise<Mail[]> {
  const begunAt = performance.now();
  let mails: Mail[] = [];
  while (mails.length === 0 && performance.now() - begunAt < 20_000) {
    await sleep(50);
    mails = await mailsOf(mailbox);
  }
  return mails;
}

describe('npm start', () => {
  test('tells who is invited by mail, with the rights that the notices function has in AWS', async () => {
    const portal = await startPortalSite({}, atDoor);
    started.push(portal);
    const { mailboxUrl: mailbox } = portal;
    const call = await signedIn(portal, 'owner@example.com');
    const { accountId } = (await (await call('POST', '/api/accounts', { name: 'Maps' })).json()) as {
      accountId: string;
    };
    const invited = await call('POST', `/api/accounts/${accountId}/members`, {
      email: 'guest@example.com',
      role: 'member',
    });
    expect(invited.status).toBe(201);
    const mails = await firstMails(mailbox);
    expect(mails.map(({ to }) => to)).toEqual(['guest@example.com']);
    expect(mails[0]?.text).toContain(`${portal.portalUrl}/invitations/${accountId}`);
    // The banner stays in sight until there is a request.
    expect(portal.stdout).not.toContain('sandbox-gateway-notices');
  });
});

test('npm start on its own database tells of changes of other processes, such as the CLI’s', async () => {
  const portal = await startPortalSite({}, onOwnDatabase);
  started.push(portal);
  const here = { DYNAMODB_PORT: new URL(portal.databaseUrl).port };
  const made = await admin(
    ['account', 'create', '--name', 'Maps', '--email', 'a@example.com', '--owner', 'boss@example.com', '--local'],
    here,
  );
  expect(made.status).toBe(0);
  const mails = await firstMails(portal.mailboxUrl);
  expect(mails.map(({ to }) => to)).toEqual(['boss@example.com']);
});

test('npm start tells of a key that expires soon once its clock is there', async () => {
  const portal = await startPortalSite({}, atDoor);
  started.push(portal);
  const call = await signedIn(portal, 'owner@example.com');
  const made = async (path: string, body: object): Promise<string> =>
    Object.values((await (await call('POST', path, body)).json()) as Record<string, string>)[0] ?? '';
  const account = `/api/accounts/${await made('/api/accounts', { name: 'Maps' })}`;
  const project = `${account}/projects/${await made(`${account}/projects`, { name: 'Web' })}`;
  await made(`${project}/keys`, { name: 'CI', expiresInDays: 30 });
  const moved = await fetch(`${portal.url}${CLOCK_PATH}`, {
    method: 'POST',
    headers: { [CLOCK_HEADER]: String(24 * DAY_MS) },
  });
  expect(moved.status).toBe(200);
  const [mail] = await firstMails(portal.mailboxUrl);
  expect(mail?.to).toBe('owner@example.com');
  expect(mail?.text).toMatch(/expires soon.*CI/s);
});
