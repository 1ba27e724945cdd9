import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { claimants, outcomeOf } from '../support/claimants.ts';
import type { PortalAnswer, TestBrowser } from '../support/portal.ts';
import { created } from '../support/portal-team.ts';

const idOf = ({ body }: PortalAnswer) => Object.values(body as Record<string, string>)[0];

/** Sends a request, then another one under the same key, then the first one again. */
async function reuseKey(browser: TestBrowser, path: string, [one, other]: readonly [object, object]): Promise<void> {
  const headers = { 'idempotency-key': randomUUID() };
  const ask = (body: object) => browser.request('POST', path, { body, headers });
  const [first, conflict, again] = [await ask(one), await ask(other), await ask(one)];
  expect([first, conflict, again].map(outcomeOf)).toEqual(['201', '409 IDEMPOTENCY_CONFLICT', '201']);
  expect(idOf(again)).toBe(idOf(first));
}

describe('an Idempotency-Key that was used for another creation is refused, and nothing is made:', () => {
  test('an account', async () => {
    const browser = await claimants().person();
    await reuseKey(browser, '/api/accounts', [{ name: 'Team' }, { name: 'Another team' }]);
    const { accounts } = (await browser.get('/api/session')).body as { accounts: { name: string }[] };
    expect(accounts.map(({ name }) => name)).toEqual(['Team']);
  });

  test('an invitation, of another address or to another role', async () => {
    const { browser, members } = await claimants().team();
    const [ada, bob] = ['ada@example.com', 'bob@example.com'];
    await reuseKey(browser, members, [
      { email: ada, role: 'member' },
      { email: bob, role: 'member' },
    ]);
    await reuseKey(browser, members, [
      { email: bob, role: 'member' },
      { email: bob, role: 'owner' },
    ]);
    const { members: found } = (await browser.get(members)).body as { members: { email: string; role: string }[] };
    const invited = found.filter(({ email }) => email === ada || email === bob);
    expect(invited.map(({ email, role }) => `${email} ${role}`).sort()).toEqual([`${ada} member`, `${bob} member`]);
  });

  test('a project', async () => {
    const { browser, projects } = await claimants().team();
    await reuseKey(browser, projects, [{ name: 'Trips' }, { name: 'Maps' }]);
    const { projects: found } = (await browser.get(projects)).body as { projects: { name: string }[] };
    expect(found.map(({ name }) => name)).toEqual(['Trips']);
  });

  test('a key, of another name or for another time', async () => {
    const { browser, keys } = await claimants().project();
    await reuseKey(browser, keys, [{ name: 'CI' }, { name: 'laptop' }]);
    await reuseKey(browser, keys, [{ name: 'CI' }, { name: 'CI', expiresInDays: 30 }]);
    const { keys: found } = (await browser.get(keys)).body as { keys: { name: string; expiresAt: string | null }[] };
    expect(found.map(({ name, expiresAt }) => [name, expiresAt])).toEqual([
      ['CI', null],
      ['CI', null],
    ]);
  });

  test('a rotation, with another grace', async () => {
    const { browser, keys } = await claimants().project();
    const { keyId } = await created(browser.post(keys, {}));
    await reuseKey(browser, `${keys}/${keyId}/rotate`, [{ graceHours: 24 }, { graceHours: 0 }]);
    const { keys: found } = (await browser.get(keys)).body as { keys: { keyId: string; status: string }[] };
    expect(found.map(({ status }) => status)).toEqual(['active', 'active']);
  });
});
