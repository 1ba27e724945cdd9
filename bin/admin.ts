#!/usr/bin/env -S node --max-semi-space-size=4 --max-old-space-size=128
/** The operator's CLI: `npm run admin -- …`, or `npx sandbox-admin …`. */
import { enableCompileCache } from 'node:module';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads may have seen enough (`| head`): quiet, but no success, since a new key may be lost with it.
  if (error.code !== 'EPIPE') process.stderr.write(`error: The output could not be written: ${error.message}\n`);
  process.exit(1);
});

enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/node`);
// Loaded after that, to start in a third of the time.
const { runAdmin } = await import('./admin/program.ts');
await runAdmin(process.argv.slice(2), process);
