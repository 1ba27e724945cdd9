import { fork, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { banner, CLEAN, end, observed, ROOT, WITH_ROLES, type RunningGateway, type Variables } from './processes.ts';

interface FleetOptions {
  /** The address of their common database. */
  readonly endpoint: string;
  /** What the clock of each process shows when all have started; one process for each. */
  readonly timesMs: readonly number[];
}

/** Starts gateway processes on one database, each with its own clock: `bin/local.ts` once for each time. */
export async function startFleet({ endpoint, timesMs }: FleetOptions) {
  const shiftsNow = () => timesMs.map((timeMs) => timeMs - Date.now());
  let shiftsMs = shiftsNow();
  const start = (place: number): Promise<RunningGateway> =>
    startClocked(shiftsMs[place] ?? 0, { AWS_ENDPOINT_URL_DYNAMODB: endpoint });
  const first = await Promise.all(timesMs.map((_, place) => start(place)));
  // A start takes seconds. The times hold from now on.
  shiftsMs = shiftsNow();
  await Promise.all(first.map(({ child }, place) => setShift(child, shiftsMs[place] ?? 0)));
  const places: (RunningGateway | undefined)[] = first;
  const running = (): RunningGateway[] => places.filter((gateway) => gateway !== undefined);
  const replace = async (place: number): Promise<void> => {
    const killed = places[place];
    if (killed === undefined) throw new Error(`no gateway runs in place ${place}`);
    places[place] = undefined;
    await end(killed, 'SIGKILL');
    places[place] = await start(place);
  };
  const replacing = new Set<Promise<void>>();
  return {
    /** Addresses of the processes that run. */
    urls: (): string[] => running().map(({ url }) => url),
    /** Kills one with -9 at once. Resolves when another runs in its place. */
    kill: async (place: number): Promise<void> => {
      const replaced = replace(place);
      replacing.add(replaced);
      await replaced;
      replacing.delete(replaced);
    },
    stop: async (): Promise<void> => {
      await Promise.allSettled(replacing);
      await Promise.all(running().map((gateway) => end(gateway, 'SIGKILL')));
    },
  };
}
export type Fleet = Awaited<ReturnType<typeof startFleet>>;

/** Starts a gateway whose clock differs from the machine's by this much. */
export function startClocked(shiftMs: number, environment: Variables): Promise<RunningGateway> {
  const child = fork(join(ROOT, 'bin/local.ts'), [], {
    cwd: ROOT,
    execArgv: [...WITH_ROLES, '--import', join(ROOT, 'test/support/shifted-clock.mjs')],
    env: {
      ...CLEAN,
      PORT: '0',
      PORTAL: 'off',
      POWERTOOLS_LOG_LEVEL: 'ERROR',
      TEST_CLOCK_SHIFT_MS: String(shiftMs),
      ...environment,
    },
    detached: true,
    silent: true,
  });
  return banner(observed(child as ChildProcessWithoutNullStreams, ['bin/local.ts']));
}

/** Moves the clock of a gateway. Resolves when the gateway uses it, or has ended. */
export async function setShift(child: RunningGateway['child'], shiftMs: number): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const settled = Promise.race([once(child, 'message', { signal }), once(child, 'exit', { signal })]);
  child.send({ shiftMs });
  await settled;
  waiting.abort();
}
