import assert from 'node:assert/strict';
import { operatorOf } from '../../support/operator.ts';
import { end, onOwnDatabase } from '../../support/processes.ts';
import { drive, type Seen } from '../drive.ts';
import { latencyFigures, memoryFigures } from '../figures.ts';
import { checkCounts } from '../ledger-counts.ts';
import type { Figures, SoakPart } from '../part.ts';
import { mixedTraffic } from '../traffic.ts';

const MS_PER_MINUTE = 60_000;
const SECONDS_PER_MINUTE = 60;
/** The largest share of 503. A store that is slow for a moment may cause some. */
const MAX_UNAVAILABLE_SHARE = 0.001;

/** Load on the process of `npm start` with its database. */
export const load: SoakPart = {
  promise: 'under mixed traffic at the limit of the machine no answer is wrong and memory is flat',
  unit: 'minutes',
  defaultAmount: 10,
  run: async ({ seed, amount, progress }) => {
    const gateway = await onOwnDatabase({ PORTAL: 'off' });
    // The log of requests is read and discarded.
    gateway.child.stdout.removeAllListeners('data').resume();
    const operator = operatorOf(gateway.databaseUrl);
    try {
      const traffic = await mixedTraffic(operator.store, seed);
      const seen = await drive(gateway, traffic, amount * MS_PER_MINUTE, (ms) =>
        progress(Math.floor(ms / MS_PER_MINUTE)),
      );
      await checkCounts(operator.store, traffic, seen);
      const share = seen.unavailable / seen.requests;
      assert.ok(
        share <= MAX_UNAVAILABLE_SHARE,
        `${seen.unavailable} of ${seen.requests} answers were 503:\n${gateway.stderr.slice(0, 2_000)}`,
      );
      return { ...throughput(seen), ...memoryFigures(seen.memoryMb), ...latencyFigures(seen.latenciesUs) };
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
