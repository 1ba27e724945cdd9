import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, test } from '@jest/globals';
import { EVENTS_PER_PIECE, EXPORT_FORMATS, textOf } from '../../bin/admin/usage-export.ts';
import { requestIdAt } from '../../functions/shared/ids.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { findEvent } from '../../functions/usage/events/one-event.ts';
import { completeRecent, readLastRequest, readLastUsage, readRecent } from '../../functions/usage/events/recent.ts';
import { listUsage } from '../../functions/usage/events/log.ts';
import { itemsPerPage } from '../support/books-by-hand.ts';
import { recordCalls } from '../support/database.ts';
import { gatewayWithTenant, tenant, testGateway, type TestGateway } from '../support/gateway.ts';
import { putEvents } from '../support/stored-events.ts';
import { DAY_MS, MINUTE_MS, NOW_MS } from '../support/times.ts';
import { someEvent } from '../support/usage-events.ts';

const revoked = { code: 'API_KEY_REVOKED', status: 401, event: 'request_rejected', units: 0 } as const;
const at = (epochMs: number) => new Date(epochMs).toISOString();
const requestId = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A project with two refusals of a revoked key and two other requests, in the order of time. */
async function minuteOfEvents(gateway: TestGateway) {
  const { projectId } = await tenant(gateway);
  const event = (n: number, occurredAtMs: number, given: Partial<UsageEvent> = {}) =>
    someEvent({ projectId, requestId: requestId(n), occurredAt: at(occurredAtMs), ...given });
  const events = [
    event(1, NOW_MS),
    event(2, NOW_MS + 10_000, { ...revoked, keyId: 'key_b' }),
    event(3, NOW_MS + 20_000, { clientRequestId: 'c' }),
    event(4, NOW_MS + MINUTE_MS + 1, { ...revoked, keyId: 'key_a' }),
  ];
  await putEvents(gateway.store, events.toReversed());
  return { projectId, events };
}

test('events are listed in the order in which they happened, whole, with their fields in one order', async () => {
  const gateway = testGateway();
  const { projectId, events } = await minuteOfEvents(gateway);
  const listed = await Array.fromAsync(listUsage(gateway.store, projectId, {}));
  expect(JSON.stringify(listed)).toBe(JSON.stringify(events));
  const span = { sinceMs: NOW_MS + 10_000, untilMs: NOW_MS + 20_000 };
  expect(await Array.fromAsync(listUsage(gateway.store, projectId, span))).toEqual([events[1]]);
});

test.each([1, 2, 3, 9])('the last %d are the end of the list, in its order', async (count) => {
  const gateway = testGateway();
  const { projectId, events } = await minuteOfEvents(gateway);
  expect(await readLastUsage(gateway.store, projectId, {}, count)).toEqual(events.slice(-count));
  const span = { untilMs: NOW_MS + MINUTE_MS };
  expect(await readLastUsage(gateway.store, projectId, span, count)).toEqual(events.slice(0, 3).slice(-count));
});

test('the last of very many are read a page at a time, in few queries', async () => {
  const { gateway, projectId } = await gatewayWithTenant();
  const events = Array.from({ length: 1_200 }, (_, n) =>
    someEvent({ projectId, requestId: requestId(n), occurredAt: at(NOW_MS + n * 100) }),
  );
  await putEvents(gateway.store, events);
  const { commands } = recordCalls(gateway.operatorClient);
  expect(await readLastUsage(gateway.store, projectId, {}, 1_100)).toEqual(events.slice(-1_100));
  // For each of two pages, one for its events and one for the refusals of its last minute.
  expect(commands).toEqual(['GetItem', ...Array<string>(4).fill('Query')]);
});

describe('one event is found by the id of its request', () => {
  const idAt = (timeMs: number): string => requestIdAt(timeMs, randomBytes);

  /** A project with an event among many others of its millisecond and its minute, and with a refusal of that minute. */
  async function amongOthers(gateway: TestGateway) {
    const { projectId } = await tenant(gateway);
    const event = (timeMs: number, given: Partial<UsageEvent> = {}) =>
      someEvent({ projectId, requestId: idAt(timeMs), occurredAt: at(timeMs), ...given });
    const wanted = event(NOW_MS - 399 * DAY_MS);
    const others = [0, 0, 1, -1, MINUTE_MS].map((ms) => event(Date.parse(wanted.occurredAt) + ms));
    const refusal = event(NOW_MS - 20_000, revoked);
    await putEvents(gateway.store, [...others, wanted, refusal]);
    return { projectId, wanted, refusal };
  }

  test('in one query that reads one event, however old it is', async () => {
    const gateway = testGateway();
    const { projectId, wanted } = await amongOthers(gateway);
    itemsPerPage(gateway.store, 1);
    const { commands } = recordCalls(gateway.operatorClient);
    expect(await findEvent(gateway.store, projectId, wanted.requestId)).toEqual({ event: wanted, keptInstead: [] });
    expect(commands).toEqual(['Query']);
  });

  test('of a refusal before admission, in one more query of its minute; a later one has none', async () => {
    const gateway = testGateway();
    const { projectId, refusal } = await amongOthers(gateway);
    const { commands } = recordCalls(gateway.operatorClient);
    expect((await findEvent(gateway.store, projectId, refusal.requestId)).event).toEqual(refusal);
    expect(commands).toEqual(['Query', 'Query']);
    const later = idAt(Date.parse(refusal.occurredAt) + 1);
    expect(await findEvent(gateway.store, projectId, later)).toEqual({ event: undefined, keptInstead: [refusal] });
    const ofAnotherMinute = idAt(Date.parse(refusal.occurredAt) + MINUTE_MS);
    const none = { event: undefined, keptInstead: [] };
    expect(await findEvent(gateway.store, projectId, ofAnotherMinute)).toEqual(none);
  });

  test('not of another project, and not once it has expired, though the table has it', async () => {
    const gateway = testGateway();
    const { wanted, projectId, refusal } = await amongOthers(gateway);
    const other = await tenant(gateway);
    expect((await findEvent(gateway.store, other.projectId, wanted.requestId)).event).toBeUndefined();
    gateway.clock.nowMs += 400 * DAY_MS;
    for (const { requestId } of [wanted, refusal]) {
      const none = { event: undefined, keptInstead: [] };
      expect(await findEvent(gateway.store, projectId, requestId)).toEqual(none);
    }
  });

  test.each(['ffffffff-ffff-7000-8000-000000000000', '00000000-0000-7000-8000-000000000000'])(
    'of a time that no request has: %s',
    async (id) => {
      const gateway = testGateway();
      const { projectId } = await amongOthers(gateway);
      expect((await findEvent(gateway.store, projectId, id)).event).toBeUndefined();
    },
  );
});

