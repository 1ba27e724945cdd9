import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { UsageSeries } from '../../functions/usage/sums/buckets.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { countReadUnits } from '../../bin/admin/usage-meter.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { recordCalls } from '../support/database.ts';
import { intercept, misbehavingServer } from '../support/faults.ts';
import { created, read, stageWithTenant } from '../support/portal-team.ts';
import { putEvents, putItems } from '../support/stored-events.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, NOW_MS } from '../support/times.ts';
import { program, tokenOf } from '../support/tokens.ts';
import { someEvent } from '../support/usage-events.ts';

const keyId = (n: number): string => `key_${String(n).padStart(16, '0')}`;

type Answer = UsageSeries & {
  readonly since: string;
  readonly until: string;
  readonly by: string;
  readonly others: { readonly keys: number; readonly requests: number; readonly units: number };
};
const oneAt = (projectId: string, epochMs: number, more: Partial<UsageEvent> = {}): UsageEvent =>
  someEvent({ projectId, requestId: randomUUID(), occurredAt: new Date(epochMs).toISOString(), ...more });

async function projectOf(nowMs = NOW_MS) {
  const stage = await stageWithTenant({ nowMs });
  const path = `${stage.project}/usage`;
  const usage = (query: Record<string, string> = {}) =>
    read<Answer>(stage.browser.get(path, new URLSearchParams(query).toString()));
  return { ...stage, path, usage };
}

