import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { UsageSeries } from '../../functions/usage/sums/buckets.ts';
import { summariseUsage } from '../../bin/admin/usage-summary.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { listUsage } from '../../functions/usage/events/log.ts';
import { gatewayWithTenant, type TestGateway } from '../support/gateway.ts';
import { putEvents } from '../support/stored-events.ts';
import { lookOnce, lookUntilComplete, type Look } from '../support/usage-look.ts';
import { someEvent } from '../support/usage-events.ts';
import { DAY_MS, MINUTE_MS, NOW_MS } from '../support/times.ts';

/** The cases are the same in every run. They run in parts, so that each has enough time on a busy machine. */
const SEED = 20_301_115;
const PARTS = 4;
const RUNS = 8;
/** The longest delay of an event: the 4 s of its request, by a clock that is 90 s behind. */
const LATE_MS = 94_000;
/** The most that a clock may be ahead. */
const EARLY_MS = 90_000;
const KEYS = ['key_aaaaaaaaaaaaaaaa', 'key_bbbbbbbbbbbbbbbb', 'key_cccccccccccccccc'];

const OUTCOMES: readonly Pick<UsageEvent, 'event' | 'code' | 'units'>[] = [
  { event: 'request_succeeded', code: null, units: 1 },
  { event: 'request_succeeded', code: null, units: 3 },
  { event: 'idempotency_replay', code: null, units: 0 },
  { event: 'rate_limit_rejected', code: 'RATE_LIMIT_EXCEEDED', units: 0 },
  { event: 'request_rejected', code: 'INVALID_REQUEST', units: 0 },
  // Stored once, at the start of its minute.
  { event: 'request_rejected', code: 'API_KEY_REVOKED', units: 0 },
];

const happened = fc.record({
  /** The time before now; negative for a clock that is ahead. */
  agoMs: fc.oneof(fc.integer({ min: -EARLY_MS, max: LATE_MS }), fc.constantFrom(0, LATE_MS, -EARLY_MS)),
  keyId: fc.constantFrom(...KEYS),
  outcome: fc.constantFrom(...OUTCOMES),
  latencyMs: fc.oneof(fc.integer({ min: 0, max: 127 }), fc.integer({ min: 0, max: 4_000 })),
});
const asked = fc.record({
  by: fc.constantFrom('5min' as const, 'hour' as const, 'day' as const),
  agoMs: fc.oneof(fc.integer({ min: 0, max: 2 * DAY_MS }), fc.integer({ min: 0, max: 40 * DAY_MS })),
  share: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
});
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ events: fc.array(happened, { minLength: 1, maxLength: 12 }) }) },
  // Also to the moments at which intervals close.
  {
    weight: 4,
    arbitrary: fc.record({
      passMs: fc.oneof(
        fc.integer({ min: 1, max: 10 * MINUTE_MS }),
        fc.integer({ min: 1, max: 3 * 60 * MINUTE_MS }),
        fc.integer({ min: 1, max: 12 * DAY_MS }),
      ),
      wholeMs: fc.constantFrom(1, MINUTE_MS, 5 * MINUTE_MS),
    }),
  },
  { weight: 5, arbitrary: fc.record({ look: asked, readers: fc.integer({ min: 1, max: 2 }), isShort: fc.boolean() }) },
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

async function run(commands: readonly Command[]): Promise<void> {
  const { gateway, projectId } = await gatewayWithTenant();
  const pass = eachPageTakes(gateway);
  gateway.clock.nowMs = NOW_MS;
  for (const each of commands) {
    if ('events' in each) {
      const events = each.events.map(({ agoMs, keyId, outcome, latencyMs }) => {
        const occurredAt = new Date(gateway.clock.nowMs - agoMs).toISOString();
        return someEvent({ projectId, requestId: randomUUID(), keyId, latencyMs, ...outcome, occurredAt });
      });
      await putEvents(gateway.store, events);
    } else if ('passMs' in each) {
      const nowMs = gateway.clock.nowMs + each.passMs;
      gateway.clock.nowMs = nowMs - (nowMs % each.wholeMs);
    } else {
      await look(gateway, projectId, each, pass);
    }
  }
}

