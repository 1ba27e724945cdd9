import { documentClient } from '../../functions/shared/store/client.ts';
import { again, makeCalls, recordCalls } from '../bare/calls.ts';
import { stopwatch, type Sample } from '../calls.ts';
import { sectionOf, type BenchPart, type Findings } from '../part.ts';
import { measureOn, PATHS, serve, type Path } from '../paths.ts';
import { each, inTurns, measured, median, pairedRatio } from '../statistics.ts';
import { AMPLE, withSubjects, type Subject, type Subjects } from '../subject.ts';

/** About what a call to DynamoDB in the same region takes. */
const DELAY_MS = 4;
const SAMPLES_PER_RUN = 10;
/** Requests before the first sample: of the run, for the compiler; of a path, for the connections. */
const WARM_UPS = { process: 300, path: 10 };
/** Paths whose calls are also made by the SDK alone. No code around them can be faster. */
const ALSO_BARE: readonly Path[] = [PATHS.first, PATHS.firstWithKey, PATHS.replay];

/** How long each path takes, compared with the peer's, with a database at a distance. */
export const latency: BenchPart = {
  title: 'Latency and round trips',
  measures: `every path, with ${DELAY_MS} ms added to each call, which is counted, in turns with the peer`,
  run: async (runs, progress) => {
    progress('warming up');
    await withSubjects((subjects) => warmUp(subjects, WARM_UPS.process));
    const figures = [];
    for (const path of Object.values<Path>(PATHS)) {
      progress(path.name);
      figures.push(await withSubjects((subjects) => compare(path, subjects, runs * SAMPLES_PER_RUN)));
    }
    return findings(figures);
  },
};

/** Samples of a path in pairs, and of the gateway's calls alone if they are measured. */
async function compare(path: Path, subjects: Subjects, samples: number) {
  const timed = stopwatch(subjects.client, DELAY_MS);
  const served = (subject: Subject) => ({ sample: () => measureOn(path, subject, timed) });
  await warmUp(subjects, WARM_UPS.path);
  const samplers = [served(subjects.gateway), served(subjects.peer)];
  if (ALSO_BARE.includes(path)) {
    const calls = await measureOn(path, subjects.gateway, (ping) => recordCalls(subjects.client, ping));
    const documents = documentClient(subjects.client);
    const sample = () => {
      const fresh = again(calls);
      return timed(() => makeCalls(documents, fresh));
    };
    samplers.push({ sample });
  }
  const [gateway = [], peer = [], bare = []] = (await inTurns(samples, samplers)).map((taken) => taken.samples);
  return { path, gateway, peer, bare };
}

async function warmUp({ gateway, peer }: Subjects, requests: number): Promise<void> {
  for (const subject of [gateway, peer]) {
    const key = await subject.createTenant(AMPLE);
    for (let i = 0; i < requests; i++) await serve(subject, { key, idempotencyKey: i % 2 === 0 ? `${i}` : undefined });
  }
}

function findings(figures: readonly Awaited<ReturnType<typeof compare>>[]): Findings {
  const p50 = (samples: readonly Sample[]) => measured(each(samples, 'ms'));
  /** The number for at least half of the requests. */
  const usual = (samples: readonly Sample[], figure: 'calls' | 'roundTrips') =>
    Math.ceil(median(each(samples, figure)));
  const ratio = (ours: readonly Sample[], peer: readonly Sample[]) => pairedRatio(each(ours, 'ms'), each(peer, 'ms'));
  return {
    sections: [
      sectionOf(`Each call takes ${DELAY_MS} ms longer`, figures, {
        path: ['path', ({ path }) => path.name],
        p50Ms: ['p50 ms', ({ gateway }) => p50(gateway)],
        calls: ['calls', ({ gateway }) => usual(gateway, 'calls')],
        roundTrips: ['round trips', ({ gateway }) => usual(gateway, 'roundTrips')],
        peerP50Ms: ['peer p50 ms', ({ peer }) => p50(peer)],
        peerCalls: ['calls', ({ peer }) => usual(peer, 'calls')],
        peerRoundTrips: ['round trips', ({ peer }) => usual(peer, 'roundTrips')],
        ratio: ['ratio', ({ gateway, peer }) => ratio(gateway, peer)],
        bareP50Ms: ['calls alone p50 ms', ({ bare }) => (bare.length > 0 ? p50(bare) : undefined)],
        bareRatio: ['ratio', ({ bare, peer }) => (bare.length > 0 ? ratio(bare, peer) : undefined)],
      }),
    ],
    notes: [
      'Calls alone: those of the gateway, made by the bare SDK with nothing around them. No gateway that makes these calls can be faster.',
      'With a fresh Idempotency-Key and no quota left the replay record is read once more, in a transaction, before the refusal: its duplicate may have just spent the last unit.',
      'The first of a minute is what the limiter of the peer does best: one update, where a later one takes two. Where callers come seldom, its rows are those to compare.',
      'The peer writes no usage event for a replay or a refusal; each would be one call more.',
    ],
  };
}
