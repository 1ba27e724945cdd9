import { beforeEach, describe, expect, test } from '@jest/globals';
import { verifyLedger } from '../../functions/usage/checks/verification.ts';
import { periodOf } from '../../functions/shared/time.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { readItem } from '../../functions/shared/store/tables.ts';
import { storeCap, storedCaps } from '../support/caps.ts';
import { partition, recordCalls } from '../support/database.ts';
import { quotaHeaders } from '../support/expectations.ts';
import { intercept } from '../support/faults.ts';
import { tenant, testGateway, type TenantOptions, type TestGateway } from '../support/gateway.ts';
import type { TestResponse } from '../support/http.ts';
import { DAY_MS, MONTH_END_EPOCH_SECONDS, NOW_MS } from '../support/times.ts';

const NO = 'KEY_QUOTA_EXCEEDED';
const RETENTION_SECONDS = 400 * 86_400;
const codeOf = ({ status, body }: TestResponse) => (status === 200 ? 200 : body.code);

let gateway: TestGateway;
beforeEach(() => {
  gateway = testGateway();
});

/** A project with a key whose cap counts by a period of its own. */
async function capped(unitsLimit: number, suffix: string, options: TenantOptions = {}) {
  const made = await tenant(gateway, { rpm: 1_800, ...options });
  const capId = `${made.keyId}${suffix}`;
  await storeCap(gateway.store, made.key, unitsLimit, capId);
  return { ...made, capId };
}
const consistentIn = async (projectId: string, ...months: string[]): Promise<void> => {
  for (const id of months) {
    const period = periodOf(id, 'month');
    if (!period) throw new Error(`${id} is no month`);
    expect(await verifyLedger(gateway.store, projectId, period)).toMatchObject({ consistent: true });
  }
};
const retryAfter = ({ headers }: TestResponse) => headers['retry-after'];

/** The last moment of a cap's period, and the ids of that period and of the next. */
const ENDS = [
  ['a day', '.d', Date.UTC(2030, 0, 16), '2030-01-15', '2030-01-16'],
  ['an ISO week', '.w', Date.UTC(2030, 0, 21), '2030-W03', '2030-W04'],
  ['an ISO week in two years', '.w', Date.UTC(2031, 0, 6), '2031-W01', '2031-W02'],
  ['a month', '', Date.UTC(2030, 1), '2030-01', '2030-02'],
  ['a year, by day', '.d', Date.UTC(2031, 0), '2030-12-31', '2031-01-01'],
  ['a year, by month', '', Date.UTC(2031, 0), '2030-12', '2031-01'],
] as const;

