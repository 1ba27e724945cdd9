import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { assertDocumented } from './openapi-validation.ts';
import { wireClient, type WireAnswer } from './http-client.ts';

/** One ping from the view of its sender. A repeat is the same ping. */
export interface Ping {
  readonly key: string;
  /** Its `clientRequestId`, which identifies its usage events. */
  readonly label: string;
  readonly idempotencyKey?: string;
}

/** One sending of a ping. */
export interface Attempt {
  readonly ping: Ping;
  /** On the sender's monotonic clock. */
  readonly sentAtMs: number;
  /** Absent if no answer came. */
  readonly answer?: WireAnswer;
}

const CONNECTIONS_PER_SERVER = 16;
const GIVE_UP_AFTER_MS = 20_000;
const RETRY_PAUSE_MS = 20;

/** Sends pings to several gateways in turn and records every attempt. */
export function crowd(urls: () => readonly string[]) {
  const client = wireClient(CONNECTIONS_PER_SERVER);
  const attempts: Attempt[] = [];
  let turn = 0;

  /** Sends a ping once. Rejects if `openapi.yaml` does not document the answer. */
  const send = async (ping: Ping): Promise<Attempt> => {
    const all = urls();
    const url = all[turn++ % all.length] ?? '';
    const sentAtMs = performance.now();
    const answer = await client.send(url, pingRequest(ping)).catch(() => undefined);
    const attempt = { ping, sentAtMs, ...(answer && { answer }) };
    attempts.push(attempt);
    if (answer) checkAnswer(answer);
    return attempt;
  };

  return {
    attempts: attempts as readonly Attempt[],
    send,
    /** Repeats a ping with its Idempotency-Key until it succeeds, even while its project is suspended. */
    untilServed: async (key: string, label: string): Promise<string> => {
      let giveUpAtMs = performance.now() + GIVE_UP_AFTER_MS;
      for (;;) {
        const { answer } = await send({ key, label, idempotencyKey: label });
        if (answer?.status === 200) return verdict(answer);
        assert.ok(performance.now() < giveUpAtMs, `no success of ${label}`);
        if (answer?.status === 403) giveUpAtMs = performance.now() + GIVE_UP_AFTER_MS;
        else await pause(RETRY_PAUSE_MS);
      }
    },
    close: (): void => client.close(),
  };
}
export type Crowd = ReturnType<typeof crowd>;

/** The result of an answer: `executed`, `replayed`, or the code of a refusal. */
export function verdict({ status, headers, body }: WireAnswer): string {
  if (status !== 200) return String(body.code);
  return headers['x-service-idempotency-replayed'] === 'true' ? 'replayed' : 'executed';
}

/** Counts attempts by result. */
export function tally(attempts: readonly Attempt[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { answer } of attempts) {
    const name = answer ? verdict(answer) : 'unanswered';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** A ping as it is sent. */
export const pingRequest = ({ key, label, idempotencyKey }: Ping) => ({
  method: 'POST',
  path: PING_PATH,
  headers: {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  },
  body: JSON.stringify({ clientRequestId: label }),
});

function checkAnswer(answer: WireAnswer): void {
  assertDocumented('POST', PING_PATH, answer);
  assert.equal(answer.headers['x-service-request-id'], answer.body.requestId);
}
