import { describe, expect, test } from '@jest/globals';
import { readSessionToken } from '../../functions/accounts/people/sessions.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { before } from '../support/overtaking.ts';
import { itemsOf } from '../support/people.ts';
import { testPortal, type TestBrowser } from '../support/portal.ts';
import { join, person, tenantOf } from '../support/portal-team.ts';

const SESSION = '__Host-Http-session';
const userIdOf = (browser: TestBrowser): string =>
  readSessionToken(browser.jar.cookies.get(SESSION))?.userId ?? 'nobody';
describe('a profile', () => {
  test('is deleted: the person is out of every account and session, and nothing of them is kept', async () => {
    const portal = testPortal(trustingProvider);
    const { browser: owner, accountId, account } = await tenantOf(portal);
    const ada = await join(portal, owner, accountId);
    const elsewhere = portal.browser();
    await elsewhere.signIn(ada.email);
    const userId = userIdOf(ada);
    const cookies = ada.jar.list();

    const answer = await ada.delete('/api/profile');
    expect([answer.status, answer.cookies]).toEqual([
      204,
      [`${SESSION}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict`],
    ]);
    expect(await itemsOf(portal, `USER#${userId}`)).toEqual([]);
    expect((await portal.send({ path: '/api/session', cookies })).status).toBe(401);
    expect((await elsewhere.get('/api/session')).status).toBe(401);
    expect((await elsewhere.delete('/api/profile')).status).toBe(401);
    const { members } = (await owner.get(`${account}/members`)).body as { members: unknown[] };
    expect(members).toHaveLength(1);
    const { events } = (await owner.get(`${account}/audit`, 'action=member.leave')).body as { events: unknown[] };
    expect(events).toEqual([expect.objectContaining({ actor: 'former member', memberId: ada.memberId })]);
    // It was one change, and what remains causes no warning.
    expect(portal.telemetry.warnings).toEqual([]);
  });

  test('of the last owner stays, and the accounts are named', async () => {
    const portal = testPortal(trustingProvider);
    const { browser, accountId, account } = await tenantOf(portal);
    const { status, body } = await browser.delete('/api/profile');
    expect([status, body]).toEqual([
      409,
      expect.objectContaining({
        code: 'LAST_OWNER',
        detail: expect.stringContaining('close the account'),
        accounts: [{ accountId, name: 'Team' }],
      }),
    ]);
    expect((await browser.get('/api/session')).body).toMatchObject({ accounts: [{ accountId }] });
    // One account for each of the two operations.
    expect((await browser.delete(account)).status).toBe(204);
    expect((await browser.delete('/api/profile')).status).toBe(204);
  });

  test('whose remains cannot be deleted at once is deleted all the same', async () => {
    const portal = testPortal(trustingProvider);
    const browser = await person(portal);
    const userId = userIdOf(browser);
    const cookies = browser.jar.list();
    before(portal.own, 'DeleteItemCommand', () => Promise.reject(new Error('away')));
    expect((await browser.delete('/api/profile')).status).toBe(204);
    expect(portal.telemetry.warnings).toEqual([
      { message: 'Parallel work of a request failed.', cause: new Error('away') },
    ]);
    const left = await itemsOf(portal, `USER#${userId}`);
    expect(left.map(({ sk }) => (sk as string).split('#')[0]).sort()).toEqual(['SESSION']);
    // They contain no data and expire by themselves.
    for (const { ttl } of left) expect(ttl).toEqual(expect.any(Number));
    // The browser has deleted its cookie; a copy of the cookie is not valid.
    expect((await portal.send({ path: '/api/session', cookies })).status).toBe(401);
  });
});
