/** `npm run admin -- …`: the operator's CLI. */
import { runAdmin } from './admin/program.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads may have seen enough (`| head`): quiet, but no success, since a new key may be lost with it.
  if (error.code !== 'EPIPE') process.stderr.write(`error: The output could not be written: ${error.message}\n`);
  process.exit(1);
});

await runAdmin(process.argv.slice(2), process);
