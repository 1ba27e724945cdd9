import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createClient, documentClient } from '../../functions/store/client.ts';
import { makeCalls } from '../bare/calls.ts';
import { anew, recordCalls } from '../bare/recording.ts';
import { onFreshEngine, type BenchEngine } from '../engine.ts';
import type { BenchContext, BenchPart, Findings, Measured } from '../part.ts';
import { benchClock, PATHS, serve, serveOn, type BenchClock, type Path } from '../paths.ts';
import { startProxy, type Proxy, type Traffic } from '../proxy.ts';
import { measured, median, pairedRatio } from '../statistics.ts';
import { AMPLE, gatewaySubject, peerSubject, type Subject } from '../subject.ts';

/** What a call to DynamoDB in the same region takes, about. */
const DELAY_MS = 4;
const SAMPLES_PER_RUN = 10;
/** Requests before the first sample of all, for the compiler, and of a path, for the connections. */
const WARM_UPS = { process: 300, path: 10 };
/** The bounds of the issue: sequential round trips, and the share of the peer's time. */
const MAX_ROUND_TRIPS = 2;
const MAX_RATIOS = { first: 0.42, firstWithKey: 0.33, replay: 0.55 } as const;

interface Samples {
  readonly ms: number[];
  readonly traffic: Traffic[];
}

interface PathFigures {
  readonly path: Path;
  readonly gateway: Samples;
  readonly peer: Samples;
  readonly ratio: Measured;
  /** The gateway's calls alone, by the bare SDK, and their ratio to the peer: no code around them can be faster. */
  readonly bare?: { readonly ms: readonly number[]; readonly ratio: Measured };
}

/** How long each path takes beside the peer's, over a database at a distance. */
export const latency: BenchPart = {
  title: 'Latency and round trips',
  measures: `every path over a proxy that adds ${DELAY_MS} ms to each call and counts it, in turns with the peer`,
  run: async (context) => {
    const figures: [string, PathFigures][] = [];
    context.progress('warming up');
    await onFreshEngine(async ({ client }) => {
      const options = { operator: client, client };
      for (const subject of [gatewaySubject(options), peerSubject(options)]) await warmUp(subject, WARM_UPS.process);
    });
    for (const [id, path] of Object.entries<Path>(PATHS)) {
      context.progress(path.name);
      figures.push([id, await onFreshEngine((engine) => compare(path, engine, context))]);
    }
    return findings(Object.fromEntries(figures) as Record<keyof typeof PATHS, PathFigures>);
  },
};

async function compare(path: Path, engine: BenchEngine, { runs }: BenchContext): Promise<PathFigures> {
  const { address, client: operator } = engine;
  const proxy = await startProxy(address.endpoint, DELAY_MS);
  const client = createClient({ ...address, endpoint: proxy.endpoint });
  const clock = benchClock(Date.now());
  try {
    const options = { operator, client, clock };
    const subjects = [gatewaySubject(options), peerSubject(options)] as const;
    for (const subject of subjects) await warmUp(subject, WARM_UPS.path);
    const results = { gateway: empty(), peer: empty() };
    const bare = hasFloor(path) ? await bareCalls(path, subjects[0], client, clock) : undefined;
    const bareMs: number[] = [];
    for (let i = 0; i < runs * SAMPLES_PER_RUN; i++) {
      // Each goes first as often as the other.
      const order = i % 2 === 0 ? subjects : [...subjects].reverse();
      for (const subject of order) await sample(path, subject, clock, proxy, results[subject.name]);
      if (bare) bareMs.push(await bare());
    }
    return {
      ...{ path, ...results, ratio: pairedRatio(results.gateway.ms, results.peer.ms) },
      ...(bare && { bare: { ms: bareMs, ratio: pairedRatio(bareMs, results.peer.ms) } }),
    };
  } finally {
    client.destroy();
    await proxy.stop();
  }
}

const empty = (): Samples => ({ ms: [], traffic: [] });

async function warmUp(subject: Subject, requests: number): Promise<void> {
  const key = await subject.createTenant(AMPLE);
  for (let i = 0; i < requests; i++) await serve(subject, { key, ...(i % 2 === 0 && { idempotencyKey: `${i}` }) });
}

const hasFloor = (path: Path): boolean =>
  Object.keys(MAX_RATIOS).some((id) => path === PATHS[id as keyof typeof PATHS]);

