import { expect, test } from '@jest/globals';
import { readKeyTagSecrets } from '../../functions/shared/credentials/api-key.ts';
import { idempotencyTag } from '../../functions/shared/request/metered-request.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { chargesByName, verdictOf } from '../../portal/requests/charged-again.ts';
import { someEvent } from '../support/usage-events.ts';

const HOUR_MS = 3_600_000;
const tagged = (secret: string, key: string) =>
  idempotencyTag(readKeyTagSecrets('S', secret.repeat(64)), 'Project00001', key);
const event = (requestId: string, hoursAgo: number, given: Partial<UsageEvent> = {}): UsageEvent =>
  someEvent({
    requestId,
    occurredAt: new Date(Date.parse('2026-11-22T10:00:00.000Z') - hoursAgo * HOUR_MS).toISOString(),
    idempotencyTag: tagged('a', 'one'),
    ...given,
  });
/** An event of a version that kept no tag. */
const old = (requestId: string, hoursAgo: number): UsageEvent => {
  const { idempotencyTag: _, ...without } = event(requestId, hoursAgo);
  return without;
};
const free = { units: 0, originalRequestId: 'first' } as const;

test.each<[string, UsageEvent[], string, string, RegExp]>([
  [
    'two Idempotency-Keys',
    [event('second', 0, { idempotencyTag: tagged('a', 'two') }), event('first', 1)],
    ...(['Charged twice: 2 units.', 'different Idempotency-Keys', /^They had different Idempotency-Keys/] as const),
  ],
  [
    'none',
    [event('second', 0, { idempotencyTag: null }), event('first', 1, { idempotencyTag: null })],
    ...(['Charged twice: 2 units.', 'no Idempotency-Key', /^They had no Idempotency-Key/] as const),
  ],
  [
    'one with and one without',
    [event('second', 0, { idempotencyTag: null }), event('first', 1)],
    ...(['Charged twice: 2 units.', 'different Idempotency-Keys', /^Only one of them had an/] as const),
  ],
  [
    'one Idempotency-Key a day apart',
    [event('second', 0), event('first', 24)],
    ...(['Charged twice: 2 units.', 'the same Idempotency-Key', /more than 24 hours apart/] as const),
  ],
  [
    'one Idempotency-Key for two operations',
    [event('second', 0, { operation: 'sandbox.other' }), event('first', 1)],
    ...(['Charged twice: 2 units.', 'the same Idempotency-Key', /for each operation/] as const),
  ],
  [
    // Within a day the charge itself shows that no one Idempotency-Key was repeated.
    'another secret within a day',
    [event('second', 0, { idempotencyTag: tagged('b', 'two') }), event('first', 1)],
    ...(['Charged twice: 2 units.', '', /^Those charged had different Idempotency-Keys, or none/] as const),
  ],
  [
    'another secret a day apart',
    [event('second', 0, { idempotencyTag: tagged('b', 'one') }), event('first', 24)],
    ...(['Charged twice: 2 units.', '', /is unknown/] as const),
  ],
  ['no tag', [event('second', 0), old('first', 30)], 'Charged twice: 2 units.', '', /is unknown/],
  [
    'a replay',
    [event('second', 0, { ...free, event: 'idempotency_replay' }), event('first', 1)],
    ...(['Charged once: 1 unit.', '', /repeated it under its Idempotency-Key/] as const),
  ],
  [
    'a conflict',
    [event('second', 0, { ...free, event: 'idempotency_conflict' }), event('first', 1)],
    ...(['Charged once: 1 unit.', '', /another body/] as const),
  ],
  [
    'refusals alone',
    [
      event('second', 0, { units: 0, event: 'quota_rejected' }),
      event('first', 1, { units: 0, event: 'quota_rejected' }),
    ],
    ...(['Not charged: 0 units.', '', /^What is refused is free/] as const),
  ],
])('of %s the verdict says what is sure, and why', (_, events, answer, keys, why) => {
  const verdict = verdictOf(events, true);
  expect(verdict).toMatchObject({ answer, keys, pair: [{ requestId: 'first' }, { requestId: 'second' }] });
  expect(verdict?.why).toMatch(why);
});

test('a single request has no verdict; of three charges two are compared, and a part of all is named as one', () => {
  expect(verdictOf([event('only', 0)], true)).toBeUndefined();
  const three = [event('third', 0), event('second', 30), event('first', 60)];
  expect(verdictOf(three, false)?.answer).toBe('Charged 3 times: 3 units, among those that were read.');
  expect(verdictOf(three, true)?.pair.map(({ requestId }) => requestId)).toEqual(['first', 'second']);
  const named = three.map((each) => ({ ...each, clientRequestId: 'order-7' }));
  expect(chargesByName([...named, event('other', 0, { clientRequestId: 'b', units: 0 })])).toEqual(
    new Map([['order-7', 3]]),
  );
});
