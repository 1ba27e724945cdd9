import { again, recordCalls } from '../bare/calls.ts';
import { PEER_HANDLER, startFresh, withBundles, type Start } from '../bundles.ts';
import { sectionOf, type BenchPart } from '../part.ts';
import { serve } from '../paths.ts';
import { canPin, functionVariables } from '../processes.ts';
import { pingEvent } from '../request.ts';
import { each, inTurns, measured, median, pairedRatio } from '../statistics.ts';
import { AMPLE, withSubjects } from '../subject.ts';

/** Fresh processes of each bundle in one of the `runs`. */
const STARTS_PER_RUN = 5;

/** The first shows what a process itself takes. Those after the second are compared with the second. */
const ENTRIES = {
  empty: 'bench/bare/empty.ts',
  gateway: 'functions/gateway/metered.ts',
  smallest: 'bench/bare/handler.ts',
  peer: PEER_HANDLER,
};

/** How long a fresh process takes to load each bundle, and to serve its first and its second ping. */
export const coldStart: BenchPart = {
  title: 'Cold start',
  measures:
    'fresh processes, in turns: the bundle as deployed with its warm-up, the smallest that makes the same calls, the peer',
  run: (runs, progress) =>
    withSubjects(async ({ address, client, gateway, peer }) => {
      const gatewayPing = pingEvent({ key: await gateway.createTenant(AMPLE) });
      const peerPing = pingEvent({ key: await peer.createTenant(AMPLE) });
      // It has a project of its own: recorded calls are valid only in the minute of their recording.
      const recordedKey = await gateway.createTenant(AMPLE);
      const calls = await recordCalls(client, () => serve(gateway, { key: recordedKey }));
      const events = {
        empty: () => null,
        gateway: () => gatewayPing,
        smallest: () => again(calls),
        peer: () => peerPing,
      };
      return withBundles(ENTRIES, async (bundles) => {
        const environment = functionVariables(address);
        const samplers = Object.values(bundles).map((bundle) => {
          const event = events[bundle.name];
          return { ...bundle, sample: () => startFresh(bundle, [event(), event()], environment) };
        });
        const starts = runs * STARTS_PER_RUN;
        const [floor, ...rows] = await inTurns(starts, samplers, progress);
        const over = (figure: 'loadMs' | 'loadCpuMs', samples: readonly Start[] = []) =>
          each(samples, figure).map((ms) => ms - median(each(floor?.samples ?? [], figure)));
        const ratio = (samples: readonly Start[]) =>
          pairedRatio(over('loadCpuMs', rows[0]?.samples), over('loadCpuMs', samples));
        return {
          sections: [
            sectionOf('Initialisation over an empty module, and the first two calls', rows, {
              bundle: ['Bundle', ({ name }) => name],
              kB: ['kB', ({ bytes }) => bytes / 1_000],
              loadMs: ['Init ms', ({ samples }) => measured(over('loadMs', samples))],
              loadCpuMs: ['CPU ms', ({ samples }) => measured(over('loadCpuMs', samples))],
              cpuRatio: ['gateway to it', ({ samples }) => ratio(samples)],
              firstCallMs: ['1st call ms', ({ samples }) => measured(each(samples, 'firstCallMs'))],
              firstCallCpuMs: ['CPU ms', ({ samples }) => measured(each(samples, 'firstCallCpuMs'))],
              secondCallMs: ['2nd call ms', ({ samples }) => measured(each(samples, 'secondCallMs'))],
            }),
          ],
          notes: [
            `${starts} processes each, ${canPin ? 'all on one core' : 'not pinned to a core'}. Initialisation is the ` +
              'import with its warm-up, one read; ratios are of CPU time, which other load on the machine does not lengthen.',
          ],
        };
      });
    }),
};
