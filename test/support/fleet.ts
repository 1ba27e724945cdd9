import { fork, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { banner, CLEAN, end, observed, ROOT, WITH_ROLES, type RunningGateway } from './processes.ts';

interface FleetOptions {
  /** The address of their common database. */
  readonly endpoint: string;
  /** What the clock of each process shows when all have started; one process for each. */
  readonly timesMs: readonly number[];
}

/** Starts gateway processes on one database, each with its own clock: `bin/local.ts` once for each time. */
export async function startFleet({ endpoint, timesMs }: FleetOptions) {
  const shiftNow = (place: number): number => (timesMs[place] ?? 0) - Date.now();
  const start = (shiftMs: number) => startClocked(shiftMs, endpoint);
  const places: (RunningGateway | undefined)[] = await Promise.all(timesMs.map((_, place) => start(shiftNow(place))));
  // A start takes seconds. The times hold from now on.
  const shiftsMs = timesMs.map((_, place) => shiftNow(place));
  const running = (): RunningGateway[] => places.filter((gateway) => gateway !== undefined);
  await Promise.all(running().map(({ child }, place) => setShift(child, shiftsMs[place] ?? 0)));
  const restarting = new Map<number, Promise<void>>();
  const replace = async (place: number, killed: RunningGateway): Promise<void> => {
    places[place] = undefined;
    await end(killed, 'SIGKILL');
    places[place] = await start(shiftsMs[place] ?? 0);
    restarting.delete(place);
  };
  return {
    /** Addresses of the processes that run. */
    urls: (): string[] => running().map(({ url }) => url),
    /** Kills one with -9, and starts another in its place. At least one always serves. */
    kill: async (place: number): Promise<void> => {
      await restarting.get(place);
      if (restarting.size === timesMs.length - 1) await Promise.race(restarting.values());
      const killed = places[place];
      if (killed === undefined) throw new Error(`no gateway runs in place ${place}`);
      restarting.set(place, replace(place, killed));
    },
    /** Resolves when all run again. */
    whole: () => Promise.all(restarting.values()),
    stop: async (): Promise<void> => {
      await Promise.allSettled(restarting.values());
      await Promise.all(running().map((gateway) => end(gateway, 'SIGKILL')));
    },
  };
}
export type Fleet = Awaited<ReturnType<typeof startFleet>>;

/** Starts a gateway whose clock differs from the machine's by this much, on a database. */
function startClocked(shiftMs: number, endpoint: string): Promise<RunningGateway> {
  const child = fork(join(ROOT, 'bin/local.ts'), [], {
    cwd: ROOT,
    execArgv: [...WITH_ROLES, '--import', join(ROOT, 'test/support/shifted-clock.mjs')],
    env: {
      ...CLEAN,
      PORT: '0',
      PORTAL: 'off',
      POWERTOOLS_LOG_LEVEL: 'ERROR',
      TEST_CLOCK_SHIFT_MS: String(shiftMs),
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    },
    detached: true,
    silent: true,
  });
  return banner(observed(child as ChildProcessWithoutNullStreams, ['bin/local.ts']));
}

/** Moves the clock of a gateway. Resolves when the gateway uses it, or has ended. */
async function setShift(child: RunningGateway['child'], shiftMs: number): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const settled = Promise.race([once(child, 'message', { signal }), once(child, 'exit', { signal })]);
  child.send({ shiftMs });
  await settled;
  waiting.abort();
}