describe('the usage of a project', () => {
  test('is that of its requests, within the same second', async () => {
    const { gateway, clock, key, keyId: own, usage } = await projectOf();
    await gateway.ping(key);
    await gateway.ping(key, { body: '[]' });
    clock.nowMs += 1;
    const figures = { requests: 2, units: 1, outcomes: { request_succeeded: 1, request_rejected: 1 } };
    const { buckets, total, ...answer } = await usage();
    expect(answer).toEqual({
      since: '2030-01-14T10:00:00.000Z',
      until: '2030-01-15T11:00:00.000Z',
      by: 'hour',
      complete: true,
      remaining: 0,
      refusals: [{ keyId: own, code: 'INVALID_REQUEST', requests: 1 }],
    });
    // Hours without requests are left out.
    expect(buckets).toEqual([{ start: '2030-01-15T10:00:00.000Z', ...total }]);
    expect(total).toMatchObject({ ...figures, p50LatencyMs: expect.any(Number), chargedOnly: false });
    expect((await usage({ keyId: own })).total).toEqual({
      ...figures,
      p50LatencyMs: null,
      p95LatencyMs: null,
      chargedOnly: false,
    });
    expect((await usage({ keyId: keyId(0) })).total).toMatchObject({ requests: 0, units: 0, outcomes: {} });
  });

  test('by key comes to that of the project, most units first', async () => {
    const { gateway, clock, browser, project, key, keyId: first, usage } = await projectOf();
    const other = await created(browser.post(`${project}/keys`, { name: 'other' }));
    await gateway.ping(key);
    await gateway.ping(other.key ?? '');
    await gateway.ping(other.key ?? '');
    await gateway.ping(key, { body: '[]' });
    clock.nowMs += 1;
    const { keys, others, total, buckets, by } = await usage({ by: 'key' });
    expect([by, buckets, total.units]).toEqual(['hour', [], 3]);
    expect(keys).toEqual([
      { keyId: other.keyId, requests: 2, units: 2 },
      { keyId: first, requests: 2, units: 1 },
    ]);
    expect(others).toEqual({ keys: 0, requests: 0, units: 0 });
  });

  test('by key, in a span of days, has the units of each day of a key, as the days of the project come to them', async () => {
    const { portal, projectId, usage } = await projectOf();
    const at = (n: number, daysAgo: number, units = 1) =>
      oneAt(projectId, NOW_MS - daysAgo * DAY_MS, { keyId: keyId(n), units });
    await putEvents(portal.store, [at(1, 0), at(1, 6, 2), at(1, 6), at(1, 8), at(2, 1), at(2, 0, 0)]);
    const since = '2030-01-09T00:00:00Z';
    for (let looks = 0; looks < 2; looks++) {
      const { keys, by } = await usage({ by: 'key', since });
      expect(keys).toEqual([
        { keyId: keyId(1), requests: 3, units: 4, days: [3, 0, 0, 0, 0, 0, 1] },
        { keyId: keyId(2), requests: 2, units: 1, days: [0, 0, 0, 0, 0, 1, 0] },
      ]);
      expect(by).toBe('day');
    }
    // Of a year the answer would be large.
    expect((await usage({ by: 'key', since: '2029-06-09T00:00:00Z' })).keys[0]).not.toHaveProperty('days');
  });

  test.each<[Record<string, string>, string, string, number]>([
    [{ by: 'hour', since: '2030-01-15T07:30:00Z' }, '2030-01-15T07:00', '2030-01-15T11:00', 4],
    [{ by: 'day', since: '2030-01-13T23:59:59.999Z' }, '2030-01-13T00:00', '2030-01-16T00:00', 3],
    [{ by: '5min', since: '2030-01-15T09:33:00+00:00' }, '2030-01-15T09:30', '2030-01-15T10:05', 7],
    [{ by: 'day', until: '2030-01-10T00:00:00Z' }, '2030-01-09T00:00', '2030-01-10T00:00', 1],
    // A time in the future counts as now.
    [
      { by: 'hour', since: '2030-01-15T10:00:00Z', until: '2031-01-01T00:00:00Z' },
      '2030-01-15T10:00',
      '2030-01-15T11:00',
      1,
    ],
    [{ since: '2030-02-01T00:00:00Z', until: '2031-01-01T00:00:00Z' }, '2030-01-15T10:00', '2030-01-15T11:00', 1],
    [{ since: '2030-01-15T08:00:00Z', until: '2030-01-15T08:00:00Z' }, '2030-01-15T08:00', '2030-01-15T08:00', 0],
    [{ by: 'day', since: '2028-12-11T10:00:30Z' }, '2028-12-11T00:00', '2030-01-16T00:00', 401],
  ])('of %j is of whole buckets', async (query, since, until, buckets) => {
    const { usage, portal, projectId } = await projectOf();
    const endMs = Math.min(Date.parse(`${until}:00Z`), NOW_MS + 1);
    const stepMs = { '5min': 5 * MINUTE_MS, hour: HOUR_MS, day: DAY_MS }[query.by ?? 'hour'] ?? NaN;
    // At the end of each: the first events of the oldest day are not kept any more.
    const times = Array.from({ length: buckets }, (_, i) => Date.parse(`${since}:00Z`) + (i + 1) * stepMs - 1);
    await putEvents(
      portal.store,
      times.map((ms) => oneAt(projectId, Math.min(ms, endMs - 1))),
    );
    const answer = await usage(query);
    expect([answer.since, answer.until]).toEqual([`${since}:00.000Z`, `${until}:00.000Z`]);
    expect([answer.complete, answer.buckets.length]).toEqual([true, buckets]);
    const lengthMs = { '5min': 5 * MINUTE_MS, hour: 60 * MINUTE_MS, day: DAY_MS }[answer.by] ?? NaN;
    answer.buckets.forEach(({ start }, i) => {
      expect(Date.parse(start)).toBe(Date.parse(answer.since) + i * lengthMs);
    });
  });

  describe('refuses, by name, to somebody who is signed in', () => {
    const TOO_LONG = 'A span is at most 400 days, by hour at most 31 and by 5min at most one.';
    let project: Awaited<ReturnType<typeof projectOf>>;
    beforeAll(async () => {
      project = await projectOf();
    });

    test.each([
      ['by=week', 'by', 'Give one of 5min, hour, day, key.'],
      ['since=yesterday', 'since'],
      ['keyId=x', 'keyId', 'Give the id of a key.'],
      ['keyId=xkey_0000000000000000', 'keyId'],
      ['keyId=key_00000000000000000', 'keyId'],
      ['since=2030-01-15T09:00:00Z&until=2030-01-15T08:00:00Z', 'until'],
      ['by=day&since=2028-12-11T09:59:29Z', 'since', TOO_LONG],
      ['by=5min&since=2030-01-14T09:59:29Z', 'since', TOO_LONG],
      ['by=hour&since=2029-12-15T09:59:29Z', 'since', TOO_LONG],
      ['by=day&since=2028-12-10T23:59:59Z&until=2028-12-12T00:00:00Z', 'since', 'Usage is kept for 400 days'],
      ['by=day&until=2028-12-11T12:00:00Z', 'since', 'Usage is kept for 400 days'],
      ['until=2030-01-14T10:00:29Z&since=1970-01-01T00:00:00Z', 'since'],
      ['by=hour&by=day', 'by'],
    ])('%s', async (query, field, words = '') => {
      const { browser, portal, path } = project;
      const { status, body } = await browser.get(path, query);
      const detail = expect.stringContaining(words);
      expect([status, body]).toEqual([400, expect.objectContaining({ code: 'INVALID_REQUEST', field, detail })]);
      expect((await portal.send({ path, query })).status).toBe(401);
    });
  });

  test('is answered when it cannot be kept, and that is logged', async () => {
    const { portal, gateway, key, usage } = await projectOf();
    await gateway.ping(key);
    const server = await misbehavingServer();
    intercept(portal.client, (attempt) =>
      attempt.operation === 'PutItem' ? server.answer(attempt, 'isUnavailable') : attempt.send(),
    );
    expect(await usage()).toMatchObject({ complete: true, total: { units: 1 } });
    expect(portal.telemetry.warnings).toHaveLength(1);
    server.close();
  });
});

