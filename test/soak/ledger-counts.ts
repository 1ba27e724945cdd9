import assert from 'node:assert/strict';
import { errorDefinition, type ErrorCode } from '../../functions/core/errors.ts';
import { MS_PER_SECOND } from '../../functions/core/clock.ts';
import { periodAt } from '../../functions/core/period.ts';
import type { AccountStore } from '../../functions/accounts/account-store.ts';
import { listUsage } from '../../functions/usage/log.ts';
import { verifyLedger } from '../../functions/usage/verification.ts';
import type { Seen } from './drive.ts';
import type { Traffic } from './traffic.ts';

/**
 * Compares the ledger of every project with the answers. Throws unless it is consistent and each kind of
 * event was stored as often as it was answered. A 503 may have left one more.
 */
export async function checkCounts(
  store: AccountStore,
  { countedProjects, otherProjects }: Traffic,
  { verdicts, unavailable, seconds }: Seen,
): Promise<void> {
  const nowMs = store.clock.now();
  const periods = new Map([nowMs, nowMs - seconds * MS_PER_SECOND].map((ms) => [periodAt(ms, 'month').id, ms]));
  for (const projectId of [...countedProjects, ...otherProjects]) {
    for (const ms of periods.values()) {
      const { consistent, ...units } = await verifyLedger(store, projectId, periodAt(ms, 'month'));
      assert.ok(consistent, `the ledger of ${projectId} is not consistent: ${JSON.stringify(units)}`);
    }
  }
  const counts = new Map<string, number>();
  for (const projectId of countedProjects) {
    for await (const { event } of listUsage(store, projectId, {})) counts.set(event, (counts.get(event) ?? 0) + 1);
  }
  const answered = new Map<string, number>();
  for (const [verdict, count] of verdicts) {
    const event = eventOf(verdict);
    answered.set(event, (answered.get(event) ?? 0) + count);
  }
  for (const event of new Set([...counts.keys(), ...answered.keys()])) {
    const [recorded, seen] = [counts.get(event) ?? 0, answered.get(event) ?? 0];
    assert.ok(seen <= recorded && recorded <= seen + unavailable, `${event}: ${seen} answers, ${recorded} events`);
  }
}

function eventOf(verdict: string): string {
  if (verdict === 'executed') return 'request_succeeded';
  if (verdict === 'replayed') return 'idempotency_replay';
  return errorDefinition(verdict as ErrorCode).event ?? 'none';
}
