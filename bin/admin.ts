#!/usr/bin/env -S node --max-semi-space-size=4 --max-old-space-size=128
/** The admin CLI: `npm run admin -- …`, or `npx sandbox-admin …`. */
import { enableCompileCache } from 'node:module';
import { failWithoutReader } from './admin/shell.ts';

failWithoutReader();
enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/node`);
// Loaded after that, to start in a third of the time.
const { runAdmin } = await import('./admin/program.ts');
await runAdmin(process.argv.slice(2), process);
