import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runAdmin } from '../../bin/admin/program.ts';
import type { Shell } from '../../bin/cli/shell.ts';
import { CLEAN, cliResult, type CliResult, type Variables } from './processes.ts';
import { JOURNAL_VARIABLE } from './secrets/journal.ts';
import { notePrinted } from './secrets/printed.ts';

/**
 * Runs one command of the admin CLI in this process. To start a process takes ten times as long as the command: use
 * `run` (processes.ts) for what depends on a process.
 *
 * @param isTTY whether its output goes to a terminal
 * @param terminal the width of that terminal, and what a person types there; absent: there is no person
 */
export const admin = (
  args: readonly string[],
  environment: Variables,
  isTTY = false,
  terminal: Terminal = {},
): Promise<CliResult> => inShell('bin/admin.ts', runAdmin, args, environment, isTTY, terminal);

interface Terminal {
  readonly columns?: number;
  readonly typed?: string;
}

/** Does the same as {@link admin} for any program that takes a shell; `piped` is stdin when it is not a terminal. */
export async function inShell(
  program: string,
  runProgram: (args: readonly string[], shell: Shell) => Promise<void>,
  args: readonly string[],
  environment: Variables,
  isTTY = false,
  { columns, typed }: Terminal = {},
  piped = '',
): Promise<CliResult> {
  const stdout = Object.assign(new PassThrough(), { isTTY, ...(columns !== undefined && { columns }) });
  const stderr = new PassThrough();
  const stdin = Object.assign(Readable.from([typed ?? piped]), { isTTY: typed !== undefined });
  const shell: Shell = { env: { ...CLEAN, ...environment }, stdin, stdout, stderr };
  const printed = Promise.all([text(stdout), text(stderr)]);
  await runProgram(args, shell);
  stdout.end();
  stderr.end();
  const [out, error] = await printed;
  notePrinted([program, ...args], { stdout: out, stderr: error });
  return cliResult(Number(shell.exitCode ?? 0), { stdout: out, stderr: error });
}

/**
 * Does the same as {@link admin} for a command that calls AWS: the SDK reads `process.env`, and each suite has a copy
 * of it (environment.mjs). Only one call may run at a time.
 */
export async function adminOnAws(args: readonly string[], environment: Variables): Promise<CliResult> {
  const { env } = process;
  process.env = { ...CLEAN, ...environment, [JOURNAL_VARIABLE]: env[JOURNAL_VARIABLE] };
  try {
    return await admin(args, environment);
  } finally {
    process.env = env;
  }
}
