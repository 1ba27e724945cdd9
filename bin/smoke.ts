/** `npm run smoke -- <url>`, with the key on stdin, or `-- --portal <url>`: checks a running gateway, or portal, against its contract. */
import { CommanderError } from 'commander';
import { errorText } from './admin/error-text.ts';
import { failWithoutReader } from './admin/shell.ts';
import { portalProgram } from './smoke/portal.ts';
import { smokeProgram } from './smoke/program.ts';

failWithoutReader();
try {
  const ofPortal = process.argv.some((argument) => /^--portal(=|$)/.test(argument));
  await (ofPortal ? portalProgram() : smokeProgram(process.stdin, process.stderr)).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode);
  process.stderr.write(errorText(error instanceof Error ? error.message : String(error)));
  process.exitCode = 1;
}
