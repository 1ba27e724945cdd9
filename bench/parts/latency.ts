import { documentClient } from '../../functions/store/client.ts';
import { again, makeCalls, recordCalls } from '../bare/calls.ts';
import { putAtDistance, type Traffic } from '../calls.ts';
import { sectionOf, type BenchPart, type Findings } from '../part.ts';
import { PATHS, serve, serveOn, type Path } from '../paths.ts';
import { inTurns, measured, median, pairedRatio } from '../statistics.ts';
import { AMPLE, withSubjects, type Subject, type Subjects } from '../subject.ts';

/** What a call to DynamoDB in the same region takes, about. */
const DELAY_MS = 4;
const SAMPLES_PER_RUN = 10;
/** Requests before the first sample of all, for the compiler, and of a path, for the connections. */
const WARM_UPS = { process: 300, path: 10 };
/** Goals: sequential round trips, and the share of the peer's time. */
const MAX_ROUND_TRIPS = 2;
const MAX_RATIOS: ReadonlyMap<Path, number> = new Map([
  [PATHS.first, 0.42],
  [PATHS.firstWithKey, 0.33],
  [PATHS.replay, 0.55],
]);

/** Samples of a path, pair by pair. */
interface PathSamples {
  readonly path: Path;
  readonly gateway: readonly Sample[];
  readonly peer: readonly Sample[];
  /** The gateway's calls alone, by the bare SDK, on paths with a goal: no code around them can be faster. */
  readonly bare: readonly Sample[];
}
type Sample = Traffic & { readonly ms: number };

/** How long each path takes beside the peer's, over a database at a distance. */
export const latency: BenchPart = {
  title: 'Latency and round trips',
  measures: `every path, with ${DELAY_MS} ms added to each call, which is counted, in turns with the peer`,
  run: async ({ runs, progress }) => {
    progress('warming up');
    await withSubjects((subjects) => warmUp(subjects, WARM_UPS.process));
    const figures: PathSamples[] = [];
    for (const path of Object.values(PATHS)) {
      progress(path.name);
      figures.push(await withSubjects((subjects) => compare(path, subjects, runs * SAMPLES_PER_RUN)));
    }
    return findings(figures);
  },
};

async function compare(path: Path, subjects: Subjects, samples: number): Promise<PathSamples> {
  const { client, clock } = subjects;
  const takeTraffic = putAtDistance(client, DELAY_MS);
  const timed = async (work: () => Promise<void>): Promise<Sample> => {
    takeTraffic();
    const startedAt = performance.now();
    await work();
    return { ms: performance.now() - startedAt, ...takeTraffic() };
  };
  const served = (subject: Subject) => async () => {
    const words = await path.prepare(subject, clock);
    return timed(() => serveOn(path, subject, words));
  };
  await warmUp(subjects, WARM_UPS.path);
  const samplers = [served(subjects.gateway), served(subjects.peer)];
  if (MAX_RATIOS.has(path)) {
    const words = await path.prepare(subjects.gateway, clock);
    const calls = await recordCalls(client, () => serveOn(path, subjects.gateway, words));
    const documents = documentClient(client);
    samplers.push(() => {
      const fresh = again(calls);
      return timed(() => makeCalls(documents, fresh));
    });
  }
  const [gateway = [], peer = [], bare = []] = await inTurns(samples, samplers);
  return { path, gateway, peer, bare };
}

async function warmUp({ gateway, peer }: Subjects, requests: number): Promise<void> {
  for (const subject of [gateway, peer]) {
    const key = await subject.createTenant(AMPLE);
    for (let i = 0; i < requests; i++) await serve(subject, { key, idempotencyKey: i % 2 === 0 ? `${i}` : undefined });
  }
}

const msOf = (samples: readonly Sample[]): number[] => samples.map(({ ms }) => ms);

/** Of half of the requests or more. */
const usual = (samples: readonly Sample[], figure: keyof Traffic): number =>
  Math.ceil(median(samples.map((sample) => sample[figure])));

const ratioOf = ({ gateway, peer }: PathSamples) => pairedRatio(msOf(gateway), msOf(peer));

function findings(figures: readonly PathSamples[]): Findings {
  const slowest = PATHS.quotaUsedUpWithKey;
  const mostRoundTrips = (counts: (path: Path) => boolean) =>
    Math.max(...figures.filter(({ path }) => counts(path)).map(({ gateway }) => usual(gateway, 'roundTrips')));
  // Without the path that calls nothing: a bar of no height.
  const shown = figures.filter(({ path }) => path !== PATHS.forgedKey);
  return {
    sections: [
      sectionOf(`Each call takes ${DELAY_MS} ms longer`, figures, {
        path: ['path', ({ path }) => path.name],
        p50Ms: ['p50 ms', ({ gateway }) => measured(msOf(gateway))],
        calls: ['calls', ({ gateway }) => usual(gateway, 'calls')],
        roundTrips: ['round trips', ({ gateway }) => usual(gateway, 'roundTrips')],
        peerP50Ms: ['peer p50 ms', ({ peer }) => measured(msOf(peer))],
        peerCalls: ['calls', ({ peer }) => usual(peer, 'calls')],
        peerRoundTrips: ['round trips', ({ peer }) => usual(peer, 'roundTrips')],
        ratio: ['ratio', (figure) => (shown.includes(figure) ? ratioOf(figure) : '')],
        bareP50Ms: ['calls alone p50 ms', ({ bare }) => (bare.length > 0 ? measured(msOf(bare)) : undefined)],
        bareRatio: ['ratio', ({ bare, peer }) => (bare.length > 0 ? pairedRatio(msOf(bare), msOf(peer)) : undefined)],
      }),
    ],
    targets: [
      {
        what: 'sequential round trips, any path but the next',
        value: mostRoundTrips((path) => path !== slowest),
        atMost: MAX_ROUND_TRIPS,
      },
      {
        what: `sequential round trips, ${slowest.name}`,
        value: mostRoundTrips((path) => path === slowest),
        atMost: MAX_ROUND_TRIPS,
      },
      ...figures.flatMap((figure) => {
        const atMost = MAX_RATIOS.get(figure.path);
        const what = `ratio to the peer, ${figure.path.name}`;
        return atMost === undefined ? [] : [{ what, value: ratioOf(figure).median, atMost }];
      }),
    ],
    charts: [
      {
        name: 'latency',
        title: `p50 by path, with ${DELAY_MS} ms added to each database call`,
        kind: 'bars',
        categories: shown.map(({ path }) => path.name),
        vertical: 'milliseconds',
        series: {
          gateway: shown.map(({ gateway }) => measured(msOf(gateway))),
          peer: shown.map(({ peer }) => measured(msOf(peer))),
        },
      },
    ],
    notes: [
      'Calls alone: those of the gateway, made by the bare SDK with nothing around them. No gateway that makes these calls can be faster.',
      'With a fresh Idempotency-Key and no quota left the replay record is read once more, in a transaction, before the refusal: its duplicate may have just spent the last unit.',
      'The first of a minute is what the limiter of the peer does best: one update, where a later one takes two. Where callers come seldom, its rows are those to compare.',
      'The peer writes no usage event for a replay or a refusal; each would be one call more.',
    ],
  };
}
