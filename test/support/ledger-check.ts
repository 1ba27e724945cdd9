import assert from 'node:assert/strict';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { listUsage } from '../../functions/usage/log.ts';
import { assertBooks } from './books.ts';
import { isReplay, type Attempt } from './crowd.ts';

/**
 * Compares a project's ledger with everything that was ever sent to it. Throws unless its books are right
 * ({@link assertBooks}), and
 *
 * - every 200 has its event, with 1 unit or as a replay, of the ping that was sent,
 * - each Idempotency-Key that was answered 200 was charged once and every other at most once,
 * - nothing was charged that nobody sent.
 */
export async function checkLedger(
  store: AccountStore,
  projectId: string,
  attempts: readonly Attempt[],
): Promise<Readonly<Record<string, number>>> {
  const events = await Array.fromAsync(listUsage(store, projectId, {}));
  const answered = attempts.flatMap(({ answer }) => (answer ? [{ response: answer }] : []));
  const units = await assertBooks({ store, events: () => Promise.resolve(events) }, projectId, answered);

  const byRequestId = new Map(events.map((event) => [event.requestId, event]));
  for (const { ping, answer } of attempts) {
    if (answer?.status !== 200) continue;
    const told = byRequestId.get(String(answer.body.requestId));
    const expected = isReplay(answer) ? ['idempotency_replay', 0] : ['request_succeeded', 1];
    assert.deepEqual([told?.event, told?.units, told?.clientRequestId], [...expected, ping.label]);
  }
  const identityOf = ({ ping }: Attempt): string => ping.idempotencyKey ?? ping.label;
  const identities = new Map(attempts.map((attempt) => [attempt.ping.label, identityOf(attempt)]));
  const charged = events
    .filter(({ units }) => units > 0)
    .map(({ clientRequestId }) => identities.get(`${clientRequestId}`));
  assert.ok(!charged.includes(undefined), 'charged for what nobody sent');
  assert.equal(new Set(charged).size, charged.length, 'charged twice');
  for (const attempt of attempts) {
    assert.ok(
      attempt.answer?.status !== 200 || charged.includes(identityOf(attempt)),
      `not charged: ${identityOf(attempt)}`,
    );
  }
  return units;
}
