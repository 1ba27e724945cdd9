/** `npm run smoke -- <url> <key>`: checks a running gateway against its contract. */
import { CommanderError } from 'commander';
import { withoutApiKeys } from '../functions/core/api-key.ts';
import { smokeProgram } from './smoke/program.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads may have seen enough (`| head`): quiet, but no success, since nobody has seen the whole report.
  if (error.code !== 'EPIPE') process.stderr.write(`error: The output could not be written: ${error.message}\n`);
  process.exit(1);
});

try {
  await smokeProgram(process.stdin).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode);
  process.stderr.write(withoutApiKeys(`error: ${error instanceof Error ? error.message : String(error)}\n`));
  process.exitCode = 1;
}
