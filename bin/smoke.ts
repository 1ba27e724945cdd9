/**
 * `npm run smoke -- <url>`, with the key on stdin, or `-- --portal <url>`: checks a running gateway, or portal, against
 * its contract.
 */
import { runProgram } from './cli/command-line.ts';
import { failWithoutReader } from './cli/shell.ts';
import { portalProgram } from './smoke/portal.ts';
import { smokeProgram } from './smoke/program.ts';

failWithoutReader();
const args = process.argv.slice(2);
const ofPortal = args.some((argument) => /^--portal(=|$)/.test(argument));
await runProgram(ofPortal ? portalProgram() : smokeProgram(process), args, process);
