import { describe, expect, test } from '@jest/globals';
import { periodAt } from '../../functions/shared/rules/period.ts';
import type { UsageEvent } from '../../functions/shared/rules/usage/usage-event.ts';
import { eventKey } from '../../functions/shared/store/items.ts';
import { ledgerAudit } from '../../functions/usage/ledger-audit.ts';
import { NOW_MS } from '../support/times.ts';
import { someEvent } from '../support/usage-events.ts';

const event = (requestId: string, second: number, given: Partial<UsageEvent> = {}) => {
  const made = someEvent({ requestId, occurredAt: new Date(NOW_MS + 1_000 * second).toISOString(), ...given });
  return { ...eventKey(made), ...made };
};
const replay = { event: 'idempotency_replay', units: 0 } as const;
type Event = ReturnType<typeof event>;

/** Whether the first events need a second read, and the result after a second read of the others. */
function audited(events: readonly Event[], again = events) {
  const audit = ledgerAudit(periodAt(NOW_MS, 'month'), new Map());
  events.forEach(audit.first);
  const needsSecond = audit.needsSecond();
  if (needsSecond) again.forEach(audit.second);
  const { count = 0, examples = [] } = audit.result() ?? {};
  return { needsSecond, count, repeated: examples.map(({ sortKey }) => sortKey) };
}

describe('a request that several events charge', () => {
  test('is reported by each of them once, however many there are', () => {
    const events = [event('a', 1), event('b', 2), event('a', 3), event('a', 4), event('b', 5), event('c', 6)];
    const repeated = [0, 2, 1, 4, 3].map((place) => events[place]?.sk).sort();
    const found = audited(events);
    expect({ ...found, repeated: found.repeated.toSorted() }).toEqual({ needsSecond: true, count: 5, repeated });
  });

  test('is reported without its events of 0 units', () => {
    const events = [event('a', 1), event('a', 2, replay), event('a', 3)];
    expect(audited(events)).toMatchObject({ count: 2, repeated: [events[0]?.sk, events[2]?.sk] });
  });

  test('is not reported where the second pass finds one event of it alone', () => {
    const events = [event('a', 1), event('a', 2)];
    expect(audited(events, events.slice(1))).toEqual({ needsSecond: true, count: 0, repeated: [] });
  });
});

test('a request with one charge needs no second look, whatever was free under its id', () => {
  const events = [event('a', 1), event('a', 2, replay), event('a', 3, replay)];
  expect(audited(events)).toEqual({ needsSecond: false, count: 0, repeated: [] });
});