/** Makes the calls of a request on a path, and nothing else, each time it is called; gives the time that they took. */
async function bareCalls(
  path: Path,
  subject: Subject,
  client: DynamoDBClient,
  clock: BenchClock,
): Promise<() => Promise<number>> {
  const words = await path.prepare(subject, clock);
  const calls = await recordCalls(client, () => serveOn(path, subject, words));
  const documents = documentClient(client);
  return async () => {
    const fresh = anew(calls);
    const startedAt = performance.now();
    await makeCalls(documents, fresh);
    return performance.now() - startedAt;
  };
}

async function sample(path: Path, subject: Subject, clock: BenchClock, proxy: Proxy, into: Samples): Promise<void> {
  const words = await path.prepare(subject, clock);
  await proxy.take();
  const startedAt = performance.now();
  await serveOn(path, subject, words);
  into.ms.push(performance.now() - startedAt);
  into.traffic.push(await proxy.take());
}

/**
 * Of half of the requests or more. On a busy machine two calls that were sent at once can reach the proxy one after the
 * other, and look like two round trips; calls that wait for each other never look like one.
 */
const usual = ({ traffic }: Samples): Traffic => ({
  calls: Math.ceil(median(traffic.map(({ calls }) => calls))),
  roundTrips: Math.ceil(median(traffic.map(({ roundTrips }) => roundTrips))),
});

function findings(figures: Record<keyof typeof PATHS, PathFigures>): Findings {
  const rows = Object.values(figures).map(({ path, gateway, peer, ratio, bare }) => ({
    path: path.name,
    p50Ms: measured(gateway.ms),
    ...usual(gateway),
    peerP50Ms: measured(peer.ms),
    peerCalls: usual(peer).calls,
    peerRoundTrips: usual(peer).roundTrips,
    ratio: path === PATHS.forgedKey ? '' : ratio,
    ...(bare && { bareP50Ms: measured(bare.ms), bareRatio: bare.ratio }),
  }));
  const columns = {
    path: 'path',
    p50Ms: 'p50 ms',
    calls: 'calls',
    roundTrips: 'round trips',
    peerP50Ms: 'peer p50 ms',
    peerCalls: 'calls',
    peerRoundTrips: 'round trips',
    ratio: 'ratio',
    bareP50Ms: 'calls alone p50 ms',
    bareRatio: 'ratio',
  };
  const { quotaUsedUpWithKey, ...others } = figures;
  const roundTripsOf = (...list: PathFigures[]) => Math.max(...list.map(({ gateway }) => usual(gateway).roundTrips));
  return {
    sections: [{ heading: `Each call takes ${DELAY_MS} ms longer`, columns, rows }],
    targets: [
      {
        what: 'sequential round trips, any path but the next',
        value: roundTripsOf(...Object.values(others)),
        atMost: MAX_ROUND_TRIPS,
      },
      {
        what: `sequential round trips, ${quotaUsedUpWithKey.path.name}`,
        value: roundTripsOf(quotaUsedUpWithKey),
        atMost: MAX_ROUND_TRIPS,
      },
      ...Object.entries(MAX_RATIOS).map(([id, atMost]) => {
        const { path, ratio } = figures[id as keyof typeof MAX_RATIOS];
        return { what: `ratio to the peer, ${path.name}`, value: ratio.median, atMost };
      }),
    ],
    charts: [chart(Object.values(figures))],
    notes: [
      'Calls alone: those of the gateway, made by the bare SDK with nothing around them. No gateway that makes these calls can be faster.',
      'With a fresh Idempotency-Key and no quota left the replay record is read once more, in a transaction, before the refusal: its duplicate may have just spent the last unit.',
      'The first of a minute is what the limiter of the peer does best: one update, where a later one takes two. Where callers come seldom, its rows are those to compare.',
      'The peer writes no usage event for a replay or a refusal; each would be one call more.',
    ],
  };
}

/** Without the path that calls nothing: a bar of no height. */
const chart = (figures: readonly PathFigures[]) => {
  const shown = figures.filter(({ path }) => path !== PATHS.forgedKey);
  return {
    name: 'latency',
    title: `p50 by path, with ${DELAY_MS} ms added to each database call`,
    kind: 'bars' as const,
    categories: shown.map(({ path }) => path.name),
    vertical: 'milliseconds',
    series: [
      { name: 'gateway', values: shown.map(({ gateway }) => measured(gateway.ms)) },
      { name: 'peer', values: shown.map(({ peer }) => measured(peer.ms)) },
    ],
  };
};
