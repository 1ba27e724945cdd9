import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../../local/settings.ts';

interface MaybeTerminal {
  readonly isTTY?: boolean;
  /** Characters in a line of a terminal. */
  readonly columns?: number;
}

/** The parts of the process that commands use; `process` is one. */
export interface Shell {
  readonly env: Environment;
  readonly stdin: Readable & MaybeTerminal;
  readonly stdout: Writable & MaybeTerminal;
  readonly stderr: Writable & MaybeTerminal;
  /** The exit status, set by a command that fails. */
  exitCode?: NodeJS.Process['exitCode'];
}

/** Ends this process when its output cannot be written. This is a failure, since nobody has seen everything. */
export function failWithoutReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader may have closed the pipe on purpose (`| head`): it is no success, but needs no message.
    if (error.code !== 'EPIPE') process.stderr.write(`error: The output could not be written: ${error.message}\n`);
    process.exit(1);
  });
}
