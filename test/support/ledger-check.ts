import assert from 'node:assert/strict';
import { periodOf } from '../../functions/core/period.ts';
import type { UsageEvent } from '../../functions/core/usage-event.ts';
import type { AccountStore } from '../../functions/accounts/account-store.ts';
import { itemsFrom, itemKey } from '../../functions/store/items.ts';
import { listUsage } from '../../functions/usage/log.ts';
import { verifyLedger } from '../../functions/usage/verification.ts';
import { isReplay, type Attempt } from './crowd.ts';

/** Units charged in each period, such as `2026-11`. */
export type UnitsByPeriod = Readonly<Record<string, number>>;

/**
 * Compares a project's ledger with everything that was ever sent to it. Throws unless
 *
 * - counter and events agree in every period that has either,
 * - every 200 has its event, with 1 unit or as a replay,
 * - each Idempotency-Key that was answered 200 was charged once and every other at most once,
 * - each ping without a key was charged once if it was answered 200, and else at most once,
 * - nothing else was charged.
 */
export async function checkLedger(
  store: AccountStore,
  projectId: string,
  attempts: readonly Attempt[],
): Promise<UnitsByPeriod> {
  const events = await Array.fromAsync(listUsage(store, projectId, {}));
  checkAcknowledged(events, attempts);
  checkCharges(events, attempts);
  return checkPeriods(store, projectId, events);
}

function checkAcknowledged(events: readonly UsageEvent[], attempts: readonly Attempt[]): void {
  const byRequestId = new Map(events.map((event) => [event.requestId, event]));
  for (const { ping, answer } of attempts) {
    if (answer?.status !== 200) continue;
    const event = byRequestId.get(String(answer.body.requestId));
    const expected = isReplay(answer)
      ? { event: 'idempotency_replay', units: 0 }
      : { event: 'request_succeeded', units: 1 };
    assert.ok(event, `an acknowledged ${expected.event} has no event: ${ping.label}`);
    const { event: name, units, clientRequestId } = event;
    assert.deepEqual({ event: name, units, clientRequestId }, { ...expected, clientRequestId: ping.label });
  }
}

function checkCharges(events: readonly UsageEvent[], attempts: readonly Attempt[]): void {
  const identityOf = ({ ping }: Attempt): string => ping.idempotencyKey ?? ping.label;
  const identities = new Map(attempts.map((attempt) => [attempt.ping.label, identityOf(attempt)]));
  const charged = new Map<string, number>();
  for (const { units, clientRequestId } of events) {
    if (units === 0) continue;
    const identity = identities.get(clientRequestId ?? '');
    assert.ok(identity !== undefined, `charged for ${clientRequestId}, which nobody sent`);
    charged.set(identity, (charged.get(identity) ?? 0) + units);
  }
  for (const [identity, units] of charged) assert.equal(units, 1, `${identity} was charged ${units} units`);
  for (const attempt of attempts) {
    if (attempt.answer?.status !== 200) continue;
    assert.ok(charged.has(identityOf(attempt)), `${identityOf(attempt)} was answered 200 and not charged`);
  }
}

async function checkPeriods(
  store: AccountStore,
  projectId: string,
  events: readonly UsageEvent[],
): Promise<UnitsByPeriod> {
  const units: Record<string, number> = {};
  for await (const { sk } of itemsFrom(store, itemKey.quota(projectId, ''))) {
    const [, period = ''] = String(sk).split('#');
    units[period] = 0;
  }
  for (const event of events) units[event.period] = (units[event.period] ?? 0) + event.units;
  for (const [id, expected] of Object.entries(units)) {
    const period = periodOf(id, 'month');
    assert.ok(period, `${id} is no month`);
    const verified = await verifyLedger(store, projectId, period);
    assert.deepEqual(verified, { consistent: true, quotaUsed: expected, ledgerUnits: expected }, `period ${id}`);
  }
  return units;
}
