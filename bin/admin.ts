/** `npm run admin -- …`: the operator's CLI. */
import { CommanderError } from 'commander';
import { withoutApiKeys } from '../functions/core/api-key.ts';
import { adminProgram } from './admin/program.ts';
import { errorLine } from './admin/errors.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads may have seen enough (`| head`): quiet, but no success, since a new key may be lost with it.
  if (error.code !== 'EPIPE') process.stderr.write(`error: The output could not be written: ${error.message}\n`);
  process.exit(1);
});

const program = adminProgram(process.env);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode);
  process.stderr.write(withoutApiKeys(`error: ${errorLine(error)}\n`));
  process.exitCode = 1;
}
