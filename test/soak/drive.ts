import assert from 'node:assert/strict';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { assertDocumented } from '../support/openapi-validation.ts';
import { verdict } from '../support/crowd.ts';
import { wireClient, type WireAnswer } from '../support/http-client.ts';
import type { RunningGateway } from '../support/processes.ts';
import { processorSeconds, residentMb } from './process-figures.ts';
import type { Exchange, Traffic } from './traffic.ts';

/** The result of a load on a gateway that gave no wrong answer. */
export interface Seen {
  readonly requests: number;
  /** The number of answers with 503. */
  readonly unavailable: number;
  /** Answers to authenticated requests by kind: `executed`, `replayed`, or the code of a refusal. */
  readonly verdicts: ReadonlyMap<string, number>;
  /** Latencies in microseconds, by kind of request. */
  readonly latenciesUs: Readonly<Record<string, RecordableHistogram>>;
  readonly requestsByMinute: readonly number[];
  /** Resident memory of the gateway, at regular intervals. */
  readonly memoryMb: readonly number[];
  readonly gatewayCpuPercent: number;
  readonly clientCpuPercent: number;
  readonly seconds: number;
}

/** The number of requests in flight. More would only wait. */
const IN_FLIGHT = 16;
const SAMPLE_INTERVAL_MS = 500;
const MS_PER_MINUTE = 60_000;

/** Sends traffic for some time, with a constant number of requests in flight. Throws at the first wrong answer. */
export async function drive(
  { url, child }: RunningGateway,
  { kinds, schedule }: Traffic,
  durationMs: number,
  progress: (elapsedMs: number) => void,
): Promise<Seen> {
  const client = wireClient(IN_FLIGHT);
  const tallies = newTallies(Object.keys(kinds));
  const memoryMb: number[] = [];
  const { pid = 0 } = child;
  const startedAtMs = performance.now();
  const [clientCpu, gatewayCpu] = [process.cpuUsage(), processorSeconds(pid) ?? NaN];
  const elapsedMs = (): number => performance.now() - startedAtMs;
  const sampling = setInterval(() => {
    const mb = residentMb(pid);
    if (mb !== undefined) memoryMb.push(mb);
    progress(elapsedMs());
  }, SAMPLE_INTERVAL_MS);
  let failed = false;
  let sent = 0;
  const sendOne = async (kind: string): Promise<void> => {
    const exchange = kinds[kind]?.next();
    assert.ok(exchange, `no kind ${kind}`);
    const answer = await client.send(url, exchange.request);
    check(kind, exchange, answer);
    // Requests in flight at the end belong to the last minute.
    tallies.add(kind, answer, Math.floor(Math.min(elapsedMs(), durationMs - 1) / MS_PER_MINUTE));
  };
  const sender = async (): Promise<void> => {
    try {
      while (!failed && elapsedMs() < durationMs) await sendOne(schedule[sent++ % schedule.length] ?? '');
    } finally {
      failed ||= elapsedMs() < durationMs;
    }
  };
  try {
    // Requests that later ones replay or conflict with.
    await Promise.all(Array.from({ length: IN_FLIGHT }, () => sendOne('first')));
    await Promise.all(Array.from({ length: IN_FLIGHT }, sender));
  } finally {
    clearInterval(sampling);
    client.close();
  }
  const seconds = elapsedMs() / 1_000;
  const { user, system } = process.cpuUsage(clientCpu);
  return {
    ...tallies.taken(),
    memoryMb,
    seconds,
    gatewayCpuPercent: (((processorSeconds(pid) ?? NaN) - gatewayCpu) / seconds) * 100,
    clientCpuPercent: ((user + system) / 1e6 / seconds) * 100,
  };
}

/** Throws a wrong answer with its content. A 503 is right for any ping. */
function check(kind: string, { request: { method, path }, check: checkIt }: Exchange, answer: WireAnswer): void {
  try {
    assertDocumented(method, path, answer);
    assert.equal(answer.headers['x-service-request-id'], answer.body.requestId);
    if (answer.status !== 503) checkIt(answer);
  } catch (error) {
    const { status, headers, text } = answer;
    const shown = JSON.stringify({ status, headers, text });
    throw new Error(`wrong answer to ${kind}: ${(error as Error).message}\n${shown}`, { cause: error });
  }
}

function newTallies(kinds: readonly string[]) {
  const latenciesUs = Object.fromEntries(kinds.map((kind) => [kind, createHistogram()]));
  const verdicts = new Map<string, number>();
  const requestsByMinute: number[] = [];
  let requests = 0;
  let unavailable = 0;
  return {
    add: (kind: string, answer: WireAnswer, minute: number): void => {
      requests++;
      latenciesUs[kind]?.record(Math.max(1, Math.round(answer.latencyMs * 1_000)));
      requestsByMinute[minute] = (requestsByMinute[minute] ?? 0) + 1;
      if (answer.status === 503) unavailable++;
      else if ('x-ratelimit-limit' in answer.headers) {
        verdicts.set(verdict(answer), (verdicts.get(verdict(answer)) ?? 0) + 1);
      }
    },
    taken: () => ({ requests, unavailable, verdicts, latenciesUs, requestsByMinute }),
  };
}
