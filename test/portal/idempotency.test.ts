import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
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

const MEMBER = { email: 'ada@example.com', role: 'member' };

test.each<[string, string, string, object, object]>([
  ['an account', 'accounts', '/api/accounts', { name: 'Team' }, { name: 'Another team' }],
  ['an invitation of another address', 'members', 'members', MEMBER, { ...MEMBER, email: 'bob@example.com' }],
  ['an invitation to another role', 'members', 'members', MEMBER, { ...MEMBER, role: 'owner' }],
  ['a project', 'projects', 'projects', { name: 'Trips' }, { name: 'Maps' }],
  ['a key of another name', 'keys', 'keys', { name: 'CI' }, { name: 'laptop' }],
  ['a key for another time', 'keys', 'keys', { name: 'CI' }, { name: 'CI', expiresInDays: 30 }],
  ['a rotation with another grace', 'keys', 'rotate', { graceHours: 24 }, { graceHours: 0 }],
])('an Idempotency-Key that was used for another creation is refused, and makes nothing: %s', async (...row) => {
  const [, list, where, one, other] = row;
  const { browser, members, projects, keys } = await claimants().project();
  const { keyId } = await created(browser.post(keys, {}));
  const paths: Partial<Record<string, string>> = { members, projects, keys, rotate: `${keys}/${keyId}/rotate` };
  const made = async () =>
    ((await browser.get(paths[list] ?? '/api/session')).body as Record<string, object[]>)[list] ?? [];
  const before = await made();
  await reuseKey(browser, paths[where] ?? where, [one, other]);
  const after = await made();
  expect(after).toHaveLength(before.length + 1);
  if (where === list) expect(after).toContainEqual(expect.objectContaining(one));
});