test('a second look at a month takes three round trips and at most 40 read units, whatever happened in it', async () => {
  // 20 keys with several outcomes each day, in the hours of today and in the parts of this hour.
  const { clock, portal, projectId, usage } = await projectOf(Date.UTC(2030, 0, 15, 20, 57, 30));
  const outcomes = [
    { event: 'request_succeeded', code: null, units: 1 },
    { event: 'rate_limit_rejected', code: 'RATE_LIMIT_EXCEEDED', units: 0 },
    { event: 'request_rejected', code: 'INVALID_REQUEST', units: 0 },
  ] as const;
  const times = [
    ...Array.from({ length: 30 }, (_, day) => NOW_MS - day * DAY_MS),
    ...Array.from({ length: 21 }, (_, hour) => Date.UTC(2030, 0, 15, hour)),
    ...Array.from({ length: 11 }, (_, part) => Date.UTC(2030, 0, 15, 20, 5 * part)),
  ];
  const events = times.flatMap((startMs, i) =>
    Array.from({ length: 60 }, (_, n) =>
      someEvent({
        projectId,
        requestId: randomUUID(),
        keyId: keyId(n % 20),
        ...outcomes[n % 3],
        occurredAt: new Date(startMs + n * 50).toISOString(),
        latencyMs: 5 + ((n * i) % 90),
      }),
    ),
  );
  await putEvents(portal.store, events);
  const month = { by: 'day', since: new Date(clock.nowMs - 29 * DAY_MS).toISOString() };
  const first = await usage(month);
  // The 40 refusals of the first day may have expired: they are more than 29 days old.
  expect(first).toMatchObject({ complete: true, total: { requests: events.length - 40, chargedOnly: true } });
  const record = recordCalls(portal.client);
  const readUnits = countReadUnits(portal.store.client);
  expect(await usage(month)).toEqual(first);
  expect(record.roundTrips).toBe(3);
  expect(record.commands.toSorted()).toEqual([
    ...['BatchGetItem', 'GetItem', 'Query', 'Query', 'Query', 'Query', 'UpdateItem'],
  ]);
  expect(readUnits()).toBeLessThanOrEqual(40);
});

