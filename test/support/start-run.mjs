/** Begins a run: offers what its tests share, of which nothing is made before a test asks for it. */
import { fileURLToPath } from 'node:url';
import { openJournal } from './secrets/run.ts';
import { offerShared } from './shared/server.ts';

export default async function startRun() {
  openJournal();
  // For the programs that tests start: each would compile the same code again.
  process.env.NODE_COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));
  globalThis.offer = await offerShared();
  process.env.TEST_SHARED_URL = globalThis.offer.url;
}
