import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from '@jest/globals';
import { startPortalSite } from './portal-site.ts';
import { type atDoor, end, FREE_PORTS, onOwnDatabase, run, type RunningProcess, type Variables } from './processes.ts';

/** Starts `npm start` in the tests of a file; what is started or made ends with its test. */
export function startsInTests() {
  const started: RunningProcess[] = [];
  const directories: string[] = [];
  afterEach(async () => {
    for (const running of started.splice(0)) await end(running, 'SIGKILL');
    for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
  });
  const noted = <Running extends RunningProcess>(running: Running): Running => {
    started.push(running);
    return running;
  };
  return {
    gateway: async (environment: Variables = {}) => noted(await onOwnDatabase({ PORTAL: 'off', ...environment })),
    portal: async (environment: Variables = {}, startBy: typeof atDoor = onOwnDatabase) =>
      noted(await startPortalSite(environment, startBy)),
    /** Starts it without a wait for its banner. */
    begin: (environment: Variables) => noted(run('local.ts', [], { ...FREE_PORTS, ...environment })),
    directory: async (): Promise<string> => {
      const directory = await mkdtemp(join(tmpdir(), 'gateway-'));
      directories.push(directory);
      return directory;
    },
  };
}
