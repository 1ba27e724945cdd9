import { randomUUID } from 'node:crypto';
import { createClient } from '../../functions/store/client.ts';
import { ENGINES } from '../../local/engines.ts';
import { putAtDistance } from '../calls.ts';
import { startFilled, type FilledEngine } from '../growth/filled-engine.ts';
import type { Filling } from '../growth/filling.ts';
import { sectionOf, type BenchPart, type Columns, type Findings } from '../part.ts';
import { PATHS, serveOn } from '../paths.ts';
import { inTurns, measured, median, pairedRatio } from '../statistics.ts';
import { gatewaySubject } from '../subject.ts';

/** The first is what the others are compared with. */
const FILLINGS: readonly Filling[] = [
  { items: 1_000, projects: 1 },
  { items: 100_000, projects: 1 },
  { items: 1_000_000, projects: 1 },
  { items: 100_000, projects: 30 },
  { items: 100_000, projects: 1_000 },
];
const HEADINGS = { first: 'First', firstWithKey: 'First with key', replay: 'Replay' } as const;
type PathId = keyof typeof HEADINGS;
const PATH_IDS = Object.keys(HEADINGS) as PathId[];
/** Pings of each path between two turns of one engine. */
const PINGS_PER_TURN = 5;
const TURNS_PER_RUN = 10;
const UNMEASURED_TURNS = 3;
const AT_MOST = 1.1;

/** Whether a ping takes longer when there is more in the tables. */
export const growth: BenchPart = {
  title: 'Growth',
  measures: 'a ping over tables of up to a million items, of one project and of a thousand, the engines in turns',
  run: async ({ runs, progress }) => {
    const engine = ENGINES.dynoxide();
    if (!engine) {
      return { sections: [], targets: [], notes: ['Left out: only dynoxide takes a million items in seconds.'] };
    }
    const filled: FilledEngine[] = [];
    try {
      for (const filling of FILLINGS) {
        progress(`filling ${filling.items} items of ${filling.projects} projects`);
        filled.push(await startFilled(engine, filling));
      }
      const turns = await inTurns(UNMEASURED_TURNS + runs * TURNS_PER_RUN, filled.map(pinger), progress);
      return findings(turns.map((taken, i) => ({ turns: taken.slice(UNMEASURED_TURNS), filling: FILLINGS[i] })));
    } finally {
      await Promise.all(filled.map(({ stop }) => stop()));
    }
  },
};

/** Pings of each path: how long half of them took at most, and the most calls that one made. */
type Turn = Readonly<Record<PathId, { readonly ms: number; readonly calls: number }>>;

/** Sends pings of each path to one engine, from project to project, each time that it is called. */
function pinger({ address, keys }: FilledEngine): () => Promise<Turn> {
  const client = createClient(address);
  const subject = gatewaySubject({ operator: client, client });
  const takeTraffic = putAtDistance(client, 0);
  let served = 0;
  const ping = async (path: PathId) => {
    const key = keys[served++ % keys.length] ?? '';
    const words = { key, idempotencyKey: path === 'first' ? undefined : randomUUID() };
    if (path === 'replay') await serveOn(PATHS.firstWithKey, subject, words);
    takeTraffic();
    const startedAt = performance.now();
    await serveOn(PATHS[path], subject, words);
    return { ms: performance.now() - startedAt, calls: takeTraffic().calls };
  };
  const turn = async (path: PathId) => {
    const pings = [];
    for (let i = 0; i < PINGS_PER_TURN; i++) pings.push(await ping(path));
    return { ms: median(pings.map(({ ms }) => ms)), calls: Math.max(...pings.map((one) => one.calls)) };
  };
  return async () => ({
    first: await turn('first'),
    firstWithKey: await turn('firstWithKey'),
    replay: await turn('replay'),
  });
}

interface Measurement {
  readonly filling: Filling | undefined;
  readonly turns: readonly Turn[];
}

function findings(measurements: readonly Measurement[]): Findings {
  const msOf = (path: PathId, { turns }: Measurement) => turns.map((turn) => turn[path].ms);
  const firstMs = (path: PathId) => measurements.slice(0, 1).flatMap((first) => msOf(path, first));
  const ratioOf = (path: PathId, one: Measurement) => pairedRatio(msOf(path, one), firstMs(path));
  const columnsOf = (path: PathId): Columns<Measurement> => ({
    [`${path}P50Ms`]: [`${HEADINGS[path]} ms`, (one) => measured(msOf(path, one))],
    [`${path}Calls`]: ['Calls', ({ turns }) => Math.max(...turns.map((turn) => turn[path].calls))],
    [`${path}Ratio`]: ['Ratio', (one) => ratioOf(path, one)],
  });
  // A line along the items of one project; more projects are another question, which the table answers.
  const shown = measurements.filter(({ filling }) => filling?.projects === 1);
  return {
    sections: [
      sectionOf('p50 of a ping and its calls, by what is in the tables', measurements, {
        items: ['Items', ({ filling }) => filling?.items],
        projects: ['Projects', ({ filling }) => filling?.projects],
        ...columnsOf('first'),
        ...columnsOf('firstWithKey'),
        ...columnsOf('replay'),
      }),
    ],
    targets: PATH_IDS.map((path) => ({
      what: `${HEADINGS[path]}: highest ratio`,
      value: Math.max(...measurements.map((one) => ratioOf(path, one).median)),
      atMost: AT_MOST,
    })),
    charts: [
      {
        name: 'growth',
        title: 'A ping, by how much is in the tables',
        kind: 'lines',
        categories: shown.map(({ filling }) => filling?.items.toLocaleString('en') ?? ''),
        horizontal: 'items',
        vertical: 'p50, ms',
        series: Object.fromEntries(
          PATH_IDS.map((path) => [HEADINGS[path], shown.map((one) => measured(msOf(path, one)))]),
        ),
      },
    ],
    notes: [
      'Each engine was started after its tables were filled; its files are in memory where the system allows it.',
    ],
  };
}
