import { setTimeout as sleep } from 'node:timers/promises';
import { system } from '../../functions/shared/system.ts';
import { DURATIONS, injectConflicts } from '../conflicts.ts';
import { sectionOf, type BenchPart } from '../part.ts';
import { serve } from '../paths.ts';
import { percentile } from '../statistics.ts';
import { AMPLE, CAPPED, withSubjects, type Limits, type Subjects } from '../subject.ts';

/** How long each load lasts. Requests that are in flight at its end are answered within their deadline. */
const MS_PER_RUN = 1_000;

/** Sends requests by `send` until the load ends. */
type Load = (send: () => Promise<void>, untilMs: number) => Promise<unknown>;

/** Sends this many requests at once, and the next when all of them are answered. */
const together =
  (count: number): Load =>
  async (send, untilMs) => {
    while (performance.now() < untilMs) await Promise.all(Array.from({ length: count }, send));
  };

/** This many callers. None waits for Retry-After, which is the worst case for a project. */
const callers =
  (count: number): Load =>
  (send, untilMs) =>
    Promise.all(Array.from({ length: count }, () => together(1)(send, untilMs)));

/** This many requests a second, independent of each other: their gaps have an exponential distribution. */
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

/** The kinds of load on one project, and their sizes. */
const LOADS = [
  { what: 'requests at the same moment', load: together, amounts: [20, 30, 60, 100, 200] },
  { what: 'callers at once', load: callers, amounts: [8, 16, 32, 64] },
  { what: 'requests/s by chance', load: arrivals, amounts: [10, 20, 40, 60, 80] },
  { what: 'requests/s by chance, a key with a cap', load: arrivals, amounts: [20, 40, 60], ...CAPPED },
  { what: 'requests/s by chance, 16 shards', load: arrivals, amounts: [80, 200], shards: 16 },
];

/** How much one project can charge while its settlements conflict. */
export const contention: BenchPart = {
  title: 'Contention within one project',
  measures: 'settlements of one project, conflicting as in DynamoDB while they overlap',
  run: async (runs, progress) => {
    const sections = [];
    for (const { what, load, amounts, ...layout } of LOADS) {
      const levels = [];
      for (const amount of amounts) {
        progress(`${amount} ${what}`);
        const limits = { ...AMPLE, ...layout };
        const level = (subjects: Subjects) => runLevel(subjects, limits, load(amount), runs * MS_PER_RUN);
        levels.push({ amount, ...(await withSubjects(level, system.clock)) });
      }
      sections.push(
        sectionOf(`One project, ${what}`, levels, {
          amount: [what, ({ amount }) => amount],
          settledPerSecond: ['settled/s', ({ settledPerSecond }) => settledPerSecond],
          retries: ['retries/request', ({ retries }) => retries],
          p50Ms: ['p50 ms', ({ settledMs }) => percentile(settledMs, 0.5)],
          p99Ms: ['p99 ms', ({ settledMs }) => percentile(settledMs, 0.99)],
          maxMs: ['max ms', ({ settledMs }) => Math.max(...settledMs)],
          refusedPercent: ['503 %', ({ refusedPercent }) => refusedPercent],
        }),
      );
    }
    const { transactionMs, conflictMs, callMs } = DURATIONS;
    const durations = `A transaction takes ${transactionMs} ms, a conflict ${conflictMs}, any other call ${callMs}`;
    return { sections, notes: [`${durations}, or what the engine takes. Without Idempotency-Keys.`] };
  },
};

/** The result of one load: how long each settled request took, and how many attempts were repeated. */
async function runLevel({ client, gateway }: Subjects, limits: Limits, load: Load, loadMs: number) {
  const key = await gateway.createTenant(limits);
  await serve(gateway, { key });
  const attempts = injectConflicts(client);
  const settledMs: number[] = [];
  let refused = 0;
  const send = async (): Promise<void> => {
    const sentAt = performance.now();
    const { statusCode, body } = await serve(gateway, { key });
    if (statusCode === 200) settledMs.push(performance.now() - sentAt);
    else if (statusCode === 503) refused++;
    else throw new Error(`neither settled nor refused: ${body}`);
  };
  const startedAt = performance.now();
  await load(send, startedAt + loadMs);
  const requests = settledMs.length + refused;
  return {
    settledMs,
    settledPerSecond: (1_000 * settledMs.length) / (performance.now() - startedAt),
    retries: attempts() / requests - 1,
    refusedPercent: (100 * refused) / requests,
  };
}