async function look(
  gateway: TestGateway,
  projectId: string,
  { look: { by, agoMs, share }, readers, isShort }: Extract<Command, { readers: number }>,
  pass: { ms: number },
): Promise<void> {
  const { nowMs } = gateway.clock;
  const span = by === '5min' ? Math.min(agoMs, DAY_MS) : agoMs;
  const wanted: Look = { by, sinceMs: nowMs - span, untilMs: nowMs - Math.floor(span * share) };
  if (isShort) {
    // Answers with time for one page each, of any reader, while intervals close.
    pass.ms = 3_000;
    await Promise.all(Array.from({ length: readers }, () => lookUntilComplete(gateway.store, projectId, wanted)));
    pass.ms = 0;
  }
  const found = await Promise.all(Array.from({ length: readers }, () => lookOnce(gateway.store, projectId, wanted)));
  for (const series of found) await compare(gateway, projectId, series);
  const keyId = KEYS[0] ?? '';
  const ofKey = await lookOnce(gateway.store, projectId, { ...wanted, keyId });
  const events = await Array.fromAsync(listUsage(gateway.store, projectId, ofKey.span));
  const mine = events.filter((event) => event.keyId === keyId);
  expect(ofKey.total.units).toBe(sum(mine));
  if (!ofKey.total.chargedOnly) expect(ofKey.total.requests).toBe(mine.length);
}

const sum = (events: readonly UsageEvent[]): number => events.reduce((units, event) => units + event.units, 0);

/** Compares a series with the sums that the admin CLI makes from the events of the same span. */
async function compare(
  { store, clock }: TestGateway,
  projectId: string,
  { complete, buckets, total, span }: Awaited<ReturnType<typeof lookOnce>>,
): Promise<void> {
  expect(complete).toBe(true);
  const events = await Array.fromAsync(listUsage(store, projectId, span));
  await compareFigures(total, events);
  const ends = [...buckets.slice(1).map(({ start }) => start), new Date(span.untilMs).toISOString()];
  expect(Date.parse(buckets[0]?.start ?? '')).toBe(buckets.length > 0 ? span.sinceMs : NaN);
  for (const [i, { start, ...figures }] of buckets.entries()) {
    const within = events.filter(({ occurredAt }) => start <= occurredAt && occurredAt < (ends[i] ?? ''));
    // A complete bucket says that it is complete.
    if (Date.parse(start) >= clock.nowMs - 29 * DAY_MS) expect(figures.chargedOnly).toBe(false);
    if (within.length > 0 || figures.requests > 0) await compareFigures(figures, within);
  }
}

async function compareFigures(figures: UsageSeries['total'], events: readonly UsageEvent[]): Promise<void> {
  const counted = async function* () {
    for (const event of events) yield await Promise.resolve(event);
  };
  const { groups, total } = await summariseUsage(counted(), 'event');
  const outcomes: Record<string, number> = Object.fromEntries(groups.map(({ key, requests }) => [key ?? '', requests]));
  expect(figures.units).toBe(total.units);
  expect(figures.outcomes.request_succeeded).toBe(outcomes.request_succeeded);
  if (figures.chargedOnly) {
    expect(figures.requests).toBeLessThanOrEqual(total.requests);
    return;
  }
  expect(figures).toMatchObject({ requests: total.requests, outcomes });
  for (const [found, exact] of [
    [figures.p50LatencyMs, total.p50LatencyMs],
    [figures.p95LatencyMs, total.p95LatencyMs],
  ]) {
    if (exact === null || exact === undefined || exact < 100) expect(found).toBe(exact);
    else expect(Math.abs((found ?? 0) - exact)).toBeLessThanOrEqual(0.02 * exact);
  }
}

/** Lets time pass with each page of events, and makes pages small. */
function eachPageTakes({ store, clock }: TestGateway): { ms: number } {
  const pass = { ms: 0 };
  store.client.middlewareStack.add(
    (next, context) => async (args) => {
      const input = args.input as { TableName?: string };
      const isOfEvents = context.commandName === 'QueryCommand' && input.TableName === store.tables.usage;
      if (!isOfEvents || pass.ms === 0) return next(args);
      const result = await next({ ...args, input: { ...args.input, Limit: 3 } });
      clock.nowMs += pass.ms;
      return result;
    },
    { step: 'initialize', name: 'eachPageTakes' },
  );
  return pass;
}

describe('what is kept of usage', () => {
  test.each(Array.from({ length: PARTS }, (_, part) => SEED + part))(
    'sums up to what the events do, whoever reads when (seed %d)',
    async (seed) => {
      const sequences = fc.array(command, { minLength: 2, maxLength: 25 });
      await fc.assert(fc.asyncProperty(sequences, run), { seed, numRuns: RUNS });
    },
  );
});
