import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** How a program ended, and what it printed. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  /** Both outputs in the order of arrival. */
  readonly output: string;
}

/** Runs a program without a terminal, with this on its stdin, and waits for its end. */
export type Run = (command: string, args: readonly string[], input?: string) => Promise<Ended>;

/** The folder of the project, where its programs are run. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** As {@link Run}, in an environment. `bin/….ts` is a program of the project. */
export const runIn =
  (env: NodeJS.ProcessEnv): Run =>
  async (command, args, input = '') => {
    const [file, given] = command.endsWith('.ts') ? [process.execPath, [command, ...args]] : [command, [...args]];
    const child = spawn(file, given, { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'] });
    // A program that keeps running would disturb the next rehearsal.
    const end = (): boolean => child.kill();
    process.once('exit', end);
    let [stdout, output] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    // A program that reads nothing may end before it received all input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const [status] = (await once(child, 'close')) as [number | null];
    process.off('exit', end);
    return { status: status ?? 1, stdout, output };
  };
