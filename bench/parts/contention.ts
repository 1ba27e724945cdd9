import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../functions/store/client.ts';
import { onFreshEngine, type BenchEngine } from '../engine.ts';
import type { BenchPart, Findings, Section } from '../part.ts';
import { serve } from '../paths.ts';
import { percentile } from '../statistics.ts';
import { AMPLE, gatewaySubject } from '../subject.ts';
import { injectConflicts } from '../transaction-conflicts.ts';

/** Callers that settle in one project at once, each its next request as soon as the last is answered. */
const CONCURRENCIES = [1, 2, 4, 8, 16, 32, 64];
/** Requests that come to one project at the same moment, and none after them. */
const BURSTS = [20, 30, 60, 100, 200];
/** So many bursts in a run; each begins when the one before is answered. */
const BURSTS_PER_RUN = 4;
/** Requests a second that come to one project by chance, whatever became of those before. */
const RATES = [2, 5, 10, 20, 40, 60, 80];
const SECONDS_PER_RUN = 1;
const DURATIONS = { transactionMs: 10, conflictMs: 5, callMs: 4 };

/** What came of one load. */
interface Level {
  readonly settledPerSecond: number;
  /** Attempts of its transaction beyond the first, for each request. */
  readonly retries: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Requests answered 503, in percent. */
  readonly refusedPercent: number;
}

/** Sends requests by `send` for as long as it is to. */
type Load = (send: () => Promise<void>, untilMs: number) => Promise<unknown>;

/** What one project can charge when its settlements collide. */
export const contention: BenchPart = {
  title: 'Contention within one project',
  measures: `settlements of one project by ${Math.max(...CONCURRENCIES)} callers at once and fewer, conflicting as in DynamoDB while they overlap`,
  run: async ({ runs, progress }) => {
    const levels = async (loads: readonly number[], what: string, load: (amount: number) => Load): Promise<Section> => {
      const rows: Section['rows'][number][] = [];
      for (const amount of loads) {
        progress(`${amount} ${what}`);
        const level = await onFreshEngine((engine) => runLevel(engine, load(amount), runs * SECONDS_PER_RUN));
        rows.push({ amount, ...level });
      }
      return { heading: `One project, ${what}`, columns: { amount: what, ...COLUMNS }, rows };
    };
    const bursts = await levels(BURSTS, 'requests at the same moment', (count) =>
      together(count, runs * BURSTS_PER_RUN),
    );
    const closed = await levels(CONCURRENCIES, 'callers at once', callers);
    const open = await levels(RATES, 'requests/s by chance', arrivals);
    return findings(bursts, closed, open);
  },
};

/** So many at the same moment, so often. */
const together =
  (count: number, times: number): Load =>
  async (send) => {
    for (let made = 0; made < times; made++) await Promise.all(Array.from({ length: count }, send));
  };

/** So many callers; none waits for Retry-After, the worst that can be done to a project. */
const callers =
  (count: number): Load =>
  (send, untilMs) => {
    const caller = async (): Promise<void> => {
      while (performance.now() < untilMs) await send();
    };
    return Promise.all(Array.from({ length: count }, caller));
  };

/** So many a second, independent of each other: their gaps have an exponential distribution. */
const arrivals =
  (perSecond: number): Load =>
  async (send, untilMs) => {
    const sent: Promise<void>[] = [];
    for (let atMs = performance.now(); atMs < untilMs; atMs += (-Math.log(1 - Math.random()) * 1_000) / perSecond) {
      await sleep(Math.max(0, atMs - performance.now()));
      sent.push(send());
    }
    await Promise.all(sent);
  };

async function runLevel({ address, client: operator }: BenchEngine, load: Load, seconds: number): Promise<Level> {
  const client = createClient(address);
  const subject = gatewaySubject({ operator, client });
  const key = await subject.createTenant(AMPLE);
  await serve(subject, { key });
  const record = injectConflicts(client, DURATIONS);
  const settledMs: number[] = [];
  let refused = 0;
  const send = async (): Promise<void> => {
    const sentAt = performance.now();
    const { statusCode, body } = await serve(subject, { key });
    if (statusCode === 200) settledMs.push(performance.now() - sentAt);
    else if (statusCode === 503) refused++;
    else throw new Error(`neither settled nor refused: ${body}`);
  };
  const startedAt = performance.now();
  await load(send, startedAt + seconds * 1_000);
  const elapsedSeconds = (performance.now() - startedAt) / 1_000;
  client.destroy();
  const requests = settledMs.length + refused;
  return {
    settledPerSecond: settledMs.length / elapsedSeconds,
    retries: (record.attempts - requests) / requests,
    p50Ms: percentile(settledMs, 0.5),
    p99Ms: percentile(settledMs, 0.99),
    maxMs: Math.max(...settledMs),
    refusedPercent: (refused / requests) * 100,
  };
}

const COLUMNS = {
  settledPerSecond: 'settled/s',
  retries: 'retries/request',
  p50Ms: 'p50 ms',
  p99Ms: 'p99 ms',
  maxMs: 'max ms',
  refusedPercent: '503 %',
} satisfies Record<keyof Level, string>;

function findings(bursts: Section, closed: Section, open: Section): Findings {
  const begins = ({ rows }: Section, unit: string): string => {
    const first = rows.find(({ refusedPercent }) => refusedPercent !== 0)?.amount as number | undefined;
    return first === undefined ? `at no number of ${unit} here` : `at ${first} ${unit}`;
  };
  const { transactionMs, conflictMs, callMs } = DURATIONS;
  return {
    sections: [bursts, closed, open],
    targets: [],
    notes: [
      `503 begins ${begins(bursts, 'requests at the same moment')}, ${begins(closed, 'callers at once')} and ${begins(open, 'requests/s by chance')}.`,
      `A transaction takes ${transactionMs} ms, a conflict ${conflictMs}, any other call ${callMs}, or what the engine takes. Without Idempotency-Keys.`,
    ],
  };
}
