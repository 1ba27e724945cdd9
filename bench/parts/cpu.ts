import type { CpuFindings } from '../cpu-process.ts';
import { sectionOf, type BenchPart } from '../part.ts';
import { startProcess } from '../processes.ts';
import { measured, pairedRatio } from '../statistics.ts';

const ROUNDS_PER_RUN = 2;

/** The CPU time of one ping, compared with that of its database calls alone. */
export const cpu: BenchPart = {
  title: 'Handler CPU',
  measures:
    'the chain for a first ping with Idempotency-Key, the transport answering at once as the engine did, beside the same calls alone',
  run: async (runs, progress) => {
    progress('chain and bare calls in turns');
    // The log lines are part of the cost. So the process writes them, and its standard output is discarded.
    const process = new URL('../cpu-process.ts', import.meta.url);
    const child = startProcess(process, { args: [String(runs * ROUNDS_PER_RUN)] });
    const { variants, selfUs } = await child.next<CpuFindings>();
    await child.stop();

    const bare = variants[0]?.samples ?? [];
    const totalUs = selfUs.reduce((total, { sum }) => total + sum, 0);
    return {
      sections: [
        sectionOf('One ping', variants, {
          what: ['What', ({ name }) => name],
          cpuUs: ['CPU µs', ({ samples }) => measured(samples)],
          ratio: ['To bare calls', ({ samples }) => pairedRatio(samples, bare)],
        }),
        sectionOf('Where the time goes, as deployed', selfUs, {
          whose: ['Whose code', ({ name }) => name],
          us: ['Self µs a ping', ({ sum }) => sum],
          share: ['Share %', ({ sum }) => (100 * sum) / totalUs],
        }),
      ],
      notes: [
        'CPU time is that of the whole process, compilation and garbage collection included. The transport and its ' +
          'sockets, which both would pay, are left out.',
      ],
    };
  },
};
