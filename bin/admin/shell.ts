import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../../local/settings.ts';

interface MaybeTerminal {
  readonly isTTY?: boolean;
  /** Characters in a line of a terminal. */
  readonly columns?: number;
}

/** What commands use of the process that runs them; `process` is one. */
export interface Shell {
  readonly env: Environment;
  readonly stdin: Readable & MaybeTerminal;
  readonly stdout: Writable & MaybeTerminal;
  readonly stderr: Writable & MaybeTerminal;
  /** The exit status, set by a command that does not end well. */
  exitCode?: NodeJS.Process['exitCode'];
}

/** Ends this process when what it prints cannot be written. It has failed then, since nobody has seen the whole. */
export function failWithoutReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever reads may have seen enough (`| head`): quiet, but no success.
    if (error.code !== 'EPIPE') process.stderr.write(`error: The output could not be written: ${error.message}\n`);
    process.exit(1);
  });
}
