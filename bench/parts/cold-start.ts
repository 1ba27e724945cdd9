import { again, recordCalls } from '../bare/calls.ts';
import { startFresh, withBundles, type Bundle, type Start } from '../bundles.ts';
import type { BenchPart, Findings } from '../part.ts';
import { serve } from '../paths.ts';
import { canPin } from '../processes.ts';
import { pingEvent } from '../request.ts';
import { figuresOf, inTurns, ratiosOf } from '../statistics.ts';
import { AMPLE, withSubjects } from '../subject.ts';

/** Fresh processes of each bundle in one of the `runs`. */
const STARTS_PER_RUN = 5;

const ENTRIES = {
  empty: { code: 'export const handler = () => undefined;' },
  gateway: { file: 'functions/metered/handler.ts' },
  smallest: { file: 'bench/bare/handler.ts' },
  peer: { file: 'bench/peer/handler.ts', hasCommonJs: true },
};

/** How long a fresh process takes to load each bundle, and to serve its first and its second ping. */
export const coldStart: BenchPart = {
  title: 'Cold start',
  measures:
    'fresh processes, in turns: the bundle as deployed with its warm-up, the smallest that makes the same calls, the peer',
  run: ({ runs, progress }) =>
    withSubjects(async ({ address, client, gateway, peer }) => {
      const gatewayPing = pingEvent({ key: await gateway.createTenant(AMPLE) });
      const peerPing = pingEvent({ key: await peer.createTenant(AMPLE) });
      // Of a project of its own: recorded calls count in the minute in which they were recorded, and only there.
      const recordedKey = await gateway.createTenant(AMPLE);
      const calls = await recordCalls(client, () => serve(gateway, { key: recordedKey }));
      return withBundles(ENTRIES, async (bundles) => {
        const start = (bundle: Bundle, event: () => unknown) => () => startFresh(bundle, [event(), event()], address);
        const samplers = [
          start(bundles.empty, () => null),
          start(bundles.gateway, () => gatewayPing),
          start(bundles.smallest, () => again(calls)),
          start(bundles.peer, () => peerPing),
        ];
        const starts = await inTurns(runs * STARTS_PER_RUN, samplers, progress);
        return findings([bundles.gateway, bundles.smallest, bundles.peer], starts);
      });
    }),
};

/** What comes of the starts of an empty module and of these bundles. */
function findings(bundles: readonly Bundle[], [empty = [], ...starts]: readonly Start[][]): Findings {
  const floor = figuresOf(empty);
  const overFloor = starts.map((list) =>
    list.map(({ loadMs, loadCpuMs, ...calls }) => ({
      loadMs: loadMs - floor.loadMs.median,
      loadCpuMs: loadCpuMs - floor.loadCpuMs.median,
      ...calls,
    })),
  );
  const [gateway = [], smallest = [], peer = []] = overFloor;
  const cpuRatio = (to: typeof gateway) => ratiosOf(gateway, to).loadCpuMs.median;
  return {
    sections: [
      {
        heading: 'Initialisation over an empty module, and the first two calls',
        columns: {
          bundle: 'Bundle',
          kB: 'kB',
          loadMs: 'Init ms',
          loadCpuMs: 'CPU ms',
          firstCallMs: '1st call ms',
          firstCallCpuMs: 'CPU ms',
          secondCallMs: '2nd call ms',
        },
        rows: bundles.map(({ name, bytes }, i) => ({
          bundle: name,
          kB: bytes / 1_000,
          ...figuresOf(overFloor[i] ?? []),
        })),
      },
    ],
    targets: [
      { what: 'initialisation, CPU, to that of the smallest bundle', value: cpuRatio(smallest), atMost: 1.15 },
      { what: 'initialisation, CPU, to that of the peer', value: cpuRatio(peer), atMost: 1 },
      { what: 'first call of the gateway, ms', value: figuresOf(gateway).firstCallMs.median, atMost: 5 },
    ],
    notes: [
      `${empty.length} processes each, ${canPin ? 'all on one core' : 'not pinned to a core'}. Initialisation is the ` +
        'import with its warm-up, one read; ratios are of CPU time, which other load on the machine does not lengthen.',
    ],
  };
}
