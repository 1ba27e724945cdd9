import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { createProject } from '../../functions/accounts/projects/projects.ts';
import type { TestPortal } from '../support/portal.ts';
import { created, read, stageWithTenant } from '../support/portal-team.ts';
import { putManyEvents, readUnitsOf } from '../support/read-units.ts';
import { putEvents } from '../support/stored-events.ts';
import { someEvent } from '../support/usage-events.ts';
import { DAY_MS } from '../support/times.ts';

interface Attention {
  readonly keys: { readonly projectId: string; readonly key: { readonly name: string } }[];
  readonly refusals: {
    readonly event: { code: string };
    readonly count: number;
    readonly isWhole: boolean;
    readonly key: { name: string };
  }[];
  readonly lookedAt: object;
  readonly hasMore: boolean;
  readonly unread: string[];
}

async function tenant() {
  const stage = await stageWithTenant({ limits: { ...DEFAULT_LIMITS, changesPerMinute: 10_000 } });
  const attention = () => read<Attention>(stage.browser.get(`${stage.account}/attention`));
  return { ...stage, attention };
}

/** Lets every read of a project's events fail. */
const failing = ({ client }: TestPortal, projectId: string): void =>
  client.middlewareStack.add(
    (next) => (args) => {
      const { ExpressionAttributeValues: values } = args.input as {
        ExpressionAttributeValues?: Record<string, unknown>;
      };
      const isTheirs = JSON.stringify(values ?? {}).includes(`":pk":{"S":"${projectId}"}`);
      if (isTheirs) throw Object.assign(new Error('no'), { name: 'InternalServerError', $fault: 'server' });
      return next(args);
    },
    { step: 'serialize' },
  );

