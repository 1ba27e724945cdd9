/**
 * Loaded before `npm start`, in whose process the functions live together: each calls under its own role, as in AWS, and what
 * prepares the database as who may do anything. Whatever else calls has the credentials of the process, which may do what
 * an operator may.
 */
import { registerHooks } from 'node:module';

const CALLERS = [
  [/\/functions\/metered\/handler\.ts$/, 'metered'],
  [/\/functions\/portal\/handler\.ts$/, 'portal'],
  [/\/local\/prepare\.ts$/, 'test'],
];

registerHooks({
  resolve(specifier, context, nextResolve) {
    const [, name] = CALLERS.find(([importer]) => importer.test(context.parentURL)) ?? [];
    const isClient = name !== undefined && specifier.endsWith('/store/client.ts');
    const ofCaller = new URL(`client-of-caller.mjs?name=${name}`, import.meta.url).href;
    return nextResolve(isClient ? ofCaller : specifier, context);
  },
});
