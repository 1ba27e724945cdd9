/** Begins a run: offers the shared things, and creates none before a test asks for it. */
import { fileURLToPath } from 'node:url';
import { openJournal } from './secrets/run.ts';
import { offerShared } from './shared/server.ts';

export default async function startRun() {
  openJournal();
  // For the programs of tests: each would compile the same code again.
  process.env.NODE_COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));
  globalThis.offer = await offerShared();
  process.env.TEST_SHARED_URL = globalThis.offer.url;
}