describe('a page of the newest events', () => {
  test('looks at no more events than it has room for and one, unless only some of them are asked for', async () => {
    const gateway = testGateway();
    const { projectId } = await minuteOfEvents(gateway);
    const asked = [{}, { code: undefined }, { code: 'API_KEY_REVOKED', keyId: undefined }];
    const readings = asked.map((equal) => readRecent(gateway.store, projectId, { span: {}, equal, limit: 2 }));
    expect((await Promise.all(readings)).map(({ lookedAt }) => lookedAt)).toEqual([3, 3, 4]);
  });

  test('that ends in the first millisecond of a minute is followed by the refusals of that millisecond', async () => {
    const { gateway, projectId } = await gatewayWithTenant();
    const minuteMs = NOW_MS - 30_000;
    const events = [{}, revoked, {}, {}].map((given, n) =>
      someEvent({ projectId, requestId: requestId(n), occurredAt: at(minuteMs - (n === 0 ? 1 : 0)), ...given }),
    );
    await putEvents(gateway.store, events);
    const found: UsageEvent[] = [];
    let next: string | undefined;
    do {
      const filter = { span: {}, equal: {}, before: next, limit: 1 };
      const reading = await readRecent(gateway.store, projectId, filter);
      const page = await completeRecent(gateway.store, projectId, filter, reading);
      found.push(...page.events);
      ({ next } = page);
    } while (next !== undefined && found.length < 9);
    expect(found).toEqual(events.toReversed());
  });
});

test('the last request of a project is the newest, also when a refusal of its minute is stored before others', async () => {
  const { gateway, projectId } = await gatewayWithTenant();
  expect(await readLastRequest(gateway.store, projectId)).toBeNull();
  const minuteMs = NOW_MS - 30_000;
  const event = (n: number, seconds: number, given: Partial<UsageEvent> = {}) =>
    someEvent({ projectId, requestId: requestId(n), occurredAt: at(minuteMs + seconds * 1_000), ...given });
  await putEvents(gateway.store, [
    event(1, 10),
    event(2, 20, revoked),
    event(3, 40),
    event(4, 50, { ...revoked, keyId: 'key_b' }),
  ]);
  expect(await readLastRequest(gateway.store, projectId)).toBe(at(minuteMs + 50_000));
});

test('an export of 2,000 events reads a page only when what it read before is written', async () => {
  const { gateway, projectId } = await gatewayWithTenant();
  const count = 2_000;
  const events = Array.from({ length: count }, (_, i) =>
    someEvent({ projectId, requestId: requestId(i), occurredAt: at(NOW_MS + i * 1_000) }),
  );
  await putEvents(gateway.store, events);
  const pageSize = 500;
  itemsPerPage(gateway.store, pageSize);
  const { commands } = recordCalls(gateway.operatorClient);
  const { store: another } = testGateway();
  const readsOfOthers = async (): Promise<void> => {
    for (let n = 0; n < 3; n++) await readLastRequest(another, projectId);
  };
  let writtenEvents = 0;
  let text = '';
  const slow = new Writable({
    highWaterMark: 1,
    decodeStrings: false,
    write: (chunk: string, _, done) => {
      text += chunk;
      // A reader that does not wait would be pages ahead when other reads of the engine are answered.
      void readsOfOthers().then(() => {
        const minute = 60;
        const pagesNeeded = Math.floor((writtenEvents + EVENTS_PER_PIECE + minute) / pageSize) + 1;
        writtenEvents += EVENTS_PER_PIECE;
        const queries = commands.filter((command) => command === 'Query').length;
        done(queries <= pagesNeeded ? null : new Error(`${queries} pages were read for ${writtenEvents} events`));
      });
    },
  });
  await pipeline(textOf(listUsage(gateway.store, projectId, {}), EXPORT_FORMATS.jsonl()), slow);
  expect(text).toBe(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  expect(commands.filter((command) => command === 'Query').length).toBeGreaterThanOrEqual(count / pageSize);
});