describe('a cap begins again at the end of', () => {
  test.each(ENDS)('%s', async (_, suffix, endMs, spanId, nextId) => {
    gateway.clock.nowMs = endMs - 1;
    const { key, keyId, projectId, capId } = await capped(2, suffix);
    for (const left of [1, 0]) {
      expect((await gateway.ping(key)).headers).toMatchObject(quotaHeaders(2, left, endMs / 1_000));
    }
    const refused = await gateway.ping(key);
    const day = new Date(endMs).toISOString().slice(0, 10);
    expect(refused).toMatchObject({
      body: { code: NO, detail: expect.stringContaining(`The next period begins on ${day} at 00:00 UTC.`) },
      headers: { ...quotaHeaders(2, 0, endMs / 1_000), 'retry-after': '1', ratelimit: '"key-quota";r=0;t=1' },
    });
    gateway.clock.nowMs = endMs;
    expect([codeOf(await gateway.ping(key)), retryAfter(refused)]).toEqual([200, '1']);
    const parts = (units: number, ms: number) =>
      suffix === '.w' ? { [`m${new Date(ms).toISOString().slice(0, 7)}`]: units } : {};
    expect(await storedCaps(gateway.store, projectId)).toEqual({
      [`${spanId}#${capId}`]: { units: 2, ...parts(2, endMs - 1) },
      [`${nextId}#${capId}`]: { units: 1, ...parts(1, endMs) },
    });
    expect(await readItem(gateway.store, itemKey.capUnits(projectId, spanId, capId))).toMatchObject({
      ttl: endMs / 1_000 + RETENTION_SECONDS,
    });
    const events = await partition(gateway.store, projectId, gateway.store.tables.usage);
    const charged = events.filter(({ units }) => units === 1);
    expect(charged).toHaveLength(3);
    const named = suffix === '' ? { capId: keyId } : { cap: capId };
    for (const event of charged) {
      expect(event).toMatchObject(named);
      expect(Object.keys(event)).not.toContain(suffix === '' ? 'cap' : 'capId');
    }
    await consistentIn(projectId, ...new Set([endMs - 1, endMs].map((ms) => new Date(ms).toISOString().slice(0, 7))));
  });

  test('a week in the middle, of which each month has its part', async () => {
    gateway.clock.nowMs = Date.UTC(2030, 0, 31, 12);
    const { key, projectId, capId } = await capped(3, '.w');
    for (let n = 0; n < 2; n++) await gateway.ping(key);
    gateway.clock.nowMs += DAY_MS;
    expect([codeOf(await gateway.ping(key)), codeOf(await gateway.ping(key))]).toEqual([200, NO]);
    expect(await storedCaps(gateway.store, projectId)).toEqual({
      [`2030-W05#${capId}`]: { units: 3, 'm2030-01': 2, 'm2030-02': 1 },
    });
    await consistentIn(projectId, '2030-01', '2030-02');
  });
});

describe('a cap that counts once', () => {
  test('has not begun again after 400 days, and its refusal does not say to wait', async () => {
    const { key, projectId, capId } = await capped(2, '.o');
    const project = (used: number, endSeconds: number) => quotaHeaders(10_000, 10_000 - used, endSeconds);
    expect((await gateway.ping(key)).headers).toMatchObject({
      ...project(1, MONTH_END_EPOCH_SECONDS),
      'ratelimit-policy': '"minute";q=1800;w=60, "quota";q=10000, "key-quota";q=2',
      ratelimit: expect.stringMatching(/^"minute";r=1799;t=30, "quota";r=9999;t=\d+, "key-quota";r=1$/),
    });
    await gateway.ping(key);
    gateway.clock.nowMs += 400 * DAY_MS;
    const refused = await gateway.ping(key);
    expect(refused).toMatchObject({
      body: {
        code: NO,
        detail: 'This API key has used up its own request units of this period. There is no next period.',
      },
      headers: {
        ...project(0, Date.UTC(2031, 2) / 1_000),
        'ratelimit-policy': '"key-quota";q=2',
        ratelimit: '"key-quota";r=0',
      },
    });
    expect(retryAfter(refused)).toBeUndefined();
    const simulated = await gateway.ping(key, { body: JSON.stringify({ simulate: NO }) });
    expect([retryAfter(simulated), simulated.body.detail]).toEqual([undefined, refused.body.detail]);
    await storeCap(gateway.store, key, 3, capId);
    expect(codeOf(await gateway.ping(key))).toBe(200);
    const counter = await readItem(gateway.store, itemKey.capUnits(projectId, 'once', capId));
    expect(counter).toMatchObject({ units: 3, 'm2030-01': 2, 'm2031-02': 1 });
    expect(counter).not.toHaveProperty('ttl');
    await consistentIn(projectId, '2031-02');
  });

  test('leaves a project without a quota without headers of one', async () => {
    const { key } = await capped(1, '.o', { quotaLimit: undefined });
    for (const answer of [await gateway.ping(key), await gateway.ping(key)]) {
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-service-quota'))).toEqual([]);
      expect(answer.headers.ratelimit).toContain('"key-quota";r=0');
    }
  });

  test('adds the months whose events are gone to what was before, each once', async () => {
    const { key, projectId, capId } = await capped(100, '.o');
    await gateway.ping(key);
    gateway.clock.nowMs = Date.UTC(2030, 1, 1);
    await gateway.ping(key);
    await gateway.ping(key);
    // The last second of January and 400 days.
    gateway.clock.nowMs = (MONTH_END_EPOCH_SECONDS + RETENTION_SECONDS) * 1_000 - 1;
    await gateway.ping(key);
    expect(await storedCaps(gateway.store, projectId)).toEqual({
      [`once#${capId}`]: { units: 4, 'm2030-01': 1, 'm2030-02': 2, 'm2031-03': 1 },
    });
    gateway.clock.nowMs++;
    await gateway.ping(key);
    expect(await storedCaps(gateway.store, projectId)).toEqual({
      [`once#${capId}`]: { units: 5, before: 1, 'm2030-02': 2, 'm2031-03': 2 },
    });
    gateway.clock.nowMs = Date.UTC(2031, 6, 1);
    // All see the same month.
    const late = [gateway, testGateway(), testGateway()];
    for (const instance of late) instance.clock.nowMs = gateway.clock.nowMs;
    await Promise.all([...late, ...late].map((instance) => instance.ping(key)));
    await gateway.ping(key);
    expect(await storedCaps(gateway.store, projectId)).toEqual({
      [`once#${capId}`]: { units: 12, before: 3, 'm2031-03': 2, 'm2031-07': 7 },
    });
    await consistentIn(projectId, '2031-03', '2031-07');
  });
});

