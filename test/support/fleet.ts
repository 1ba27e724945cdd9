import { fork, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { banner, CLEAN, end, observed, ROOT, WITH_ROLES, type RunningGateway, type Variables } from './processes.ts';

interface FleetOptions {
  /** The address of their common database. */
  readonly endpoint: string;
  /** The lead of each process's clock, in milliseconds; one process for each. */
  readonly leadsMs: readonly number[];
  readonly nowMs: number;
}

/** Starts gateway processes on one database, each with its own clock: `bin/local.ts` once for each lead. */
export async function startFleet({ endpoint, nowMs, ...options }: FleetOptions) {
  let { leadsMs } = options;
  let stderrOfKilled = '';
  let shiftsMs: number[] = [];
  const decideShifts = (newNowMs: number): void => {
    const shiftMs = newNowMs - Date.now();
    shiftsMs = leadsMs.map((leadMs) => shiftMs + leadMs);
  };
  const start = (place: number): Promise<RunningGateway> =>
    startClocked(shiftsMs[place] ?? 0, { AWS_ENDPOINT_URL_DYNAMODB: endpoint });
  decideShifts(nowMs);
  const places: (RunningGateway | undefined)[] = await Promise.all(leadsMs.map((_, place) => start(place)));
  const running = (): RunningGateway[] => places.filter((gateway) => gateway !== undefined);
  const replace = async (place: number): Promise<void> => {
    const killed = places[place];
    if (killed === undefined) throw new Error(`no gateway runs in place ${place}`);
    places[place] = undefined;
    await end(killed, 'SIGKILL');
    stderrOfKilled += killed.stderr;
    const started = await start(place);
    places[place] = started;
    // The clocks may have been set during its start.
    await setShift(started.child, shiftsMs[place] ?? 0);
  };
  const replacing = new Set<Promise<void>>();
  return {
    /** Addresses of the processes that run. */
    urls: (): string[] => running().map(({ url }) => url),
    /** Sets every clock to this time, each with its lead. Resolves when all have it. */
    setClocks: async (newNowMs: number, newLeadsMs = leadsMs): Promise<void> => {
      leadsMs = newLeadsMs;
      decideShifts(newNowMs);
      const set = places.map((gateway, place) => gateway && setShift(gateway.child, shiftsMs[place] ?? 0));
      await Promise.all(set.filter((setting) => setting !== undefined));
    },
    /** Kills one with -9 at once. Resolves when another runs in its place. */
    kill: async (place: number): Promise<void> => {
      const replaced = replace(place);
      replacing.add(replaced);
      await replaced;
      replacing.delete(replaced);
    },
    /** Their stderr so far: the causes of 5xx. */
    stderr: (): string =>
      stderrOfKilled +
      running()
        .map(({ stderr }) => stderr)
        .join(''),
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
