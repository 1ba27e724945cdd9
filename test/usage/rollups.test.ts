import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { UpdateCommand, type PutCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { StoreUnavailableError } from '../../functions/shared/http/errors.ts';
import { periodAt } from '../../functions/shared/time.ts';
import { DAY, HOUR } from '../../functions/usage/sums/intervals.ts';
import { parseTally } from '../../functions/usage/sums/tally-text.ts';
import { addEvent, emptyTally, figuresOf } from '../../functions/usage/sums/tally.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { countable } from '../../functions/usage/sums/counted-events.ts';
import { endOf, keepRollup, type Rollup } from '../../functions/usage/sums/rollup-items.ts';
import { rollupKeeper } from '../../functions/usage/sums/usage-series.ts';
import { removeRollups } from '../../functions/usage/sums/rollup-removal.ts';
import { verifyLedger } from '../../functions/usage/checks/verification.ts';
import { booksByHand } from '../support/books-by-hand.ts';
import { deleteItem, recordCalls } from '../support/database.ts';
import { apply, intercept, misbehavingServer } from '../support/faults.ts';
import { tenant, testGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import { itemsOf } from '../support/people.ts';
import { putEvents } from '../support/stored-events.ts';
import { testClock } from '../support/reports.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../support/times.ts';
import { someEvent } from '../support/usage-events.ts';
import { lookOnce, lookUntilComplete, type Look } from '../support/usage-look.ts';

const at = (text: string): number => Date.parse(`${text}Z`);
const FREE = { event: 'request_rejected', code: 'INVALID_REQUEST', status: 400, units: 0 } as const;

async function project(now: string) {
  const gateway = testGateway({ clock: testClock(at(now)) });
  const { store, clock } = gateway;
  const { projectId } = await tenant(gateway);
  const event = (occurredAtMs: number, given: Partial<UsageEvent> = {}): UsageEvent => {
    const occurredAt = new Date(occurredAtMs).toISOString();
    return someEvent({ projectId, requestId: randomUUID(), occurredAt, ...given });
  };
  const put = async (...events: UsageEvent[]) => {
    await putEvents(store, events);
    return events;
  };
  const take = async (events: readonly UsageEvent[]) => {
    for (const { occurredAt, requestId } of events) {
      await deleteItem(store, { pk: projectId, sk: `${occurredAt}#${requestId}` }, store.tables.usage);
    }
  };
  return {
    gateway,
    store,
    clock,
    projectId,
    event,
    put,
    take,
    look: (look: Look) => lookOnce(store, projectId, look),
    kept: async () => (await itemsOf(gateway, `ROLLUP#${projectId}`)) as { sk: string; upTo: string; tally: string }[],
    verify: (epochMs = clock.nowMs) =>
      verifyLedger(store, projectId, periodAt(epochMs, 'month'), { removesRollups: true }),
  };
}
type Project = Awaited<ReturnType<typeof project>>;

const last = ({ clock }: Project, ms: number, by: Look['by'] = 'hour'): Look => ({
  by,
  sinceMs: clock.nowMs - ms,
  untilMs: clock.nowMs,
});

/** Limits the events of every page, makes each page take some time, and counts the events that are read. */
function slowPages({ store, clock }: Project, Limit: number, ms: number): { events: number } {
  const read = { events: 0 };
  store.client.middlewareStack.add(
    (next, context) => async (args) => {
      const input = args.input as { TableName?: string };
      if (context.commandName !== 'QueryCommand' || input.TableName !== store.tables.usage) return next(args);
      const result = await next({ ...args, input: { ...args.input, Limit } });
      read.events += (result.output as { ScannedCount: number }).ScannedCount;
      clock.nowMs += ms;
      return result;
    },
    { step: 'initialize', name: 'slowPages' },
  );
  return read;
}

describe('usage is not summed twice', () => {
  test('an hour comes from its parts, a day from its hours: also when the events are gone', async () => {
    const own = await project('2030-01-15T10:59:00');
    const { clock, event, put, take, look, kept } = own;
    const events = await put(
      ...[2, 7, 31].map((minutes) =>
        event(at('2030-01-15T10:00:00') + minutes * MINUTE_MS + 1, { latencyMs: minutes }),
      ),
      event(at('2030-01-15T03:30:00'), { latencyMs: 50, keyId: 'key_b' }),
    );
    const day = last(own, HOUR_MS, 'day');
    const whole = { requests: 4, units: 4, p50LatencyMs: 7, p95LatencyMs: 50 };
    expect((await look(day)).total).toMatchObject(whole);
    await take(events);
    clock.nowMs = at('2030-01-15T11:10:00');
    expect((await look(day)).total).toMatchObject(whole);
    expect((await kept()).map(({ sk }) => sk)).toContain('HOUR#2030-01-15T10');
    for (const { sk } of (await kept()).filter(({ sk }) => sk.startsWith('PART#'))) {
      await deleteItem(own.store, { pk: `ROLLUP#${own.projectId}`, sk });
    }
    clock.nowMs = at('2030-01-16T00:10:00');
    expect((await look(day)).total).toMatchObject(whole);
    expect((await kept()).map(({ sk }) => sk)).toContain('DAY#2030-01-15');
    clock.nowMs += 390 * DAY_MS;
    expect((await look(day)).total).toMatchObject(whole);
    expect((await look({ ...day, keyId: 'key_b' })).total).toMatchObject({ units: 1, p50LatencyMs: null });
  });

  test('an answer without time continues from the event of the one before, for every caller', async () => {
    const own = await project('2030-01-20T10:00:30');
    const events = Array.from({ length: 200 }, (_, i) => own.event(at('2030-01-11T00:00:00') + i * 41 * MINUTE_MS));
    await own.put(...events);
    const wanted = last(own, 12 * DAY_MS, 'day');
    const read = slowPages(own, 20, 2_000);
    const answers = await lookUntilComplete(own.store, own.projectId, wanted);
    // Each answer has more than the one before, only whole buckets, and the number of missing ones.
    const remaining = answers.map((answer) => answer.remaining);
    expect(remaining.length).toBeGreaterThan(5);
    expect(remaining).toEqual(remaining.toSorted((a, b) => b - a));
    for (const { buckets, remaining: left, total } of answers) {
      // Today is always included.
      expect(buckets.at(-1)?.start).toBe('2030-01-20T00:00:00.000Z');
      expect([13, 14]).toContain(buckets.length + left);
      expect(total.units).toBe(buckets.reduce((units, bucket) => units + bucket.units, 0));
    }
    expect(answers.at(-1)?.total.units).toBe(200);
    // Each event once, and for each answer also the event where the one before stopped and one in the open interval.
    expect(read.events).toBeLessThan(200 + 2 * answers.length);
    const before = read.events;
    expect((await own.look(wanted)).total.units).toBe(200);
    expect(read.events).toBe(before);
  });

  test('intervals without events take one query, and one item', async () => {
    const own = await project('2030-03-01T10:00:30');
    const read = slowPages(own, 1_000, 0);
    const { commands } = recordCalls(own.gateway.operatorClient);
    const { complete, buckets } = await own.look(last(own, 50 * DAY_MS));
    expect([complete, buckets.length]).toEqual([true, 50 * 24 + 1]);
    // The stored sums of hours and of parts, and the open events; then parts again, and the events of both intervals.
    expect(commands.filter((operation) => operation === 'Query').length).toBeLessThanOrEqual(6);
    expect(commands.filter((operation) => operation === 'PutItem').length).toBeLessThanOrEqual(3);
    commands.length = 0;
    expect((await own.look(last(own, 50 * DAY_MS))).complete).toBe(true);
    expect(commands).toEqual(['Query', 'Query', 'Query']);
    expect(read.events).toBe(0);
    // For a closed interval with a stored sum no event is read.
    const over = { by: 'day', sinceMs: at('2030-02-08T00:00:00'), untilMs: at('2030-02-28T00:00:00') } as const;
    await own.look(over);
    commands.length = 0;
    expect((await own.look(over)).complete).toBe(true);
    expect(commands).toEqual(['Query']);
    // Stored sums expire with their events; the parts of hours expire in two days.
    for (const { sk, upTo, ttl } of await itemsOf(own.gateway, `ROLLUP#${own.projectId}`)) {
      const goesAt = String(sk).startsWith('PART#')
        ? own.clock.nowMs + 2 * DAY_MS
        : Date.parse(String(upTo)) + 400 * DAY_MS;
      expect({ sk, ttl }).toEqual({ sk, ttl: goesAt / 1_000 });
    }
  });

  // The open interval comes first, since every answer shows it. Without stored sums the first answer is shorter, so that
  // something is visible soon.
  test('an answer sums for two seconds, a first one for half of one: what is under way first', async () => {
    const own = await project('2030-01-15T10:30:00');
    const early = Array.from({ length: 100 }, (_, i) => own.event(at('2030-01-15T00:00:00') + i * 5 * MINUTE_MS));
    await own.put(...early, own.event(at('2030-01-15T10:10:00')));
    const wanted = last(own, 10 * HOUR_MS);
    // The open events take a page each time.
    const read = slowPages(own, 10, 250);
    const answers: unknown[] = [];
    for (let left = Infinity; left > 0;) {
      const { remaining, buckets } = await own.look(wanted);
      answers.push([read.events, buckets.at(-1)?.requests]);
      // Nothing is stored for the intervals that were not reached.
      if (left === Infinity) expect((await own.kept()).filter(({ sk }) => sk.startsWith('HOUR#'))).toEqual([]);
      left = remaining;
    }
    // One page; then seven; then the rest, with the event where the one before stopped.
    expect(answers).toEqual([
      [1, 1],
      [71, 1],
      [102, 1],
    ]);
  });

  test.each([
    ['is read for two seconds from the first look on', 25, 600, [true, 25]],
    ['and that takes longer, is not said to be complete', 25, 1_000, [false, 20]],
    ['is complete when the last page has taken all of the time', 15, 1_000, [true, 15]],
  ])('what is not closed yet %s', async (_what, count, pageMs, found) => {
    const own = await project('2030-01-15T10:02:00');
    await own.put(...Array.from({ length: count }, (_, i) => own.event(at('2030-01-15T10:00:00') + i)));
    const read = slowPages(own, 10, pageMs);
    const { complete, remaining, total } = await own.look(last(own, MINUTE_MS, '5min'));
    expect([complete, total.requests, remaining, read.events]).toEqual([...found, found[0] ? 0 : 1, found[1]]);
  });
});

describe('what is kept is right', () => {
  test('when it could not be kept, and when the answer to keeping it was lost', async () => {
    const own = await project('2030-01-15T10:30:00');
    await own.put(own.event(at('2030-01-15T08:00:01')), own.event(at('2030-01-15T10:02:00')));
    const server = await misbehavingServer();
    const client = own.gateway.operatorClient;
    let fault: 'unavailable' | 'lost' | undefined = 'unavailable';
    intercept(client, async (attempt) => {
      if (attempt.operation !== 'PutItem' || fault === undefined) return attempt.send();
      if (fault === 'unavailable') return server.answer(attempt, 'isUnavailable');
      fault = undefined;
      await apply(attempt);
      return server.answer(attempt, 'resets');
    });
    await expect(own.look(last(own, 3 * HOUR_MS))).rejects.toThrow('the store did not answer');
    expect(await own.kept()).toEqual([]);
    fault = 'lost';
    expect((await own.look(last(own, 3 * HOUR_MS))).total.units).toBe(2);
    expect((await own.look(last(own, 3 * HOUR_MS))).total.units).toBe(2);
    expect(await own.kept()).not.toEqual([]);
    server.close();
  });

  test('whichever is written last: what came further stays, and what is summed whole stays as it is', async () => {
    const own = await project('2030-01-20T10:00:30');
    const startMs = at('2030-01-18T00:00:00');
    const keep = async (upTo: string, units: number) => {
      const tally = emptyTally();
      addEvent(tally, own.event(startMs, { units }));
      await keepRollup(own.store, own.projectId, { length: DAY, startMs, tally, upTo }, 400);
      return (await own.kept()).map((kept) => [kept.upTo, figuresOf(parseTally(kept.tally) ?? emptyTally()).units]);
    };
    const [noon, evening, end] = ['2030-01-18T12:00:00.000Z#a', '2030-01-18T18:00:00.000Z', '2030-01-19T00:00:00.000Z'];
    expect(await keep(evening, 1)).toEqual([[evening, 1]]);
    expect(await keep(noon, 2)).toEqual([[evening, 1]]);
    expect(await keep(end, 3)).toEqual([[end, 3]]);
    expect(await keep(evening, 4)).toEqual([[end, 3]]);
    expect(await keep(end, 5)).toEqual([[end, 3]]);
  });

  test('an event that is written as late as can be is in, and so is one of a clock that is ahead', async () => {
    const own = await project('2030-01-15T10:00:00');
    await own.look(last(own, HOUR_MS, '5min'));
    // Received in the last millisecond of the part, by a clock that is 90 s behind, and settled 5 s later.
    const late = own.event(at('2030-01-15T09:59:59.999'));
    own.clock.nowMs += 95_000;
    await own.look(last(own, HOUR_MS, '5min'));
    await own.put(late, own.event(own.clock.nowMs + 90_000));
    for (const minutes of [0, 1, 1, 10, 60]) {
      own.clock.nowMs += minutes * MINUTE_MS;
      // From the start of the first read, which stored that these intervals have no events.
      const { buckets } = await own.look({ by: '5min', sinceMs: at('2030-01-15T09:00:00'), untilMs: own.clock.nowMs });
      expect(buckets.slice(11, 13).map(({ units }) => units)).toEqual([1, 1]);
    }
  });

  test('of refusals and replays, which go after 30 days, or it says that they may be missing', async () => {
    const own = await project('2030-01-20T10:00:30');
    const midnight = at('2030-01-18T00:00:00');
    const day: Look = { by: 'day', sinceMs: midnight, untilMs: midnight + DAY_MS };
    const events = [own.event(midnight + HOUR_MS), own.event(midnight + HOUR_MS + 1, FREE)];
    await own.put(...events);
    const other = await project('2030-01-20T10:00:30');
    await other.put(...events.map((event) => ({ ...event, projectId: other.projectId })));
    expect((await own.look({ ...day, by: 'hour' })).total).toMatchObject({ requests: 2, units: 1, chargedOnly: false });
    for (const each of [own, other]) each.clock.nowMs = midnight + 29 * DAY_MS;
    const firstHour: Look = { by: 'hour', sinceMs: midnight, untilMs: midnight + HOUR_MS };
    expect((await other.look(firstHour)).total).toMatchObject({ requests: 0, chargedOnly: false });
    for (const each of [own, other]) each.clock.nowMs += 1;
    // Summed from its hours, which were summed in time; then from its own stored sum.
    for (let i = 0; i < 2; i++) {
      expect((await own.look(day)).total).toMatchObject({ requests: 2, units: 1, chargedOnly: false });
    }
    expect((await other.look(day)).total).toMatchObject({ requests: 1, units: 1, chargedOnly: true });
    expect((await other.look({ ...day, untilMs: midnight + 2 * DAY_MS })).buckets).toMatchObject([
      { requests: 1, chargedOnly: true },
      { requests: 0, chargedOnly: false },
    ]);
  });

  test('of simulations, which stand apart by what they cost, from the events and from each sum, and agree with them', async () => {
    const own = await project('2030-01-15T10:59:00');
    const { clock, event, put, look, kept, verify } = own;
    const simulated = true;
    const from = at('2030-01-15T10:00:00');
    await put(
      event(from),
      event(from + 1, FREE),
      event(from + 2, { simulated }),
      ...[3, 4].map((ms) => event(from + ms, { ...FREE, simulated, code: 'INTERNAL_ERROR', status: 500 })),
      event(from + 5, { ...FREE, simulated, event: 'request_rejected', code: 'API_KEY_REVOKED', status: 401 }),
    );
    const day = last(own, HOUR_MS, 'day');
    const outcomes = { request_succeeded: 1, request_rejected: 1, simulated: 4 };
    const whole = { requests: 6, units: 2, outcomes, chargedOnly: false };
    for (const now of ['2030-01-15T10:59:00', '2030-01-15T11:10:00', '2030-01-16T00:10:00', '2030-02-10T00:00:00']) {
      clock.nowMs = at(now);
      for (let i = 0; i < 2; i++) expect((await look(day)).total).toMatchObject(whole);
    }
    expect((await kept()).map(({ sk }) => sk)).toContain('DAY#2030-01-15');
    expect(await verify(from)).not.toHaveProperty('differingRollups');
    // After 30 days the free ones are gone, and what was summed stays.
    clock.nowMs = at('2030-03-10T00:00:00');
    expect((await look(day)).total).toMatchObject(whole);
    await own.take((await own.gateway.events(own.projectId)).filter(({ units }) => units === 0));
    expect(await verify(from)).not.toHaveProperty('differingRollups');
    await removeRollups(own.store, own.projectId);
    expect((await look(day)).total).toMatchObject({
      requests: 2,
      units: 2,
      chargedOnly: true,
      outcomes: { request_succeeded: 1, simulated: 1 },
    });
  });

  test('of days without events, too: that refusals may be missing holds of each, whatever its hours are kept as', async () => {
    const own = await project('2030-03-01T10:00:30');
    const days = { sinceMs: at('2030-01-10T00:00:00'), untilMs: at('2030-01-13T00:00:00') };
    await own.look({ by: 'hour', ...days });
    // One item for 72 hours.
    expect((await own.kept()).map(({ sk }) => sk)).toEqual(['HOUR#2030-01-10T00']);
    const { buckets } = await own.look({ by: 'day', ...days });
    expect(buckets.map(({ chargedOnly }) => chargedOnly)).toEqual([true, true, true]);
  });

  test.each([
    ['00:30', 0, 2],
    ['03:00', 0, 3],
    ['03:00', 1, 3],
  ])(
    'of a day summed until %s, and its first hour, %d days in: what reaches further counts',
    async (until, days, requests) => {
      const own = await project('2030-01-20T10:00:30');
      const startMs = at('2030-01-18T00:00:00');
      const events = await own.put(...[5, 45, 125].map((minutes) => own.event(startMs + minutes * MINUTE_MS)));
      await own.look({ by: 'hour', sinceMs: startMs, untilMs: startMs + HOUR_MS });
      const upTo = `2030-01-18T${until}:00.000Z#a`;
      const tally = emptyTally();
      for (const event of events) if (event.occurredAt < upTo) addEvent(tally, event);
      await keepRollup(own.store, own.projectId, { length: DAY, startMs, tally, upTo }, 400);
      // If the events were read again, they would be missing.
      await own.take(events);
      const { total } = await own.look({ by: 'day', sinceMs: startMs - days * DAY_MS, untilMs: startMs + DAY_MS });
      expect(total).toMatchObject({ requests, units: requests });
    },
  );

  test.each([{ keyId: 7 }, { keyId: undefined }, { event: 7 }, { code: 7 }, { code: undefined }, { latencyMs: 'x' }])(
    'of each charge, also when its event has %j: what is kept agrees with it',
    async (stored) => {
      const own = await project('2030-01-15T10:30:30');
      const books = booksByHand(own.store, own.projectId);
      for (const occurredAt of ['2030-01-15T08:00:00.000Z', '2030-01-15T10:30:01.000Z'])
        await books.putEvent({ occurredAt }, { ttl: 4_000_000_000, ...stored });
      for (let i = 0; i < 2; i++) {
        const { total } = await own.look(last(own, 3 * HOUR_MS));
        expect(total).toMatchObject({ requests: 2, units: 2, outcomes: { request_succeeded: 2 } });
        expect(await own.verify()).not.toHaveProperty('differingRollups');
      }
    },
  );

  test('of events that are kept no longer, though the table has them: they are not in', async () => {
    const own = await project('2030-01-15T10:00:30');
    await own.put(own.event(at('2030-01-15T10:00:00')));
    own.clock.nowMs += 401 * DAY_MS;
    const day = { by: 'day', sinceMs: at('2030-01-15T00:00:00'), untilMs: at('2030-01-16T00:00:00') } as const;
    expect(await own.look(day)).toMatchObject({ complete: true, total: { requests: 0, chargedOnly: true } });
  });
});

describe('ledger verify', () => {
  /** Days, hours, parts, some of them without events, and a partial sum. */
  async function looked() {
    const own = await project('2030-01-20T10:33:30');
    const day = at('2030-01-18T00:00:00');
    await own.put(
      ...[1, 2, 30, 55, 58, 58.3].map((hours) => own.event(day + hours * HOUR_MS)),
      ...[1, 31, 58.4].map((hours) => own.event(day + hours * HOUR_MS + 1, FREE)),
    );
    for (const by of ['5min', 'hour'] as const) await own.look(last(own, DAY_MS, by));
    slowPages(own, 2, 3_000);
    await own.look({ by: 'day', sinceMs: day, untilMs: day + DAY_MS });
    await own.look(last(own, 10 * DAY_MS, 'day'));
    return own;
  }
  const change = async ({ store, projectId }: Project, sk: string, tally: string, lost?: string) => {
    await store.client.send(
      new UpdateCommand({
        TableName: store.tables.gateway,
        Key: { pk: `ROLLUP#${projectId}`, sk },
        UpdateExpression: lost === undefined ? 'SET tally = :tally' : `REMOVE ${lost}`,
        ConditionExpression: 'attribute_exists(pk)',
        ...(lost === undefined && { ExpressionAttributeValues: { ':tally': tally } }),
      }),
    );
  };

  test('leaves what agrees, when refusals are long gone, too', async () => {
    const own = await looked();
    const kept = await own.kept();
    expect(new Set(kept.map(({ sk }) => sk.split('#')[0]))).toEqual(new Set(['DAY', 'HOUR', 'PART']));
    const partly = kept.filter(({ upTo }) => upTo.includes('#'));
    expect(partly.length).toBeGreaterThan(0);
    for (const days of [0, 20, 40]) {
      own.clock.nowMs += days * DAY_MS;
      expect(await own.verify(at('2030-01-20T00:00:00'))).not.toHaveProperty('differingRollups');
    }
    await own.take((await own.gateway.events(own.projectId)).filter(({ units }) => units === 0));
    expect(await own.verify(at('2030-01-20T00:00:00'))).not.toHaveProperty('differingRollups');
    expect(await own.kept()).toEqual(kept);
  });

  test('removes each that differs, in whatever it does, and it is summed again', async () => {
    const own = await looked();
    interface Text {
      readonly outcomes: string[];
      readonly keys: Record<string, number[]>;
      readonly latencies: number[];
    }
    const damages: ((tally: Text) => unknown)[] = [
      ({ keys }) => Object.values(keys)[0]?.splice(1, 1, 7),
      ({ keys }) => Object.values(keys)[0]?.splice(2, 1, 7),
      ({ keys, outcomes }) => (keys.key_other = [outcomes.push('request_succeeded') - 1, 1, 1]),
      ({ latencies }) => latencies.push(900, 1),
      ({ outcomes }) => outcomes.unshift('quota_rejected'),
    ];
    let tried = 0;
    for (const { sk } of await own.kept()) {
      const { tally } = (await own.kept()).find((kept) => kept.sk === sk) ?? {};
      const damaged = JSON.parse(tally ?? '{}') as Text;
      // Another sum may have replaced it since the last one was removed, and a sum without events has nothing to
      // damage.
      if (tally === undefined || damaged.outcomes.length === 0) continue;
      damages[tried % damages.length]?.(damaged);
      tried++;
      await change(own, sk, JSON.stringify(damaged));
      expect(await own.verify()).toMatchObject({ consistent: false, differingRollups: { count: 1, examples: [sk] } });
      expect((await own.kept()).map((kept) => kept.sk)).not.toContain(sk);
      await lookUntilComplete(own.store, own.projectId, last(own, 10 * DAY_MS, 'day'));
      for (const by of ['hour', '5min'] as const) {
        await lookUntilComplete(own.store, own.projectId, last(own, DAY_MS, by));
      }
    }
    expect(tried).toBeGreaterThan(5);
    expect((await own.look(last(own, 10 * DAY_MS, 'day'))).total).toMatchObject({ requests: 9, units: 6 });
  });

  const nothing = { outcomes: [], keys: {}, latencies: [] };
  const NO_SUMS = [
    ...['', 'by hand', 'null', '7', '{}', '{"outcomes":[],"keys":{},"latencies":'],
    ...[{ keys: { key_a: 5 } }, { outcomes: null }, { latencies: ['9', 1] }, { keys: { key_a: [0, null, 1] } }].map(
      (damage) => JSON.stringify({ ...nothing, ...damage }),
    ),
  ];
  /** What is put in the place of stored sums, in turn: no sum, or an item without its sum, how far it goes, or both. */
  const DAMAGES: readonly (readonly [what: string, damages: readonly (readonly [text: string, lost?: string])[]])[] = [
    ['no sum', NO_SUMS.map((text) => [text])],
    ['lost its sum, how far it goes, or both', ['tally', 'upTo', 'tally, upTo'].map((lost) => ['', lost])],
  ];
  const isNoSum = ({ tally, upTo }: { readonly tally?: string; readonly upTo?: string }): boolean =>
    tally === undefined || upTo === undefined || NO_SUMS.includes(tally);

  test.each(DAMAGES)(
    'removes what has %s; who reads before replaces it and does not count it',
    async (_what, damages) => {
      const own = await looked();
      const sks = (await own.kept()).map(({ sk }) => sk).toSorted();
      expect(sks.length).toBeGreaterThan(damages.length);
      for (const [n, sk] of sks.entries()) await change(own, sk, ...(damages[n % damages.length] ?? ['']));
      const wanted = last(own, 10 * DAY_MS, 'day');
      const answers = await lookUntilComplete(own.store, own.projectId, wanted);
      expect(answers.at(-1)?.total).toMatchObject({ requests: 9, units: 6 });
      // The new sums are enough for the next answer.
      expect(await own.look(wanted)).toMatchObject({ complete: true, total: { requests: 9, units: 6 } });
      expect((await own.kept()).filter(({ sk }) => sk.startsWith('DAY#2030-01-18')).filter(isNoSum)).toEqual([]);
      // The damaged items that nobody has replaced.
      const damaged = (await own.kept()).filter(isNoSum);
      expect(damaged.length).toBeGreaterThan(2);
      const { differingRollups } = await own.verify();
      expect([differingRollups?.count, differingRollups?.examples.length]).toEqual([damaged.length, damaged.length]);
      expect((await own.kept()).filter(isNoSum)).toEqual([]);
      expect(await own.verify()).not.toHaveProperty('differingRollups');
    },
  );

  test('removes the sums of intervals to which an event was added, or of which one is gone', async () => {
    const own = await looked();
    await lookUntilComplete(own.store, own.projectId, last(own, 10 * DAY_MS, 'day'));
    await own.put(own.event(at('2030-01-13T00:00:00')));
    const { differingRollups } = await own.verify();
    // It is a sum without events.
    expect(differingRollups?.examples.every((sk) => sk.startsWith('DAY#'))).toBe(true);
    expect((await own.look(last(own, 10 * DAY_MS, 'day'))).total.units).toBe(7);
  });

  test('of a restored ledger is not needed for it: all that is kept can be removed', async () => {
    const own = await looked();
    const [first, second] = [await looked(), await looked()];
    const record = recordCalls(own.gateway.operatorClient);
    const isConsistent = (command: string) =>
      (record.inputs[record.commands.indexOf(command)] as QueryCommandInput).ConsistentRead;
    expect(await removeRollups(own.store, own.projectId)).toBeGreaterThan(5);
    expect(await removeRollups(own.store, own.projectId)).toBe(0);
    expect(isConsistent('Query')).toBe(true);
    expect(await own.kept()).toEqual([]);
    expect(await first.kept()).not.toEqual([]);
    await removeRollups(own.store);
    expect(isConsistent('Scan')).toBe(true);
    expect([await first.kept(), await second.kept()]).toEqual([[], []]);
    const answers = await lookUntilComplete(own.store, own.projectId, last(own, 10 * DAY_MS, 'day'));
    expect(answers.at(-1)?.total.units).toBe(6);
    await expect(removeRollups(own.store, 'Unknown00000')).rejects.toThrow('There is no project');
  });

  test('is not needed either where the store leaves deletes undone: all that can be removed is, in six attempts at most', async () => {
    const own = await looked();
    const { length } = await own.kept();
    const asked: number[] = [];
    let atOnce = 0;
    own.store.client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName !== 'BatchWriteItemCommand') return next(args);
        const input = args.input as { RequestItems: Record<string, unknown[]> };
        const [[table, deletes] = ['', []]] = Object.entries(input.RequestItems);
        asked.push(deletes.length);
        const [done, left] = [deletes.slice(0, atOnce), deletes.slice(atOnce)];
        const UnprocessedItems = left.length > 0 ? { [table]: left } : {};
        if (done.length === 0) return { response: {}, output: { $metadata: {}, UnprocessedItems } };
        const result = await next({ ...args, input: { ...input, RequestItems: { [table]: done } } });
        return { ...result, output: { ...result.output, UnprocessedItems } };
      },
      { step: 'initialize', name: 'unprocessed' },
    );
    const undone = new StoreUnavailableError('the store left deletes of a batch unprocessed');
    await expect(removeRollups(own.store, own.projectId)).rejects.toEqual(undone);
    expect(asked).toEqual(Array<number>(6).fill(length));
    atOnce = Math.ceil(length / 3);
    asked.length = 0;
    expect(await removeRollups(own.store, own.projectId)).toBe(length);
    expect(asked).toEqual([length, length - atOnce, length - 2 * atOnce]);
    expect(await own.kept()).toEqual([]);
  });
});

