import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runAdmin } from '../../bin/admin/program.ts';
import type { Shell } from '../../bin/admin/shell.ts';
import { CLEAN, cliResult, type CliResult, type Variables } from './processes.ts';
import { notePrinted } from './secrets/printed.ts';

/**
 * Runs one command of the operator's CLI on a local database, without a terminal and without a process of its own, of
 * which the start takes ten times as long as the command. The AWS SDK sees the environment of the test: a command that
 * is not `--local` is for `adminProcess`.
 */
export async function admin(args: readonly string[], environment: Variables): Promise<CliResult> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const shell: Shell = { env: { ...CLEAN, ...environment }, stdin: Readable.from([]), stdout, stderr };
  const printed = Promise.all([text(stdout), text(stderr)]);
  await runAdmin(args, shell);
  stdout.end();
  stderr.end();
  const [out, error] = await printed;
  notePrinted(['bin/admin.ts', ...args], { stdout: out, stderr: error });
  return cliResult(Number(shell.exitCode ?? 0), { stdout: out, stderr: error });
}
