import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { updateKey } from '../../functions/accounts/keys/api-keys.ts';
import type { KeyDetails } from '../../functions/portal/contract/keys.ts';
import { recordCalls } from '../support/database.ts';
import { intercept, misbehavingServer } from '../support/faults.ts';
import { created, read, stageWithTenant } from '../support/portal-team.ts';
import { readUnitsOf } from '../support/read-units.ts';
import { putEvents } from '../support/stored-events.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../support/times.ts';
import { someEvent } from '../support/usage-events.ts';

const SECOND_MS = 1_000;
/** In the middle of a day, of an hour, of a five-minute part and of a minute. */
const ROTATED_MS = Date.UTC(2030, 0, 15, 10, 32, 30);

async function projectOf(nowMs = ROTATED_MS) {
  // A session is valid for the whole test.
  const sessionLimits = { idleMs: 400 * DAY_MS, absoluteMs: 400 * DAY_MS };
  const stage = await stageWithTenant({ nowMs, sessionLimits });
  const { clock, gateway, browser, project, keyId, key } = stage;
  const path = (id: string): string => `${project}/keys/${id}`;
  const look = (id = keyId) => read<KeyDetails>(browser.get(path(id)));
  const rotate = (graceHours = 168) => created(browser.post(`${path(keyId)}/rotate`, { graceHours }));
  const pingAt = async (atMs: number, as = key): Promise<void> => {
    clock.nowMs = atMs;
    await gateway.ping(as);
  };
  return { ...stage, path, look, rotate, pingAt };
}

