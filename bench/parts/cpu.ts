import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { VARIANTS, type CpuFindings, type Variant } from '../cpu/process.ts';
import type { HotFunction } from '../cpu/profiling.ts';
import type { BenchPart } from '../part.ts';
import { measured, pairedRatio } from '../statistics.ts';

const SCRIPT = fileURLToPath(new URL('../cpu/process.ts', import.meta.url));
const ROUNDS_PER_RUN = 2;
const SHOWN_FUNCTIONS = 10;

const NAMES: Readonly<Record<Variant, string>> = {
  bare: 'bare calls, the SDK as it comes',
  tuned: "bare calls, the gateway's client",
  chain: 'chain, without log and metrics',
  logged: 'chain, as deployed',
};

/** What the processor does for one ping beyond what any client of the database must. */
export const cpu: BenchPart = {
  title: 'Handler CPU',
  measures:
    'the chain for a first ping with Idempotency-Key, the transport answering at once as the engine did, beside the same calls alone',
  run: async ({ runs, progress }) => {
    progress('chain and bare calls in turns');
    const { cpuUs, allocatedBytes, profiledRequests, hot } = await inProcess(runs * ROUNDS_PER_RUN);
    const overhead = (variant: Variant): number => pairedRatio(cpuUs[variant], cpuUs.bare).median - 1;
    return {
      sections: [
        {
          heading: 'One ping',
          columns: { what: 'What', cpuUs: 'CPU µs', ratio: 'To bare calls', allocatedKB: 'Allocated kB' },
          rows: VARIANTS.map((variant) => ({
            what: NAMES[variant],
            cpuUs: measured(cpuUs[variant]),
            ratio: pairedRatio(cpuUs[variant], cpuUs.bare),
            allocatedKB: measured(allocatedBytes[variant].map((bytes) => bytes / 1_000)),
          })),
        },
        {
          heading: 'Where the time goes, as deployed',
          columns: { whose: 'Whose code', us: 'Self µs a ping', share: 'Share %' },
          rows: byOwner(hot).map(({ owner, selfMs, share }) => ({
            ...{ whose: owner, us: (selfMs * 1_000) / profiledRequests, share },
          })),
        },
        {
          heading: `The ${SHOWN_FUNCTIONS} functions with the most time of their own`,
          columns: { name: 'Function', where: 'In', us: 'Self µs a ping' },
          rows: hot.slice(0, SHOWN_FUNCTIONS).map(({ name, where, selfMs }) => ({
            ...{ name, where, us: (selfMs * 1_000) / profiledRequests },
          })),
        },
      ],
      targets: [
        { what: 'overhead of the chain above the bare calls', value: overhead('chain'), atMost: 0.25 },
        { what: 'overhead as deployed, with log and metrics', value: overhead('logged'), atMost: 0.25 },
      ],
      notes: [
        'CPU time is that of the whole process, compilation and garbage collection included. The transport and its ' +
          'sockets, which both would pay, are left out.',
      ],
    };
  },
};

/** Measures in a process whose standard output goes nowhere, as the log lines of the chain are part of its cost. */
async function inProcess(rounds: number): Promise<CpuFindings> {
  const child = fork(SCRIPT, [String(rounds)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [findings] = (await Promise.race([once(child, 'message'), failure(child)])) as [CpuFindings];
  child.disconnect();
  return findings;
}

async function failure(child: ReturnType<typeof fork>): Promise<never> {
  const [status] = (await once(child, 'exit')) as [number | null];
  throw new Error(`the measuring process ended with status ${status}`);
}

const OWNERS: readonly (readonly [RegExp, string])[] = [
  [/^functions\//, 'gateway'],
  [/^@middy\//, 'Middy'],
  [/^@aws-lambda-powertools\//, 'Powertools'],
  [/^@(aws-sdk|smithy|aws)\//, 'AWS SDK'],
  [/^node:/, 'Node'],
  [/^$/, 'V8: garbage collection, built-in functions'],
];

function byOwner(hot: readonly HotFunction[]) {
  const total = hot.reduce((sum, { selfMs }) => sum + selfMs, 0);
  const owners = Object.groupBy(hot, ({ where }) => OWNERS.find(([pattern]) => pattern.test(where))?.[1] ?? 'other');
  return Object.entries(owners)
    .map(([owner, functions = []]) => {
      const selfMs = functions.reduce((sum, one) => sum + one.selfMs, 0);
      return { owner, selfMs, share: (100 * selfMs) / total };
    })
    .sort((a, b) => b.selfMs - a.selfMs);
}