test('the headers show the tightest limit that begins again, each with its own end', async () => {
  const { key } = await capped(9, '.d', { quotaLimit: 5 });
  const dayEnd = Date.UTC(2030, 0, 16) / 1_000;
  const answer = await gateway.ping(key);
  expect(answer.headers).toMatchObject(quotaHeaders(5, 4, MONTH_END_EPOCH_SECONDS));
  const inSeconds = (end: number) => end - NOW_MS / 1_000;
  expect(answer.headers.ratelimit).toBe(
    `"minute";r=1799;t=30, "quota";r=4;t=${inSeconds(MONTH_END_EPOCH_SECONDS)}, "key-quota";r=8;t=${inSeconds(dayEnd)}`,
  );
  const simulated = await gateway.ping(key, { body: JSON.stringify({ simulate: NO }) });
  expect(simulated.headers).toMatchObject({
    ...quotaHeaders(9, 0, dayEnd),
    'retry-after': String(inSeconds(dayEnd)),
  });
});

test('an instance that remembers another counter of a key reads again, and refuses by no count but that of its cap', async () => {
  const { key, keyId, projectId } = await capped(1, '.d');
  expect([codeOf(await gateway.ping(key)), codeOf(await gateway.ping(key))]).toEqual([200, NO]);
  await storeCap(gateway.store, key, 1, `${keyId}.w`);
  const calls = recordCalls(gateway.client);
  expect(codeOf(await gateway.ping(key))).toBe(200);
  expect([calls.roundTrips, calls.commands.filter((name) => name === 'BatchGetItem')]).toEqual([
    3,
    ['BatchGetItem', 'BatchGetItem'],
  ]);
  expect(codeOf(await gateway.ping(key))).toBe(NO);
  await consistentIn(projectId, '2030-01');
});

test('a request whose period ends before its settlement counts in that of its receipt', async () => {
  const dayEnd = Date.UTC(2030, 0, 16);
  gateway.clock.nowMs = dayEnd - 1;
  const { key, projectId, capId } = await capped(1, '.d');
  intercept(gateway.client, (attempt) => {
    if (attempt.operation === 'TransactWriteItems') gateway.clock.nowMs = dayEnd + 1;
    return attempt.send();
  });
  expect((await gateway.ping(key)).headers).toMatchObject(quotaHeaders(1, 0, dayEnd / 1_000));
  expect(await storedCaps(gateway.store, projectId)).toEqual({ [`2030-01-15#${capId}`]: { units: 1 } });
  expect(codeOf(await gateway.ping(key))).toBe(200);
  await consistentIn(projectId, '2030-01');
});