describe('the page of a key', () => {
  test('tells the rate limit as the next request meets it', async () => {
    const { clock, gateway, projectId, keyId, key, look } = await projectOf();
    const resetsAt = '2030-01-15T10:33:00.000Z';
    expect((await look()).rate).toEqual({ limit: 60, remaining: 60, resetsAt });
    const { headers } = await gateway.ping(key);
    await gateway.ping(key, { body: '[]' });
    const { rate, lastUsed } = await look();
    expect(rate).toEqual({ limit: 60, remaining: Number(headers['x-ratelimit-remaining']) - 1, resetsAt });
    expect(lastUsed).toBe('2030-01-15T10:32:00.000Z');
    await updateKey(gateway.store, projectId, keyId, { rpm: 5 });
    for (let i = 0; i < 5; i++) await gateway.ping(key);
    expect((await look()).rate).toEqual({ limit: 5, remaining: 0, resetsAt });
    clock.nowMs += 31 * SECOND_MS;
    expect((await look()).rate).toEqual({ limit: 5, remaining: 5, resetsAt: '2030-01-15T10:34:00.000Z' });
    expect((await gateway.ping(key)).headers['x-ratelimit-remaining']).toBe('4');
  });

  test('tells the units of the period by day, of this key alone, within the same second', async () => {
    const { browser, project, key, keyId, look, pingAt } = await projectOf();
    const { key: other = '' } = await created(browser.post(`${project}/keys`, {}));
    const days = [ROTATED_MS, ROTATED_MS + DAY_MS, ROTATED_MS + DAY_MS, ROTATED_MS + 5 * DAY_MS];
    for (const atMs of days) {
      await pingAt(atMs, key);
      await pingAt(atMs, other);
    }
    const { usage, sinceRotation } = await look();
    expect(usage).toMatchObject({ period: '2030-01', complete: true, requests: 4, units: 4 });
    expect(usage.days).toHaveLength(20);
    expect(usage.days.filter(({ units }) => units > 0)).toEqual([
      { start: '2030-01-15T00:00:00.000Z', requests: 1, units: 1 },
      { start: '2030-01-16T00:00:00.000Z', requests: 2, units: 2 },
      { start: '2030-01-20T00:00:00.000Z', requests: 1, units: 1 },
    ]);
    expect(sinceRotation).toBeNull();
    // The same as in the usage of the project.
    const { body } = await browser.get(`${project}/usage`, `by=day&since=2030-01-01T00:00:00Z&keyId=${keyId}`);
    expect(body).toMatchObject({ total: { requests: usage.requests, units: usage.units } });
  });

  test('tells of the period only, also where the rotation was before it', async () => {
    const { clock, look, rotate, pingAt } = await projectOf(Date.UTC(2030, 0, 30, 10, 32, 30));
    await pingAt(Date.UTC(2030, 0, 30, 10, 32, 40));
    clock.nowMs += 1;
    await rotate();
    await pingAt(Date.UTC(2030, 0, 31, 12));
    await pingAt(Date.UTC(2030, 1, 2, 12));
    const { usage, sinceRotation } = await look();
    expect(usage).toMatchObject({ period: '2030-02', requests: 1, units: 1 });
    expect(usage.days.map(({ start }) => start)).toEqual(['2030-02-01T00:00:00.000Z', '2030-02-02T00:00:00.000Z']);
    expect(sinceRotation?.requests).toBe(2);
  });

  test('counts the requests of a replaced key since its rotation, to the request, as long as its grace lasts', async () => {
    const { clock, key, keyId, look, rotate, pingAt, browser, path } = await projectOf();
    for (const before of [DAY_MS, HOUR_MS, 2 * MINUTE_MS, 10 * SECOND_MS, 1]) await pingAt(ROTATED_MS - before);
    clock.nowMs = ROTATED_MS;
    const { key: newKey = '', keyId: newKeyId = '' } = await rotate();
    const since = { replacedAt: '2030-01-15T10:32:30.000Z', countedFrom: '2030-01-15T10:32:30.000Z', complete: true };
    expect(await look()).toMatchObject({ replacedBy: newKeyId, sinceRotation: { ...since, requests: 0 } });
    expect(await look(newKeyId)).toMatchObject({ replaces: keyId, sinceRotation: null });
    // In the same minute, part, hour and day, on the next day, and five days later.
    const after = [SECOND_MS, 2 * MINUTE_MS, 20 * MINUTE_MS, 3 * HOUR_MS, DAY_MS, 5 * DAY_MS];
    for (const [i, ms] of after.entries()) {
      await pingAt(ROTATED_MS + ms, newKey);
      await pingAt(ROTATED_MS + ms, key);
      expect((await look()).sinceRotation).toEqual({ ...since, requests: i + 1 });
      // By now the sums are stored.
      expect((await look()).sinceRotation).toEqual({ ...since, requests: i + 1 });
    }
    expect((await look()).usage).toMatchObject({ requests: after.length + 5 });
    expect((await browser.post(`${path(keyId)}/revoke`)).status).toBe(200);
    expect(await look()).toMatchObject({ status: 'revoked', sinceRotation: null });
  });

  test('tells where the count begins, if a project had very many requests just after the rotation', async () => {
    const { clock, portal, projectId, keyId, look, rotate } = await projectOf();
    await rotate();
    const events = (fromMs: number, count: number) =>
      Array.from({ length: count }, (_, i) =>
        someEvent({ projectId, keyId, requestId: randomUUID(), occurredAt: new Date(fromMs + i).toISOString() }),
      );
    await putEvents(portal.store, [...events(ROTATED_MS, 600), ...events(ROTATED_MS + 10 * MINUTE_MS, 7)]);
    clock.nowMs += HOUR_MS;
    expect((await look()).sinceRotation).toEqual({
      replacedAt: '2030-01-15T10:32:30.000Z',
      countedFrom: '2030-01-15T10:35:00.000Z',
      complete: true,
      requests: 7,
    });
  });

  test('is answered with 503 when any of its reads fails, and in full when the sums cannot be kept', async () => {
    const { portal, gateway, key, keyId, browser, path, look, rotate } = await projectOf();
    await rotate();
    await gateway.ping(key);
    const server = await misbehavingServer();
    let failing = '';
    intercept(portal.client, (attempt) =>
      attempt.operation === failing ? server.answer(attempt, 'isUnavailable') : attempt.send(),
    );
    for (failing of ['BatchGetItem', 'UpdateItem', 'GetItem', 'Query']) {
      const { status, body } = await browser.get(path(keyId));
      expect([failing, status, body]).toEqual([failing, 503, expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' })]);
    }
    failing = 'PutItem';
    expect(await look()).toMatchObject({ usage: { complete: true, units: 1 }, sinceRotation: { requests: 1 } });
    server.close();
  });
});

test('a second look takes two round trips behind the one for who asks, whatever happened, in a grace too', async () => {
  const { clock, portal, projectId, keyId, look, rotate, browser, path } = await projectOf();
  await rotate();
  clock.nowMs += 2 * DAY_MS + 3 * MINUTE_MS;
  // Of the period's days there are kept sums, and of hours only in the days of the rotation and of today.
  const times = [
    ...Array.from({ length: 17 }, (_, day) => Date.UTC(2030, 0, day + 1)),
    ...[15, 17].flatMap((day) => Array.from({ length: 23 }, (_, hour) => Date.UTC(2030, 0, day, hour + 1))),
  ];
  const keys = Array.from({ length: 20 }, (_, n) => (n === 0 ? keyId : `key_${String(n).padStart(16, '0')}`));
  const events = times.flatMap((atMs) =>
    keys.map((id) =>
      someEvent({ projectId, keyId: id, requestId: randomUUID(), occurredAt: new Date(atMs).toISOString() }),
    ),
  );
  await putEvents(portal.store, events);
  const first = await look();
  expect(first).toMatchObject({ usage: { complete: true }, sinceRotation: { complete: true } });
  const record = recordCalls(portal.client);
  const { units } = await readUnitsOf(portal, () => browser.get(path(keyId)));
  expect(record.roundTrips).toBe(3);
  expect(record.commands.filter((command) => command !== 'Query').toSorted()).toEqual([
    ...['BatchGetItem', 'GetItem', 'GetItem', 'GetItem', 'UpdateItem'],
  ]);
  expect(units).toBeLessThanOrEqual(50);
  expect(await look()).toEqual(first);
});
