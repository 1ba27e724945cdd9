import assert from 'node:assert/strict';
import type { RecordableHistogram } from 'node:perf_hooks';
import { operatorOf } from '../../support/operator.ts';
import { end, startGateway } from '../../support/processes.ts';
import { drive, type Seen } from '../drive.ts';
import { checkCounts } from '../ledger-counts.ts';
import type { Figures, SoakPart } from '../part.ts';
import { median } from '../process-figures.ts';
import { mixedTraffic } from '../traffic.ts';

const MS_PER_MINUTE = 60_000;
const SECONDS_PER_MINUTE = 60;
/** Code is compiled and the heap has its size by then. */
const WARM_UP_SHARE = 0.2;
/** Memory at a time is the median over this share of the run. */
const WINDOW_SHARE = 0.1;
/** V8 lets garbage lie for two semi-spaces of 16 MB; over ten minutes, 100 to 200 bytes lost a request would be more. */
const MAX_GROWTH_MB = 32;
/** A store that is slow for a moment is answered with 503, which is right; often would not be. */
const MAX_UNAVAILABLE_SHARE = 0.001;

/** Against the process that `npm start` runs, with the database it brings. */
export const load: SoakPart = {
  promise: 'under mixed traffic at the limit of the machine no answer is wrong and memory is flat',
  unit: 'minutes',
  defaultAmount: 10,
  run: async ({ seed, amount, progress }) => {
    const gateway = await startGateway();
    // Its log of every request is read and not kept.
    gateway.child.stdout.removeAllListeners('data').resume();
    const operator = operatorOf(gateway.databaseUrl);
    try {
      const traffic = await mixedTraffic(operator.plane, seed);
      const seen = await drive(gateway, traffic, amount * MS_PER_MINUTE, (ms) =>
        progress(Math.floor(ms / MS_PER_MINUTE)),
      );
      await checkCounts(operator.plane, traffic, seen);
      const share = seen.unavailable / seen.requests;
      assert.ok(
        share <= MAX_UNAVAILABLE_SHARE,
        `${seen.unavailable} of ${seen.requests} answers were 503:\n${gateway.stderr.slice(0, 2_000)}`,
      );
      return { ...throughput(seen), ...memory(seen.memoryMb), ...latencies(seen) };
    } finally {
      operator.close();
      await end(gateway);
    }
  },
};

function throughput({
  requests,
  unavailable,
  seconds,
  requestsByMinute,
  clientCpuPercent,
  gatewayCpuPercent,
}: Seen): Figures {
  return {
    requests,
    wrong: 0,
    unavailable,
    requestsPerSecond: Math.round(requests / seconds),
    requestsPerSecondByMinute: requestsByMinute.map((count) => Math.round(count / SECONDS_PER_MINUTE)).join(' '),
    gatewayCpuPercent: Math.round(gatewayCpuPercent),
    clientCpuPercent: Math.round(clientCpuPercent),
  };
}

/** Throws when it grew after the warm-up. */
function memory(samplesMb: readonly number[]): Figures {
  if (samplesMb.length === 0) return { residentMb: 'not measured: no /proc here' };
  const around = (share: number): number => {
    const from = Math.floor(samplesMb.length * share);
    return Math.round(median(samplesMb.slice(from, from + Math.ceil(samplesMb.length * WINDOW_SHARE))));
  };
  const [start, middle, last] = [around(WARM_UP_SHARE), around((1 + WARM_UP_SHARE) / 2), around(1 - WINDOW_SHARE)];
  assert.ok(
    last - start <= MAX_GROWTH_MB,
    `memory grew from ${start} MB after the warm-up over ${middle} to ${last} MB`,
  );
  return { residentMbAtStart: start, residentMbInTheMiddle: middle, residentMbAtTheEnd: last };
}

const latencies = ({ latenciesUs }: Seen): Figures =>
  Object.fromEntries(Object.entries(latenciesUs).map(([kind, histogram]) => [`${kind}Ms`, distribution(histogram)]));

function distribution(histogram: RecordableHistogram): string {
  const ms = (us: number): string => (us / 1000).toFixed(1);
  const [p50, p90, p99] = [50, 90, 99].map((percentile) => ms(histogram.percentile(percentile)));
  return `p50 ${p50}, p90 ${p90}, p99 ${p99}, max ${ms(histogram.max)} (${histogram.count})`;
}
