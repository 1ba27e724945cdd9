import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { eventCase } from '../../support/hostile/event-cases.ts';
import { stormedFunctions } from '../../support/hostile/event-storm.ts';
import { stormedGateway } from '../../support/hostile/gateway-under-storm.ts';
import { httpCase } from '../../support/hostile/http-cases.ts';
import { storm } from '../../support/hostile/storm.ts';
import { end, onOwnDatabase, type RunningGateway } from '../../support/processes.ts';
import type { Figures, SoakContext, SoakPart } from '../part.ts';

/** A heap so small that what is not let go of ends the process. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=64 --max-semi-space-size=4' };
/** The heap grows until its first collections; what it holds after them is what it needs. */
const WARM_UP_SHARE = 0.1;
/** By how much the process may be larger at the end than in the middle. */
const MAX_GROWTH = 0.25;

/** Half of the cases over HTTP, to one gateway process; half as events, to both functions. */
export const hostile: SoakPart = {
  promise: 'hostile input gets the envelope, and does no harm to the gateway or its ledger',
  unit: 'cases',
  defaultAmount: 100_000,
  run: async ({ seed, amount, progress }) => {
    const httpCases = Math.ceil(amount / 2);
    const gateway = await onOwnDatabase({ PORTAL: 'off', ...SMALL_HEAP });
    try {
      const figures = await overHttp(gateway, { seed, amount: httpCases, progress });
      const functions = stormedFunctions();
      const onProgress = (done: number): void => progress(httpCases + done);
      await storm(eventCase, functions.play, { seed, cases: amount - httpCases, lanes: 1, progress: onProgress });
      return { cases: amount, ...figures, eventAnswers: spread(functions.answers) };
    } finally {
      await end(gateway);
    }
  },
};

async function overHttp(gateway: RunningGateway, { seed, amount, progress }: SoakContext): Promise<Figures> {
  const stormed = await stormedGateway(gateway);
  const startedAt = performance.now();
  const rssMiB: number[] = [];
  const parts = [WARM_UP_SHARE, (1 - WARM_UP_SHARE) / 2, (1 - WARM_UP_SHARE) / 2];
  let played = 0;
  for (const [index, share] of parts.entries()) {
    const onProgress = (): void => progress(++played);
    await storm(httpCase, stormed.play, {
      seed: seed + 1_000 * index,
      cases: Math.ceil(amount * share),
      progress: onProgress,
    });
    await stormed.assertUnharmed();
    rssMiB.push(residentMiB(gateway));
  }
  const [start = 0, middle = 0, last = 0] = rssMiB;
  assert.ok(last <= middle * (1 + MAX_GROWTH), `the gateway grows: ${rssMiB.join(', ')} MiB`);
  return {
    httpCasesPerSecond: Math.round((amount / (performance.now() - startedAt)) * 1_000),
    rssStartMiB: start,
    rssMiddleMiB: middle,
    rssEndMiB: last,
    httpAnswers: spread(stormed.answers),
  };
}

/** Memory of the gateway's process: its database is another. */
const residentMiB = ({ child }: RunningGateway): number =>
  Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) / 1_024);

const spread = (answers: ReadonlyMap<number, number>): string =>
  [...answers]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');
