import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs the CDK's own CLI and returns its exit status. */
export type Cdk = (args: readonly string[]) => Promise<number>;

/** As {@link Cdk}, at the person's terminal. Ctrl-C also reaches it, and this process waits for its end. */
export const cdk: Cdk = async (args) => {
  const child = spawn('cdk', args, { stdio: 'inherit' });
  const ignore = () => undefined;
  const pass = () => child.kill('SIGTERM');
  process.on('SIGINT', ignore).on('SIGTERM', pass).on('SIGHUP', pass);
  try {
    const [status] = (await once(child, 'exit')) as [number | null];
    return status ?? 1;
  } finally {
    process.off('SIGINT', ignore).off('SIGTERM', pass).off('SIGHUP', pass);
  }
};

/** Writes the templates and assets of all stacks into a folder. Returns the exit status. */
export const synthesise = (run: Cdk, directory: string, context: readonly string[]): Promise<number> =>
  run(['synth', '--quiet', '--output', directory, ...context.flatMap((pair) => ['-c', pair])]);