test.each<[string, string, (own: Project) => Promise<unknown>]>([
  ['verify', 'DeleteItemCommand', ({ verify, clock }) => verify(clock.nowMs)],
  ['remove-rollups of a project', 'BatchWriteItemCommand', (own) => removeRollups(own.store, own.projectId)],
  ['remove-rollups of all', 'BatchWriteItemCommand', (own) => removeRollups(own.store)],
])('a wrong day is not made again of its wrong hours by who looks during ledger %s', async (_what, command, remove) => {
  const own = await project('2030-01-17T00:30:00');
  const { store, projectId, clock } = own;
  const startMs = at('2030-01-15T00:00:00');
  const events = await own.put(...Array.from({ length: 48 }, (_, hours) => own.event(startMs + hours * HOUR_MS + 1)));
  const look = async (by: Look['by']) =>
    (await lookUntilComplete(store, projectId, { by, sinceMs: startMs, untilMs: clock.nowMs })).at(-1)?.total.requests;
  expect([await look('hour'), await look('day')]).toEqual([48, 48]);
  await own.take(events);
  before(own, command, () => look('day'), Infinity);
  await remove(own);
  expect([await look('hour'), await look('day')]).toEqual([0, 0]);
});

describe('what was summed', () => {
  const [DAY_1, DAY_2] = ['2030-01-14T00:00:00', '2030-01-15T00:00:00'].map(at) as [number, number];
  const quiet = (startMs: number, given: Partial<Rollup> = {}): Rollup => {
    const rollup = { length: DAY, startMs, tally: emptyTally(), ...given };
    return { ...rollup, upTo: endOf(rollup), ...given };
  };
  const counted = (startMs: number): Rollup => {
    const tally = emptyTally();
    addEvent(tally, someEvent());
    return quiet(startMs, { tally });
  };
  /** A test object that stores sums; the test decides when each write is answered. */
  function keeper() {
    const { store } = testGateway();
    const writes: { readonly upTo: string; readonly answer: () => void }[] = [];
    const send = ({ input }: PutCommand) =>
      new Promise<void>((answer) => writes.push({ upTo: String(input.Item?.upTo), answer }));
    const client = Object.assign(Object.create(store.client) as typeof store.client, { send });
    return { writes, ...rollupKeeper({ ...store, client }, 'Project00000', 400) };
  }

  test.each<[string, Rollup, number]>([
    ['follows without events', quiet(DAY_2), 1],
    ['has events', counted(DAY_2), 2],
    ['is not summed whole', quiet(DAY_2, { upTo: '2030-01-15T10:00:00.000Z#a' }), 2],
    ['is of another length', quiet(DAY_2, { length: HOUR, upTo: '2030-01-15T01:00:00.000Z' }), 2],
    ['comes later', quiet(DAY_2 + DAY_MS), 2],
    ['may lack refusals', quiet(DAY_2, { tally: emptyTally(true) }), 2],
  ])('of a day without events, and of what %s', async (_what, after, items) => {
    const { writes, keep, done } = keeper();
    const keeping = (async () => {
      for (const rollup of [quiet(DAY_1), after]) await keep(rollup);
      await done();
    })();
    await setImmediate();
    expect(writes.map(({ upTo }) => upTo)).toEqual([...(items === 2 ? [endOf(quiet(DAY_1))] : []), after.upTo]);
    for (const { answer } of writes) answer();
    await keeping;
  });
});

describe('an event is counted by its units', () => {
  const whole = { units: 0, keyId: 'key_x', event: 'idempotency_replay', code: 'X', latencyMs: 5 };
  const unknown = { keyId: '', event: 'request_rejected', code: null, latencyMs: 0 };

  test.each([
    [whole, [whole]],
    [{ units: 0 }, [{ ...unknown, units: 0 }]],
    [{ units: 3 }, [{ ...unknown, event: 'request_succeeded', units: 3 }]],
    [{ units: 0, keyId: 1, event: 1, code: 1, latencyMs: '5' }, [{ ...unknown, units: 0 }]],
    [{ ...whole, units: '3' }, []],
    [{ ...whole, units: -1 }, []],
  ])('%j', (item, counted) => {
    expect(countable(item)).toEqual(counted);
  });
});
