import type { CpuFindings } from '../cpu/process.ts';
import type { HotFunction } from '../cpu/profiling.ts';
import { sectionOf, type BenchPart } from '../part.ts';
import { startProcess } from '../processes.ts';
import { measured, pairedRatio, sumsBy } from '../statistics.ts';

const ROUNDS_PER_RUN = 2;
const SHOWN_FUNCTIONS = 10;

/** In the order in which the process measures them. */
const VARIANTS = [
  'bare calls, the SDK as it comes',
  "bare calls, the gateway's client",
  'chain, without log and metrics',
  'chain, as deployed',
];

const OWNERS: readonly (readonly [RegExp, string])[] = [
  [/^functions\//, 'gateway'],
  [/^@middy\//, 'Middy'],
  [/^@aws-lambda-powertools\//, 'Powertools'],
  [/^@(aws-sdk|smithy|aws)\//, 'AWS SDK'],
  [/^node:/, 'Node'],
  [/^$/, 'V8: garbage collection, built-in functions'],
];

const ownerOf = ({ where }: HotFunction): string => OWNERS.find(([pattern]) => pattern.test(where))?.[1] ?? 'other';

/** What the processor does for one ping beyond what any client of the database must. */
export const cpu: BenchPart = {
  title: 'Handler CPU',
  measures:
    'the chain for a first ping with Idempotency-Key, the transport answering at once as the engine did, beside the same calls alone',
  run: async ({ runs, progress }) => {
    progress('chain and bare calls in turns');
    // A process whose standard output goes nowhere, as the log lines of the chain are part of its cost.
    const child = startProcess(new URL('../cpu/process.ts', import.meta.url), {
      args: [String(runs * ROUNDS_PER_RUN)],
    });
    const { cpuUs, allocatedBytes, profiledRequests, hot } = await child.next<CpuFindings>();
    await child.stop();

    const variants = VARIANTS.map((what, i) => ({
      what,
      cpuUs: measured(cpuUs[i] ?? []),
      ratio: pairedRatio(cpuUs[i] ?? [], cpuUs[0] ?? []),
      allocatedKB: measured(allocatedBytes[i]?.map((bytes) => bytes / 1_000) ?? []),
    }));
    const [, , chain = NaN, logged = NaN] = variants.map(({ ratio }) => ratio.median - 1);
    const usOf = (selfMs: number): number => (selfMs * 1_000) / profiledRequests;
    const totalMs = hot.reduce((sum, { selfMs }) => sum + selfMs, 0);
    return {
      sections: [
        sectionOf('One ping', variants, {
          what: ['What', ({ what }) => what],
          cpuUs: ['CPU µs', (variant) => variant.cpuUs],
          ratio: ['To bare calls', ({ ratio }) => ratio],
          allocatedKB: ['Allocated kB', ({ allocatedKB }) => allocatedKB],
        }),
        sectionOf(
          'Where the time goes, as deployed',
          sumsBy(hot, ownerOf, ({ selfMs }) => selfMs),
          {
            whose: ['Whose code', ({ name }) => name],
            us: ['Self µs a ping', ({ sum }) => usOf(sum)],
            share: ['Share %', ({ sum }) => (100 * sum) / totalMs],
          },
        ),
        sectionOf(`The ${SHOWN_FUNCTIONS} functions with the most time of their own`, hot.slice(0, SHOWN_FUNCTIONS), {
          name: ['Function', ({ name }) => name],
          where: ['In', ({ where }) => where],
          us: ['Self µs a ping', ({ selfMs }) => usOf(selfMs)],
        }),
      ],
      targets: [
        { what: 'overhead of the chain above the bare calls', value: chain, atMost: 0.25 },
        { what: 'overhead as deployed, with log and metrics', value: logged, atMost: 0.25 },
      ],
      notes: [
        'CPU time is that of the whole process, compilation and garbage collection included. The transport and its ' +
          'sockets, which both would pay, are left out.',
      ],
    };
  },
};
