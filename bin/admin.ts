/** `npm run admin -- …`: the operator's CLI. */
import { CommanderError } from 'commander';
import { adminProgram } from './admin/program.ts';
import { errorLine } from './admin/errors.ts';

// Whoever reads may have seen enough (`| head`).
process.stdout.on('error', () => process.exit());

const program = adminProgram({
  environment: process.env,
  write: (text) => process.stdout.write(text),
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode);
  process.stderr.write(`error: ${errorLine(error)}\n`);
  process.exitCode = 1;
}
