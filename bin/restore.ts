/** `npm run restore -- --stage <stage> --to <time>`: restores a deployed stage to a moment, step by step. */
import { failWithoutReader } from './admin/shell.ts';
import { runProgram } from './admin/command-line.ts';
import { restoreProgram } from './restore/program.ts';

failWithoutReader();
await runProgram(restoreProgram(process), process.argv.slice(2), process);
