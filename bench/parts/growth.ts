import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import {
  BatchWriteItemCommand,
  paginateScan,
  type AttributeValue,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { isoTime } from '../../functions/core/clock.ts';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { stopwatch, type Sample, type Stopwatch } from '../calls.ts';
import { sectionOf, type BenchPart, type Findings } from '../part.ts';
import { PATHS, serveOn, type Path } from '../paths.ts';
import { each, inTurns, measured, median, pairedRatio } from '../statistics.ts';
import { AMPLE, withSubjects, type Subject, type Subjects } from '../subject.ts';

/**
 * The number of items in both tables together, at least a dozen for each project. The others are compared with the
 * first.
 */
const FILLINGS = [
  { items: 1_000, projects: 1 },
  { items: 100_000, projects: 1 },
  { items: 1_000_000, projects: 1 },
  { items: 100_000, projects: 1_000 },
];
type Filling = (typeof FILLINGS)[number];
type Sampler = Filling & { readonly path: Path; readonly sample: () => Promise<Turn> };
type Measurement = Sampler & { readonly samples: Turn[] };
const MEASURED = [PATHS.first, PATHS.firstWithKey, PATHS.replay];
/** Pings of a path between two turns of it. */
const PINGS_PER_TURN = 5;
const TURNS_PER_RUN = 10;
const UNMEASURED_TURNS = 3;
/** The most items of one request (DynamoDB API Reference, "BatchWriteItem"), and how many requests run at once. */
const BATCH_ITEMS = 25;
const WRITERS = 8;

/** Whether a ping takes longer when the tables hold more. */
export const growth: BenchPart = {
  title: 'Growth',
  measures: 'a ping over tables of up to a million items, of one project and of a thousand, the engines in turns',
  run: async (runs, progress) => {
    /** Fills one engine while the earlier ones run, so that all of them are measured in turns. */
    const measure = async ([filling, ...more]: Filling[], samplers: Sampler[] = []): Promise<Measurement[]> => {
      if (!filling) {
        await inTurns(UNMEASURED_TURNS, samplers);
        return inTurns(runs * TURNS_PER_RUN, samplers, progress);
      }
      progress(`filling ${filling.items} items of ${filling.projects} projects`);
      return withSubjects(async (subjects) => {
        const keys = await fill(subjects, filling);
        const timed = stopwatch(subjects.client);
        const sample = (path: Path) => pings(path, subjects.gateway, keys, timed);
        const added = MEASURED.map((path) => ({ ...filling, path, sample: () => sample(path) }));
        return measure(more, [...samplers, ...added]);
      });
    };
    return findings(await measure(FILLINGS));
  },
};

/**
 * Writes what the gateway writes for one ping of each project, and copies of the replay records and usage
 * events until there are enough items. Returns a key of each project.
 */
async function fill({ client, gateway }: Subjects, { items, projects }: Filling): Promise<string[]> {
  const keys: string[] = [];
  while (keys.length < projects) {
    const key = await gateway.createTenant(AMPLE);
    await serveOn(PATHS.firstWithKey, gateway, { key, idempotencyKey: 'order-7' });
    keys.push(key);
  }
  const state = await itemsOf(client, LOCAL_TABLES.gateway);
  const events = await itemsOf(client, LOCAL_TABLES.usage);
  const replays = state.filter(({ sk }) => sk?.S?.startsWith('REPLAY#'));
  const copies = Math.max(0, items - state.length - events.length) / 2;
  const replayCopy = (replay: Item) => ({ ...replay, sk: { S: `REPLAY#${randomBytes(32).toString('hex')}` } });
  const eventCopy = (event: Item, i: number) => {
    // Each event is a millisecond before the last one.
    const [at, requestId] = [isoTime(Date.parse(event.occurredAt?.S ?? '') - i), randomUUID()];
    return { ...event, sk: { S: `${at}#${requestId}` }, requestId: { S: requestId }, occurredAt: { S: at } };
  };
  await putMany(client, LOCAL_TABLES.gateway, copies, (i) => replayCopy(replays[i % replays.length] ?? {}));
  await putMany(client, LOCAL_TABLES.usage, copies, (i) => eventCopy(events[i % events.length] ?? {}, i));
  return keys;
}

type Item = Record<string, AttributeValue>;

async function itemsOf(client: DynamoDBClient, TableName: string): Promise<Item[]> {
  const pages = await Array.fromAsync(paginateScan({ client }, { TableName }));
  return pages.flatMap(({ Items = [] }) => Items);
}

async function putMany(client: DynamoDBClient, table: string, count: number, itemOf: (i: number) => Item) {
  let made = 0;
  const write = async (): Promise<void> => {
    while (made < count) {
      const puts = Array.from({ length: BATCH_ITEMS }, () => ({ PutRequest: { Item: itemOf(made++) } }));
      await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: puts } }));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

/** Sends some pings. Returns their median time, and the most calls that one of them made. */
type Turn = Pick<Sample, 'ms' | 'calls'>;

/** Sends pings of a path. Each uses another project, if there are several. */
async function pings(path: Path, gateway: Subject, keys: readonly string[], timed: Stopwatch): Promise<Turn> {
  const samples: Sample[] = [];
  while (samples.length < PINGS_PER_TURN) {
    const key = keys[randomInt(keys.length)] ?? '';
    const words = { key, idempotencyKey: path === PATHS.first ? undefined : randomUUID() };
    if (path === PATHS.replay) await serveOn(PATHS.firstWithKey, gateway, words);
    samples.push(await timed(() => serveOn(path, gateway, words)));
  }
  return { ms: median(each(samples, 'ms')), calls: Math.max(...each(samples, 'calls')) };
}

function findings(measurements: readonly Measurement[]): Findings {
  const of = (wanted: Path) => measurements.filter(({ path }) => path === wanted);
  const p50 = ({ samples }: Measurement) => measured(each(samples, 'ms'));
  const ratio = ({ path, samples }: Measurement) =>
    pairedRatio(each(samples, 'ms'), each(of(path)[0]?.samples ?? [], 'ms'));
  return {
    sections: [
      sectionOf('p50 of a ping and its calls, by what is in the tables', measurements, {
        path: ['Path', ({ path }) => path.name],
        items: ['Items', ({ items }) => items],
        projects: ['Projects', ({ projects }) => projects],
        p50Ms: ['p50 ms', p50],
        calls: ['Calls', ({ samples }) => Math.max(...each(samples, 'calls'))],
        ratio: ['Ratio', ratio],
      }),
    ],
    chart: {
      name: 'growth',
      title: 'A ping, by how many items are in the tables, of how many projects',
      categories: FILLINGS.map(({ items, projects }) => `${items.toLocaleString('en')} of ${projects}`),
      vertical: 'p50, ms',
      series: Object.fromEntries(MEASURED.map((path) => [path.name, of(path).map(p50)])),
    },
  };
}
