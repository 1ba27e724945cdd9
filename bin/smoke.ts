/** `npm run smoke -- <url>`, or `-- --portal <url>`: checks a running gateway, or portal, against its contract. */
import { runProgram } from './cli/command-line.ts';
import { failWithoutReader } from './cli/shell.ts';
import { smokeProgram } from './smoke/program.ts';

failWithoutReader();
await runProgram(smokeProgram(process), process.argv.slice(2), process);
