import { execFile } from 'node:child_process';
import { createWriteStream, existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, createGzip } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';
import { startDatabase, type RunningDatabase } from '../../local/database.ts';
import { ENGINES, type Engine } from '../../local/engines.ts';
import { LOCAL_TABLES, LOOPBACK } from '../../local/settings.ts';
import { TABLE_DEFINITIONS } from '../../lib/table-definitions.ts';
import { newTenant, replayItem, tenantItems, usageItem, type Item, type Tenant } from './items.ts';

/** How much is in the tables. */
export interface Filling {
  /** Items in both tables together, at least three for each project. */
  readonly items: number;
  readonly projects: number;
}

/** An engine over tables that were filled before it started, so that nothing of the filling is in its memory. */
export interface FilledEngine {
  readonly database: RunningDatabase;
  readonly tenants: readonly Tenant[];
  readonly stop: () => Promise<void>;
}

/** Files in memory where the system has such: a commit's wait for a disk would hide what is measured. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

// Memory that is full of tables must not outlive an interrupted run.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** The engine that can be filled with a million items in seconds, from an export in DynamoDB's own format. */
export const fillableEngine = (): Engine | undefined => ENGINES.dynoxide();

/** Fills tables half with replay records, half with usage events, spread over the projects, and serves them. */
export async function startFilled(engine: Engine, { items, projects }: Filling, nowMs: number): Promise<FilledEngine> {
  const directory = await mkdtemp(join(PLACE, 'bench-growth-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const tenants = Array.from({ length: projects }, newTenant);
    const rest = Math.max(0, items - projects * tenantItems(newTenant(), nowMs).length);
    const source = join(directory, 'export');
    await writeExport(source, LOCAL_TABLES.gateway, gatewayItems(tenants, Math.ceil(rest / 2), nowMs));
    await writeExport(source, LOCAL_TABLES.usage, usageItems(tenants, Math.floor(rest / 2), nowMs));
    const schema = join(directory, 'schema.json');
    await writeFile(schema, JSON.stringify(tableDescriptions()));
    // The engine names the file that it keeps its data in.
    const { file, args } = engine.command({ host: LOOPBACK, port: 0 }, directory);
    await promisify(execFile)(file, ['import', '--source', source, '--schema', schema, '--output', args.at(-1) ?? '']);
    await rm(source, { recursive: true });
    const database = await startDatabase(engine, 0, directory);
    const stop = async (): Promise<void> => {
      await database.stop();
      remove();
      process.off('exit', remove);
    };
    return { database, tenants, stop };
  } catch (error) {
    remove();
    throw error;
  }
}

function* gatewayItems(tenants: readonly Tenant[], records: number, nowMs: number): Generator<Item> {
  for (const tenant of tenants) yield* tenantItems(tenant, nowMs);
  for (let i = 0; i < records; i++) yield replayItem(at(tenants, i), nowMs);
}

function* usageItems(tenants: readonly Tenant[], events: number, nowMs: number): Generator<Item> {
  for (let i = 0; i < events; i++) yield usageItem(at(tenants, i), nowMs, i);
}

function at(tenants: readonly Tenant[], i: number): Tenant {
  const tenant = tenants[i % tenants.length];
  if (!tenant) throw new Error('there are no projects');
  return tenant;
}

/** One table of an export: lines of `{"Item": …}`, compressed (AWS, "DynamoDB table export output format"). */
async function writeExport(source: string, table: string, items: Iterable<Item>): Promise<void> {
  const directory = join(source, table, 'data');
  await mkdir(directory, { recursive: true });
  const lines = function* () {
    for (const item of items) yield `${JSON.stringify({ Item: marshall(item) }, setsAsLists)}\n`;
  };
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  await pipeline(Readable.from(lines()), gzip, createWriteStream(join(directory, 'items.json.gz')));
}

const setsAsLists = (_name: string, value: unknown): unknown =>
  value instanceof Set ? [...(value as Set<unknown>)] : value;

const tableDescriptions = () =>
  (['gateway', 'usage'] as const).map((name) => {
    const { partitionKey, sortKey } = TABLE_DEFINITIONS[name];
    return {
      Table: {
        TableName: LOCAL_TABLES[name],
        KeySchema: [
          { AttributeName: partitionKey, KeyType: 'HASH' },
          { AttributeName: sortKey, KeyType: 'RANGE' },
        ],
        AttributeDefinitions: [partitionKey, sortKey].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      },
    };
  });
