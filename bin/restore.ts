/** `npm run restore -- --stage <stage> --to <time>`: restores a deployed stage to a moment, step by step. */
import { failWithoutReader } from './cli/shell.ts';
import { runProgram } from './cli/command-line.ts';
import { restoreProgram } from './restore/program.ts';

failWithoutReader();
await runProgram(restoreProgram(process), process.argv.slice(2), process);
