/**
 * Loaded before `npm start`, whose process runs all functions: each function calls under its own role, as in AWS. The
 * code that prepares the database may do anything. All other code has the credentials of the process, with the
 * permissions of the platform team.
 */
import { registerHooks } from 'node:module';

const CALLERS = [
  [/\/functions\/gateway\/metered\.ts$/, 'metered'],
  [/\/functions\/portal\/handler\.ts$/, 'portal'],
  [/\/functions\/notices\/handler\.ts$/, 'notices'],
  // What prepares the database, and what Lambda itself does for event source mappings.
  [/\/local\/(prepare|notices-worker)\.ts$/, 'test'],
];

registerHooks({
  resolve(specifier, context, nextResolve) {
    const [, name] = CALLERS.find(([importer]) => importer.test(context.parentURL)) ?? [];
    const isClient = name !== undefined && specifier.endsWith('/store/client.ts');
    const ofCaller = new URL(`client-of-caller.mjs?name=${name}`, import.meta.url).href;
    return nextResolve(isClient ? ofCaller : specifier, context);
  },
});
