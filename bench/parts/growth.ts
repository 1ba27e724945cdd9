import { randomUUID } from 'node:crypto';
import { createClient } from '../../functions/store/client.ts';
import { system } from '../../functions/system.ts';
import { fillableEngine, startFilled, type FilledEngine, type Filling } from '../growth/filled-engine.ts';
import type { BenchContext, BenchPart, Chart, Findings, Target } from '../part.ts';
import { pingEvent } from '../request.ts';
import { measured, median, pairedRatio } from '../statistics.ts';
import { gatewaySubject } from '../subject.ts';

/** The first is what the others are compared with. */
const FILLINGS: readonly Filling[] = [
  { items: 1_000, projects: 1 },
  { items: 100_000, projects: 1 },
  { items: 1_000_000, projects: 1 },
  { items: 100_000, projects: 30 },
  { items: 100_000, projects: 1_000 },
];
const PATHS = ['first', 'firstWithKey', 'replay'] as const;
type Path = (typeof PATHS)[number];
const HEADINGS: Readonly<Record<Path, string>> = { first: 'First', firstWithKey: 'First with key', replay: 'Replay' };
/** Pings of each path between two turns of one engine. */
const PINGS_PER_TURN = 5;
const TURNS_PER_RUN = 10;
const UNMEASURED_TURNS = 3;
const AT_MOST = 1.1;

/** Whether a ping takes longer when there is more in the tables. */
export const growth: BenchPart = {
  title: 'Growth',
  measures: 'a ping over tables of up to a million items, of one project and of a thousand, the engines in turns',
  run: async (context) => {
    const engine = fillableEngine();
    if (!engine) {
      return { sections: [], targets: [], notes: ['Left out: only dynoxide takes a million items in seconds.'] };
    }
    const filled: FilledEngine[] = [];
    try {
      for (const filling of FILLINGS) {
        context.progress(`filling ${filling.items} items of ${filling.projects} projects`);
        filled.push(await startFilled(engine, filling, system.clock.now()));
      }
      return await measure(filled, context);
    } finally {
      await Promise.all(filled.map(({ stop }) => stop()));
    }
  },
};

async function measure(filled: readonly FilledEngine[], { runs, progress }: BenchContext): Promise<Findings> {
  const measurements = filled.map(pinger);
  for (let turn = 0; turn < UNMEASURED_TURNS + runs * TURNS_PER_RUN; turn++) {
    progress(`turn ${turn + 1} of ${UNMEASURED_TURNS + runs * TURNS_PER_RUN}`);
    for (const { serve, samples } of measurements) {
      for (const path of PATHS) {
        const tookMs = await serve(path);
        if (turn >= UNMEASURED_TURNS) samples[path].push(median(tookMs));
      }
    }
  }
  const rows = measurements.map(({ samples, calls, close }, i) => {
    close();
    const figures = PATHS.map((path) => [
      [`${path}P50Ms`, measured(samples[path])],
      [`${path}Calls`, calls[path]],
      [`${path}Ratio`, pairedRatio(samples[path], measurements[0]?.samples[path] ?? [])],
    ]);
    return { ...FILLINGS[i], ...Object.fromEntries(figures.flat()) } as Record<
      string,
      number | ReturnType<typeof measured>
    >;
  });
  const columns = PATHS.flatMap((path): [string, string][] => [
    [`${path}P50Ms`, `${HEADINGS[path]} ms`],
    [`${path}Calls`, 'Calls'],
    [`${path}Ratio`, 'Ratio'],
  ]);
  const targets = PATHS.map((path): Target => {
    const ratios = measurements.map(({ samples }) => pairedRatio(samples[path], measurements[0]?.samples[path] ?? []));
    return {
      what: `${HEADINGS[path]}: highest ratio`,
      value: Math.max(...ratios.map((one) => one.median)),
      atMost: AT_MOST,
    };
  });
  // A line along the items of one project; more projects are another question, which the table answers.
  const shown = measurements.flatMap(({ samples }, i) => {
    const filling = FILLINGS[i];
    return filling?.projects === 1 ? [{ items: filling.items, samples }] : [];
  });
  const chart: Chart = {
    name: 'growth',
    title: 'A ping, by how much is in the tables',
    kind: 'lines',
    categories: shown.map(({ items }) => items.toLocaleString('en')),
    horizontal: 'items',
    vertical: 'p50, ms',
    series: PATHS.map((path) => ({
      name: HEADINGS[path],
      values: shown.map(({ samples }) => measured(samples[path])),
    })),
  };
  return {
    sections: [
      {
        heading: 'p50 of a ping and its calls, by what is in the tables',
        columns: { items: 'Items', projects: 'Projects', ...Object.fromEntries(columns) },
        rows,
      },
    ],
    targets,
    charts: [chart],
    notes: [
      'Each engine was started after its tables were filled; its files are in memory where the system allows it.',
    ],
  };
}

/** Sends pings of each kind to one engine, from project to project. */
function pinger({ database, tenants }: FilledEngine) {
  const client = createClient(database.address);
  const { handle } = gatewaySubject({ operator: client, client });
  const calls: Record<Path, number> = { first: 0, firstWithKey: 0, replay: 0 };
  let made = 0;
  client.middlewareStack.add(
    (next) => (args) => {
      made++;
      return next(args);
    },
    // The last before the transport, so that repeated attempts count.
    { step: 'deserialize', priority: 'low' },
  );
  let served = 0;
  const ping = async (key: string, idempotencyKey?: string): Promise<number> => {
    made = 0;
    const startedAt = performance.now();
    const { statusCode, body } = await handle(
      pingEvent({ key, ...(idempotencyKey !== undefined && { idempotencyKey }) }),
    );
    const tookMs = performance.now() - startedAt;
    if (statusCode !== 200) throw new Error(`answered ${statusCode}: ${body}`);
    return tookMs;
  };
  return {
    samples: { first: [], firstWithKey: [], replay: [] } as Record<Path, number[]>,
    calls,
    close: () => client.destroy(),
    serve: async (path: Path): Promise<number[]> => {
      const tookMs: number[] = [];
      for (let i = 0; i < PINGS_PER_TURN; i++) {
        const key = tenants[served++ % tenants.length]?.key ?? '';
        const idempotencyKey = randomUUID();
        if (path === 'replay') await ping(key, idempotencyKey);
        tookMs.push(await (path === 'first' ? ping(key) : ping(key, idempotencyKey)));
        calls[path] = Math.max(calls[path], made);
      }
      return tookMs;
    },
  };
}
