import { execFile } from 'node:child_process';
import { createWriteStream, existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, createGzip } from 'node:zlib';
import { startDatabase } from '../../local/database.ts';
import type { Engine } from '../../local/engines.ts';
import { LOOPBACK, type DatabaseAddress } from '../../local/settings.ts';
import { fill, type Filling } from './filling.ts';

/** An engine over tables that were filled before it started, so that nothing of the filling is in its memory. */
export interface FilledEngine {
  readonly address: DatabaseAddress;
  /** A key of each project. */
  readonly keys: readonly string[];
  readonly stop: () => Promise<void>;
}

/** Files in memory where the system has such: a commit's wait for a disk would hide what is measured. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

// Memory that is full of tables must not outlive an interrupted run.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Fills tables, from an export in DynamoDB's own format, and serves them. The engine is dynoxide, which imports these. */
export async function startFilled(engine: Engine, filling: Filling): Promise<FilledEngine> {
  const directory = await mkdtemp(join(PLACE, 'bench-growth-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const { tables, keys } = await fill(filling);
    const source = join(directory, 'export');
    for (const [name, { lines }] of Object.entries(tables)) {
      const data = join(source, name, 'data');
      await mkdir(data, { recursive: true });
      const gzip = createGzip({ level: constants.Z_BEST_SPEED });
      await pipeline(Readable.from(lines), gzip, createWriteStream(join(data, 'items.json.gz')));
    }
    const schema = join(directory, 'schema.json');
    await writeFile(schema, JSON.stringify(Object.values(tables).map(({ definition }) => ({ Table: definition }))));
    // The engine names the file that it keeps its data in.
    const { file, args } = engine.command({ host: LOOPBACK, port: 0 }, directory);
    await promisify(execFile)(file, ['import', '--source', source, '--schema', schema, '--output', args.at(-1) ?? '']);
    await rm(source, { recursive: true });
    const database = await startDatabase(engine, 0, directory);
    return {
      address: database.address,
      keys,
      stop: async () => {
        await database.stop();
        remove();
        process.off('exit', remove);
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
