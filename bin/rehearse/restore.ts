import type { Programs } from './programs.ts';
import { ProgramFailed, Skipped } from './sequence.ts';
import type { Places } from './stage.ts';

const POLL_MS = 20_000;
/** A quarter of an hour: the restorable time ends some minutes before now. */
const MAX_POLLS = 45;

/** The parts of a restore. */
interface Parts {
  readonly ran: Programs['ran'];
  readonly deploy: (...settings: string[]) => Promise<string>;
  readonly ping: () => Promise<string>;
  readonly places: Places;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** Restores the stage to a moment, by the steps of docs/operating.md, "Restore", and pings with the same key. */
export async function restored(
  atMs: number,
  { ran, deploy, ping, places, sleep }: Parts,
  endpoint: string | undefined,
): Promise<string> {
  const moment = new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
  for (let polls = 0; ; polls++) {
    const latestMs = await places.restorableUntilMs();
    if (latestMs === undefined) {
      if (endpoint !== undefined) throw new Skipped('the endpoint has no point-in-time recovery');
      throw new Error('the tables have no point-in-time recovery');
    }
    if (latestMs >= Date.parse(moment)) break;
    if (polls === MAX_POLLS) throw new Error(`the tables can still not be restored to ${moment}`);
    await sleep(POLL_MS);
  }
  const restore = ['--stage', 'dev', '--to', moment, '--yes'];
  const told = await ran('bin/restore.ts', restore);
  const settings = ['restoredGatewayTable', 'restoredUsageTable', 'restoredGatewayStreamArn'].map((name) => {
    const [, table] = new RegExp(`${name}: '([^']+)'`).exec(told) ?? [];
    if (table === undefined) throw new ProgramFailed(`it names no ${name}`, told);
    return `${name}=${table}`;
  });
  await deploy(...settings);
  await ran('bin/restore.ts', restore);
  await ping();
  return `to ${moment}: the key of before pings, and the ledger agrees`;
}
