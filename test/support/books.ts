import assert from 'node:assert/strict';
import { periodOf } from '../../functions/shared/time.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { itemsFrom } from '../../functions/shared/store/tables.ts';
import { verifyLedger } from '../../functions/usage/checks/verification.ts';
import type { TestGateway } from './gateway.ts';
import type { TestResponse } from './http.ts';
import { THINNED } from './stored-events.ts';

/** An answer to a request of the project. */
export interface Answered {
  readonly response: TestResponse;
  /** Whether its event may be missing, according to a metric. */
  readonly eventLost?: boolean;
}

/** The units of a success, by operation. That of the last tells as many input tokens as it told units. */
const COST: ReadonlyMap<string, (event: UsageEvent) => number | null> = new Map([
  ['sandbox.ping', () => 1],
  ['test.triple', () => 3],
  ['test.upTo', ({ inputTokens }: UsageEvent) => inputTokens],
]);
/** Answers that leave no event. */
const UNRECORDED: ReadonlySet<unknown> = new Set(['INVALID_API_KEY', 'SERVICE_UNAVAILABLE']);

/**
 * Compares the ledger of a project with all its answers. Every period with a counter or an event is consistent. Every
 * 200 that is no replay has exactly one event, with the units of its operation. Every other answer that promises an
 * event has one of 0 units; that of a simulation says so. No clientRequestId was charged twice: use one for a request
 * and its repeats under one Idempotency-Key, and for no other. Returns the units of each period, such as `2026-11`.
 */
export async function assertBooks(
  { store, events: read }: Pick<TestGateway, 'events' | 'store'>,
  projectId: string,
  answered: readonly Answered[],
): Promise<Readonly<Record<string, number>>> {
  const events = await read(projectId);
  const charged = events.filter(({ units }) => units > 0);
  const units: Record<string, number> = {};
  for await (const { sk } of itemsFrom(store, itemKey.quota(projectId, ''))) units[String(sk).split('#')[1] ?? ''] = 0;
  for (const event of events) units[event.period] = (units[event.period] ?? 0) + event.units;
  for (const [id, expected] of Object.entries(units)) {
    const period = periodOf(id, 'month');
    assert(period);
    const verified = await verifyLedger(store, projectId, period);
    assert.deepEqual(verified, { consistent: true, quotaUsed: expected, ledgerUnits: expected }, `period ${id}`);
  }
  assertUnique(events.map(({ requestId }) => requestId));
  assertUnique(charged.flatMap(({ clientRequestId }) => clientRequestId ?? []));
  const sampled = events.filter(({ code, simulated }) => THINNED.has(code) && !simulated);
  assertUnique(sampled.map(({ occurredAt, keyId, code }) => `${occurredAt.slice(0, 16)} ${keyId} ${code}`));

  for (const event of charged) assert.equal(event.units, COST.get(event.operation)?.(event));
  const wasCharged = new Map(events.map((event) => [event.requestId, event.units > 0]));
  for (const { response, eventLost } of answered) {
    const { requestId, code } = response.body;
    if (response.headers['x-service-simulated'] !== undefined) {
      const [event, other] = events.filter((each) => each.requestId === requestId);
      assert(eventLost === true || (event?.simulated === true && !other));
      continue;
    }
    if (UNRECORDED.has(code) || eventLost) continue;
    if (THINNED.has(code)) {
      assert(sampled.some((event) => event.code === code));
      continue;
    }
    const isReplay = response.headers['x-service-idempotency-replayed'] === 'true';
    assert.equal(wasCharged.get(requestId as string), response.status === 200 && !isReplay);
  }
  return units;
}

function assertUnique(ids: readonly string[]): void {
  assert.equal(new Set(ids).size, ids.length, 'twice in the ledger');
}