describe('what an account asks for', () => {
  test('are the keys of all projects that end in seven days and the last fifth of their life, the first end first', async () => {
    const { browser, account, project, clock, attention } = await tenant();
    const { projectId: other } = await created(browser.post(`${account}/projects`, { name: 'Maps' }));
    const key = (path: string, name: string, expires: object = {}) =>
      created(browser.post(`${path}/keys`, { name, ...expires }));
    await key(project, 'late', { expiresInDays: 36 });
    await key(project, 'week', { expiresInDays: 35 });
    await key(`${account}/projects/${other}`, 'soon', { expiresInDays: 30 });
    const { keyId: ended = '' } = await key(project, 'ended', { expiresInDays: 31 });
    const { keyId: old = '' } = await key(project, 'old');
    clock.nowMs += 28 * DAY_MS;
    await browser.signIn(browser.email);
    for (const expires of [{ expiresInHours: 1 }, { expiresInDays: 1 }, { expiresInDays: 7 }])
      await key(project, 'just made', expires);
    expect((await browser.post(`${project}/keys/${ended}/revoke`)).status).toBe(200);
    await created(browser.post(`${project}/keys/${old}/rotate`, { graceHours: 24 }));
    const { keys } = await attention();
    expect(keys.map(({ key: { name } }) => name)).toEqual(['old', 'soon', 'week']);
    expect(keys[1]?.projectId).toBe(other);
    // A key that was made for an hour is no need, even in its last minutes.
    clock.nowMs += 50 * 60_000;
    await browser.signIn(browser.email);
    expect((await attention()).keys).toHaveLength(3);
  });

  test('are keys that end though more were made for an hour, which end before them', async () => {
    const { browser, project, clock, attention } = await tenant();
    const key = (name: string, expires: object) => created(browser.post(`${project}/keys`, { name, ...expires }));
    for (const [name, expiresInDays] of [
      ['week', 35],
      ['soon', 30],
    ] as const)
      await key(name, { expiresInDays });
    clock.nowMs += 28 * DAY_MS;
    await browser.signIn(browser.email);
    for (let n = 0; n < 6; n++) await key('Try it', { expiresInHours: 1 });
    expect((await attention()).keys.map(({ key: { name } }) => name)).toEqual(['soon', 'week']);
    for (let n = 0; n < 6; n++) await key(`${n}`, { expiresInDays: 1 });
    clock.nowMs += DAY_MS * 0.81;
    await browser.signIn(browser.email);
    expect((await attention()).keys).toHaveLength(5);
  });

  test('are its refusals, those of one key with one code together, each with the name of its key', async () => {
    const { browser, project, key, keyId, gateway, clock, attention } = await tenant();
    await gateway.ping(key);
    for (let i = 0; i < 3; i++) {
      clock.nowMs += 60_000;
      await gateway.ping(key, { body: 'no JSON' });
    }
    const spare = await created(browser.post(`${project}/keys`, { name: 'spare' }));
    expect((await browser.post(`${project}/keys/${spare.keyId}/revoke`)).status).toBe(200);
    clock.nowMs += 60_000;
    expect((await gateway.ping(spare.key ?? '')).status).toBe(401);
    const { refusals } = await attention();
    expect(refusals).toMatchObject([
      { count: 1, isWhole: true, key: { name: 'spare' }, event: { code: 'API_KEY_REVOKED' } },
      { count: 3, key: { name: 'CI' }, event: { code: 'INVALID_REQUEST', keyId } },
    ]);
    // After seven days they are no longer shown.
    clock.nowMs += 7 * DAY_MS + 1;
    await browser.signIn(browser.email);
    expect((await attention()).refusals).toEqual([]);
  });

  test('are no simulated refusals, and behind many requests the real ones, of which there may be more', async () => {
    const { portal, browser, project, key, projectId, keyId, gateway, clock, attention } = await tenant();
    await gateway.ping(key, { body: 'no JSON' });
    for (const simulate of ['INTERNAL_ERROR', 'INTERNAL_ERROR', 'ANSWER_LOST']) {
      clock.nowMs += 1;
      await gateway.ping(key, { body: JSON.stringify({ simulate }) });
    }
    await gateway.ping(key, { body: 'no JSON' });
    clock.nowMs += 1_000;
    const usage = await read<{ refusals: object[] }>(browser.get(`${project}/usage`));
    expect(usage.refusals).toEqual([{ keyId, code: 'INVALID_REQUEST', requests: 2 }]);
    await putManyEvents(portal, projectId, keyId, 300);
    const { refusals } = await attention();
    expect(refusals).toHaveLength(1);
    expect(refusals).toMatchObject([{ count: 2, isWhole: false, event: { code: 'INVALID_REQUEST' } }]);
  });

  test('are counted whole by the sums of the day, as in the list of requests, where the newest hold only a part', async () => {
    const { portal, browser, project, projectId, keyId, clock, attention } = await tenant();
    const refusal = (i: number) =>
      someEvent({
        ...{
          projectId,
          keyId,
          requestId: randomUUID(),
          event: 'rate_limit_rejected',
          code: 'RATE_LIMIT_EXCEEDED',
          units: 0,
        },
        occurredAt: new Date(clock.nowMs - 90_000 - i * 4_000).toISOString(),
      });
    await putEvents(
      portal.store,
      Array.from({ length: 28 }, (_, i) => refusal(i)),
    );
    await putManyEvents(portal, projectId, keyId, 200);
    const { refusals } = await attention();
    expect(refusals).toMatchObject([{ isWhole: false, event: { code: 'RATE_LIMIT_EXCEEDED' } }]);
    expect(refusals[0]?.count).toBeLessThan(28);
    const usage = await read<object>(browser.get(`${project}/usage`));
    expect(usage).toMatchObject({
      complete: true,
      refusals: [{ keyId, code: 'RATE_LIMIT_EXCEEDED', requests: 28 }],
    });
    const listed = await read<{ events: object[] }>(browser.get(`${project}/events`, 'code=RATE_LIMIT_EXCEEDED'));
    expect(listed.events).toHaveLength(28);
  });

  test('is read of fifty projects at most, in few read units, and the answer says so', async () => {
    const { portal, accountId, projectId, keyId, account, browser, attention } = await tenant();
    const ids = await Promise.all(
      Array.from({ length: 59 }, () => createProject(portal.operator, { accountId, name: 'Many', quotaLimit: 0 })),
    );
    for (const id of [projectId, ...ids].sort().slice(0, 50)) await putManyEvents(portal, id, keyId, 30);
    expect(await attention()).toMatchObject({ lookedAt: { projects: 50, requests: 20 }, hasMore: true });
    const { units, calls } = await readUnitsOf(portal, () => browser.get(`${account}/attention`));
    // Half a unit for the keys of each project, one for its events.
    expect(units).toBeLessThanOrEqual(130);
    expect(calls.filter((call) => call === 'Query')).toHaveLength(1 + 2 * 50);
  });

  test('is answered without the project that cannot be read, and names it', async () => {
    const { portal, browser, account, projectId, key, gateway, attention } = await tenant();
    const { projectId: other = '' } = await created(browser.post(`${account}/projects`, { name: 'Maps' }));
    await gateway.ping(key, { body: 'no JSON' });
    failing(portal, other);
    expect(await attention()).toMatchObject({ unread: [other], refusals: [{ event: { code: 'INVALID_REQUEST' } }] });
    failing(portal, projectId);
    await expect(attention()).rejects.toThrow('INTERNAL_ERROR');
  });
});
