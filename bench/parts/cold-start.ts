import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../functions/store/client.ts';
import { anew, recordCalls } from '../bare/recording.ts';
import { bundleOf } from '../bundles.ts';
import { canPin } from '../cores.ts';
import { onFreshEngine } from '../engine.ts';
import type { BenchPart, Target } from '../part.ts';
import { pingEvent } from '../request.ts';
import { startFresh, type Start } from '../starts.ts';
import { measured, median, pairedRatio } from '../statistics.ts';
import { AMPLE, gatewaySubject, peerSubject } from '../subject.ts';

/** Fresh processes of each bundle in one of the `runs`. */
const STARTS_PER_RUN = 5;

/** How long a fresh process takes to load each bundle, and to serve its first and its second ping. */
export const coldStart: BenchPart = {
  title: 'Cold start',
  measures:
    'fresh processes, in turns: the bundle as deployed with its warm-up, the smallest that makes the same calls, the peer',
  run: async ({ runs, progress }) => {
    const directory = await mkdtemp(join(tmpdir(), 'bench-'));
    try {
      return await onFreshEngine(async ({ client: operator, address }) => {
        const client = createClient(address);
        const gateway = gatewaySubject({ operator, client });
        const gatewayKey = await gateway.createTenant(AMPLE);
        const peerKey = await peerSubject({ operator, client }).createTenant(AMPLE);
        // Of a project of its own: recorded calls count in the minute in which they were recorded, and only there.
        const recordedKey = await gateway.createTenant(AMPLE);
        const calls = await recordCalls(client, () => gateway.handle(pingEvent({ key: recordedKey })));
        client.destroy();

        const subjects = {
          gateway: { entry: { file: 'functions/metered/handler.ts' }, event: () => pingEvent({ key: gatewayKey }) },
          smallest: { entry: { file: 'bench/bare/handler.ts' }, event: () => anew(calls) },
          peer: {
            entry: { file: 'bench/peer/handler.ts', hasCommonJs: true },
            event: () => pingEvent({ key: peerKey }),
          },
        };
        const empty = join(directory, 'empty.mjs');
        await writeFile(empty, 'export {};');
        const bundles = await Promise.all(
          Object.entries(subjects).map(async ([name, { entry, event }]) => ({
            ...(await bundleOf(name, entry, directory)),
            starts: [] as Start[],
            event,
          })),
        );

        const floor: Start[] = [];
        for (let made = 0; made < runs * STARTS_PER_RUN; made++) {
          progress(`start ${made + 1} of ${runs * STARTS_PER_RUN}`);
          floor.push(await startFresh(empty));
          for (const { file, starts, event } of bundles) {
            starts.push(await startFresh(file, address, [event(), event()]));
          }
        }
        const emptyCpuMs = median(floor.map(({ load }) => load.cpuMs));
        const emptyMs = median(floor.map(({ load }) => load.ms));
        const loads = (name: string) =>
          bundles.find((bundle) => bundle.name === name)?.starts.map(({ load }) => load.cpuMs - emptyCpuMs) ?? [];
        const ratio = (to: string) => pairedRatio(loads('gateway'), loads(to)).median;
        const firstCallsMs = bundles[0]?.starts.map(({ calls: [first] }) => first?.ms ?? NaN) ?? [];
        const targets: Target[] = [
          { what: 'initialisation, CPU, to that of the smallest bundle', value: ratio('smallest'), atMost: 1.15 },
          { what: 'initialisation, CPU, to that of the peer', value: ratio('peer'), atMost: 1 },
          { what: 'first call of the gateway, ms', value: median(firstCallsMs), atMost: 5 },
        ];
        return {
          sections: [
            {
              heading: 'Initialisation over an empty module, and the first two calls',
              columns: {
                ...{ bundle: 'Bundle', kB: 'kB', loadMs: 'Init ms', loadCpuMs: 'CPU ms' },
                ...{ firstCallMs: '1st call ms', firstCallCpuMs: 'CPU ms', secondCallMs: '2nd call ms' },
              },
              rows: bundles.map(({ name, bytes, starts }) => ({
                bundle: name,
                kB: bytes / 1_000,
                loadMs: measured(starts.map(({ load }) => load.ms - emptyMs)),
                loadCpuMs: measured(starts.map(({ load }) => load.cpuMs - emptyCpuMs)),
                firstCallMs: measured(starts.map(({ calls: [first] }) => first?.ms ?? NaN)),
                firstCallCpuMs: measured(starts.map(({ calls: [first] }) => first?.cpuMs ?? NaN)),
                secondCallMs: measured(starts.map(({ calls: [, second] }) => second?.ms ?? NaN)),
              })),
            },
          ],
          targets,
          notes: [
            `${runs * STARTS_PER_RUN} processes each, ${canPin ? 'all on one core' : 'not pinned to a core'}. ` +
              'Initialisation is the import with its warm-up, one read; ratios are of CPU time, which other load on the ' +
              'machine does not lengthen.',
          ],
        };
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  },
};
