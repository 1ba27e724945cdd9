/** `npm run admin -- …`: the operator's CLI. */
import { runAdmin } from './admin/program.ts';
import { failWithoutReader } from './admin/shell.ts';

failWithoutReader();
await runAdmin(process.argv.slice(2), process);
