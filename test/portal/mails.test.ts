import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { stopOf, type MailScope } from '../../functions/accounts/mail/mailed-addresses.ts';
import { noteMailState } from '../../functions/accounts/mail/mail-states.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { scene, type Somebody } from '../support/changes/scene.ts';
import { stopOfMails } from '../support/mails.ts';
import { testPortal, type PortalAnswer } from '../support/portal.ts';

const limits = { ...DEFAULT_LIMITS, changesPerMinute: 100_000, readsPerMinute: 100_000 };
const portal = testPortal(trustingProvider, { limits });
const made = scene(portal);

const ask = (who: Pick<Somebody, 'cookie'>, method: string, path: string, body?: object): Promise<PortalAnswer> =>
  portal.browser([who.cookie]).request(method, path, { body });

describe('the link of an invitation', () => {
  test('leads to that invitation, also where a flood of others hides it in the list', async () => {
    const who = await made.somebody();
    const genuine = await made.account(await made.somebody());
    await made.invite(genuine, who);
    let host = await made.somebody();
    // The list shows twenty.
    for (let i = 0; i < 21; i++) {
      portal.clock.nowMs += 1_000;
      if (i % DEFAULT_LIMITS.accountsPerPerson === 0) host = await made.somebody();
      await made.invite(await made.account(host), who);
    }
    const listed = (await ask(who, 'GET', '/api/session')).body as { invitations: { accountId: string }[] };
    expect(listed.invitations.map(({ accountId }) => accountId)).not.toContain(genuine);
    const { status, body } = await ask(who, 'GET', `/api/invitations/${genuine}`);
    expect([status, body]).toMatchObject([200, { accountId: genuine, invitedByKind: 'operator' }]);
    expect((await ask(who, 'POST', `/api/invitations/${genuine}/accept`)).status).toBe(200);
    expect((await ask(who, 'GET', `/api/invitations/${genuine}`)).status).toBe(404);
  });
});

describe('the page is told', () => {
  test('whether the stage sends mail', async () => {
    const { cookie } = await made.somebody();
    expect((await ask({ cookie }, 'GET', '/api/session')).body).toMatchObject({
      hasMail: true,
      supportUrl: null,
      keyPrefixes: ['svc'],
      clientPackages: { npm: null, pypi: null },
    });
    const without = testPortal(trustingProvider, { limits, hasMail: false, clock: portal.clock });
    const request = { path: '/api/session', cookies: [cookie], headers: { 'sec-fetch-site': 'same-origin' } };
    expect((await without.send(request)).body).toMatchObject({ hasMail: false });
  });

  test('what became of the mail to a member', async () => {
    const owner = await made.somebody();
    const accountId = await made.account(owner);
    const memberId = await made.invite(accountId, await made.somebody());
    await noteMailState(portal.store, { accountId, memberId, noticeId: 'ntc_0000000000000000' }, 'limited');
    const { body } = await ask(owner, 'GET', `/api/accounts/${accountId}/members`);
    const { members } = body as { members: { memberId: string; mail: string | null }[] };
    expect(members.map((member) => [member.memberId === memberId, member.mail]).sort()).toEqual([
      [false, null],
      [true, 'limited'],
    ]);
  });
});

describe('the team is told at once', () => {
  test('that a member wants no mails of the account, and that they want them again', async () => {
    const owner = await made.somebody();
    const accounts = [await made.account(owner), await made.account(owner)];
    const { hash, query } = await stopOfMails(portal.store, `${randomUUID()}@example.com`, accounts[0] as 'acc_');
    const told = async (): Promise<(string | null)[]> => {
      const teams = accounts.map(async (accountId) => {
        const { body } = await ask(owner, 'GET', `/api/accounts/${accountId}/members`);
        const [member] = (body as { members: { memberId: string; mail: string | null }[] }).members;
        return member ?? { memberId: '', mail: null };
      });
      const members = await Promise.all(teams);
      memberIds = members.map(({ memberId }) => memberId);
      return members.map(({ mail }) => mail);
    };
    let memberIds: string[] = [];
    const post = (path: string) =>
      portal.send({ method: 'POST', path, query, headers: { 'sec-fetch-site': 'same-origin' } });
    expect(await told()).toEqual([null, null]);
    const mailed = (i: number, state: 'sent' | 'stopped', noticeId: string) =>
      noteMailState(
        portal.store,
        { accountId: accounts[i] ?? '', memberId: memberIds[i] ?? '', noticeId },
        state,
        hash,
      );
    for (const i of [0, 1]) await mailed(i, 'sent', 'ntc_0000000000000000');
    expect(await told()).toEqual(['sent', 'sent']);
    await post('/api/mails/stop');
    expect(await told()).toEqual(['stopped', 'sent']);
    await mailed(0, 'stopped', 'ntc_0000000000000001');
    expect(await told()).toEqual(['stopped', 'sent']);
    await post('/api/mails/resume');
    expect(await told()).toEqual([null, 'sent']);
  });
});