describe('what an answer can cost and weigh, on the page and for programs', () => {
  /** A project with this many keys, each with its item; the n-th was used n % 7 times, and its name is `key n`. */
  async function projectWithKeys(count: number) {
    const stage = await projectOf();
    const { portal, projectId, browser, account } = stage;
    const keys = Array.from({ length: count }, (_, n) => ({ keyId: keyId(n), keyHash: `hash ${projectId} ${n}`, n }));
    await putItems(
      portal.store,
      keys.flatMap(({ keyId, keyHash, n }) => [
        { ...itemKey.keyReference(projectId, keyId), keyId, keyHash },
        { ...itemKey.apiKey(keyHash), keyId, projectId, name: `key ${n}`, lastFour: 'abcd' },
      ]),
    );
    await putEvents(
      portal.store,
      keys.flatMap(({ keyId, n }) =>
        // In six hours: of one hour only 500 keys are told apart.
        Array.from({ length: n % 7 }, (_, i) => oneAt(projectId, NOW_MS - (1 + (n % 6)) * HOUR_MS + i, { keyId })),
      ),
    );
    const ci = program(portal, (await tokenOf(browser, account)).token);
    const ofCi = (query: Record<string, string>) =>
      read<Answer>(ci.get(`/projects/${projectId}/usage`, new URLSearchParams(query).toString()));
    return { ...stage, ci, ofCi };
  }
  type Sums = Pick<Answer['others'], 'requests' | 'units'>;
  const sumOf = (sums: readonly Sums[], name: keyof Sums): number => sums.reduce((sum, one) => sum + one[name], 0);

  test('by key lists and names the 500 keys with the most units, and tells the sum of the others', async () => {
    const { portal, usage, ofCi } = await projectWithKeys(2_500);
    let programs = await ofCi({ by: 'key' });
    while (!programs.complete) programs = await ofCi({ by: 'key' });
    const readUnits = countReadUnits(portal.own.store.client);
    expect(await ofCi({ by: 'key' })).toEqual(programs);
    // The names of 500 keys at one unit for each of their two items, and the sums.
    expect(readUnits()).toBeLessThanOrEqual(1_600);
    const names = Array.from({ length: 2_500 }, (_, n) => n)
      .filter((n) => n > 0 && n % 7 > 0)
      .toSorted((a, b) => (b % 7) - (a % 7) || a - b);
    expect(programs.keys).toEqual(
      names.slice(0, 500).map((n) => ({ keyId: keyId(n), name: `key ${n}`, requests: n % 7, units: n % 7 })),
    );
    for (const { keys, others, total } of [programs, await usage({ by: 'key' })]) {
      expect([keys.length, others.keys]).toEqual([500, names.length - 500]);
      for (const what of ['requests', 'units'] as const) expect(sumOf([...keys, others], what)).toBe(total[what]);
    }
  });

  test('an empty project is told in a few bytes, however long the span, also where it is asked for a while ago', async () => {
    const { browser, path, ci, projectId } = await projectWithKeys(0);
    for (const query of ['by=hour&since=2029-12-15T09:59:30Z', 'by=day&since=2028-12-11T10:00:30Z']) {
      for (const answer of [browser.get(path, query), ci.get(`/projects/${projectId}/usage`, query)]) {
        const { status, text, body } = await answer;
        expect([status, body]).toEqual([200, expect.objectContaining({ complete: true, buckets: [] })]);
        expect(text.length).toBeLessThan(500);
      }
    }
  });

  test('31 days by hour have all that were used, and no more', async () => {
    const { portal, projectId, ofCi, usage } = await projectWithKeys(0);
    const sinceMs = NOW_MS - 31 * DAY_MS;
    const used = [sinceMs, NOW_MS - 20 * DAY_MS, NOW_MS - HOUR_MS];
    await putEvents(
      portal.store,
      used.map((ms) => oneAt(projectId, ms)),
    );
    const query = { by: 'hour', since: new Date(sinceMs).toISOString() };
    for (const { buckets, total } of [await ofCi(query), await usage(query)]) {
      expect(buckets.map(({ start, units }) => [Date.parse(start), units])).toEqual(
        used.map((ms) => [Math.floor(ms / HOUR_MS) * HOUR_MS, 1]),
      );
      expect(total.units).toBe(3);
    }
  });
});
