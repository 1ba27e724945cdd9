/** `npm run rollback -- --stage <stage>`: rolls a function of a deployed stage back to the previous version. */
import { failWithoutReader } from './admin/shell.ts';
import { runProgram } from './admin/command-line.ts';
import { rollbackProgram } from './rollback/program.ts';

failWithoutReader();
await runProgram(rollbackProgram(process), process.argv.slice(2), process);