describe('which mails owners get', () => {
  test('is all of them, until an owner chooses; the audit holds the change', async () => {
    const owner = await made.somebody();
    const accountId = await made.account(owner);
    const mails = `/api/accounts/${accountId}/mails`;
    expect((await ask(owner, 'GET', mails)).body).toEqual({ quota: true, keys: true, team: true });
    expect((await ask(owner, 'PATCH', mails, { team: false })).body).toEqual({ quota: true, keys: true, team: false });
    expect((await ask(owner, 'PATCH', mails, { keys: false, team: true })).body).toEqual({
      quota: true,
      keys: false,
      team: true,
    });
    // Nothing changes, so nothing is in the audit.
    await ask(owner, 'PATCH', mails, { quota: true });
    const { body } = await ask(owner, 'GET', `/api/accounts/${accountId}/audit`);
    const { events } = body as { events: { action: string; before: object; after: object }[] };
    const changes = events.filter(({ action }) => action === 'account.update').map(({ after }) => after);
    // Both are of one moment.
    expect(new Set(changes)).toEqual(new Set([{ mailsKeys: false, mailsTeam: true }, { mailsTeam: false }]));
  });
});

describe('when owners are told', () => {
  test('is at 80 and 100 %, and seven days and one before an expiry, until an owner chooses', async () => {
    const owner = await made.somebody();
    const accountId = await made.account(owner);
    const thresholds = `/api/accounts/${accountId}/thresholds`;
    expect((await ask(owner, 'GET', thresholds)).body).toEqual({ percents: [80, 100], days: [7, 1] });
    // What is chosen as it is already is no change.
    const same = await ask(owner, 'PATCH', thresholds, { percents: [100, 80], days: [1, 7] });
    expect(same.body).toEqual({ percents: [80, 100], days: [7, 1] });
    const changed = await ask(owner, 'PATCH', thresholds, { percents: [90, 50, 100] });
    expect(changed.body).toEqual({ percents: [50, 90, 100], days: [7, 1] });
    expect((await ask(owner, 'PATCH', thresholds, { days: [] })).body).toEqual({ percents: [50, 90, 100], days: [] });
    const { body } = await ask(owner, 'GET', `/api/accounts/${accountId}/audit`);
    const { events } = body as { events: { action: string; after: object }[] };
    const changes = events.filter(({ action }) => action === 'account.update').map(({ after }) => after);
    expect(new Set(changes)).toEqual(new Set([{ thresholdPercents: '50, 90, 100' }, { expiryDays: '' }]));
  });

  test.each([
    { percents: [0] },
    { percents: [101] },
    { percents: [1, 2, 3, 4, 5, 6] },
    { percents: [50, 50] },
    { percents: [1.5] },
    { percents: '80' },
    { percents: null },
    { days: [31] },
  ])('is refused as %j', (body) => expectRefused(body));
});

/** Of an owner's own account. */
const settings = made
  .somebody()
  .then(async (owner) => ({ owner, account: `/api/accounts/${await made.account(owner)}` }));
async function expectRefused(body: object): Promise<void> {
  const { owner, account } = await settings;
  expect((await ask(owner, 'PATCH', `${account}/thresholds`, body)).status).toBe(400);
}

describe('who has a mail', () => {
  const mailOf = async () => {
    const email = `${randomUUID()}@example.com`;
    const { hash, query } = await stopOfMails(portal.store, email, 'invitations');
    const of = (scope: MailScope = 'invitations') => stopOf(portal.store, hash, { hash, scope });
    return { query, of };
  };

  test('stops such mails in one request of a mail program, which has no session and is of no page of ours', async () => {
    const { query, of } = await mailOf();
    const { status } = await portal.send({
      method: 'POST',
      path: '/api/mails/stop',
      query,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(status).toBe(204);
    expect(await of()).toBe('stopped');
    expect(await of('acc_0000000000000000')).toBeUndefined();
  });

  test('changes nothing by opening its link, which leads to the page that asks', async () => {
    const { query, of } = await mailOf();
    const { status, headers } = await portal.send({ path: '/api/mails/stop', query });
    expect([status, headers.location]).toEqual([303, `/mails/stop?${query}`]);
    expect(await of()).toBeUndefined();
  });

  test('has them again by the page of the portal, and by no other', async () => {
    const { query, of } = await mailOf();
    const post = (path: string, site: string) =>
      portal.send({ method: 'POST', path, query, headers: { 'sec-fetch-site': site } });
    await post('/api/mails/stop', 'same-origin');
    expect((await post('/api/mails/resume', 'cross-site')).status).toBe(403);
    expect(await of()).toBe('stopped');
    expect((await post('/api/mails/resume', 'same-origin')).status).toBe(204);
    expect(await of()).toBeUndefined();
  });

  test.each(['', 'token=', 'token=x', `token=${'0'.repeat(64)}.invitations.${'A'.repeat(43)}`])(
    'is who has its token, and not %j',
    async (query) => {
      for (const path of ['/api/mails/stop', '/api/mails/resume']) {
        const answer = await portal.send({ method: 'POST', path, query, headers: { 'sec-fetch-site': 'same-origin' } });
        expect(answer.status).toBe(404);
      }
    },
  );
});
