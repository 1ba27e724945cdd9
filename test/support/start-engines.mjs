/**
 * Starts every engine that this machine has, once for all tests, and creates the tables in it. Synthesises the stages
 * that tests look at, and reads from production what the metered function may do with the tables: no test lets it do more.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDatabase } from '../../local/database.ts';
import { ENGINES } from '../../local/engines.ts';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { createTables } from '../../local/tables.ts';
import { createClient } from '../../functions/store/client.ts';
import { openJournal } from './secrets/run.ts';
import { meteredPolicy, STAGES, synthesise } from './stack.ts';

export default async function startEngines() {
  openJournal();
  // For the programs that tests start: each would compile the same code again.
  process.env.NODE_COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));
  const engines = Object.values(ENGINES)
    .map((find) => find())
    .filter((engine) => engine !== undefined);
  const [stages, ...running] = await Promise.all([
    synthesise(STAGES),
    ...engines.map((engine) => startDatabase(engine, 0)),
  ]);
  process.env.TEST_METERED_POLICY = meteredPolicy(stages.prod);
  globalThis.runningEngines = running;
  for (const { engine, address } of globalThis.runningEngines) {
    const client = createClient(address);
    await createTables(client, LOCAL_TABLES);
    client.destroy();
    process.env[`TEST_ENDPOINT_${engine}`] = address.endpoint;
  }
  // Last: a start that fails leaves nothing.
  process.env.TEST_STAGES = join(mkdtempSync(join(tmpdir(), 'stages-')), 'stages.json');
  writeFileSync(process.env.TEST_STAGES, JSON.stringify(stages));
}
