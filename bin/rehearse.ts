/** `npm run rehearse`: deploys a stage, uses it, and deletes it again, in a sandbox account or at another endpoint. */
import { runProgram } from './admin/command-line.ts';
import { failWithoutReader } from './admin/shell.ts';
import { rehearseProgram } from './rehearse/program.ts';

failWithoutReader();
// So that running programs are ended, too; Ctrl-C reaches them directly.
process.on('SIGTERM', () => process.exit(143));
await runProgram(rehearseProgram(process), process.argv.slice(2), process);
