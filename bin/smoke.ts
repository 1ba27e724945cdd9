/** `npm run smoke -- <url> <key>`: checks a running gateway against its contract. */
import { CommanderError } from 'commander';
import { errorText } from './admin/error-text.ts';
import { failWithoutReader } from './admin/shell.ts';
import { smokeProgram } from './smoke/program.ts';

failWithoutReader();
try {
  await smokeProgram(process.stdin).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode);
  process.stderr.write(errorText(error instanceof Error ? error.message : String(error)));
  process.exitCode = 1;
}
