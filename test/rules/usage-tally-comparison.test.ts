import { describe, expect, test } from '@jest/globals';
import { agrees } from '../../functions/usage/sums/tally-text.ts';
import { addEvent, emptyTally, OTHER_KEYS, type CountedEvent } from '../../functions/usage/sums/tally.ts';

const charged: CountedEvent = { keyId: 'key_a', event: 'request_succeeded', code: null, units: 2, latencyMs: 10 };
const free: CountedEvent = { ...charged, event: 'request_rejected', code: 'INVALID_REQUEST', units: 0, latencyMs: 20 };
const simulated: CountedEvent = { ...charged, simulated: true };
const freely: CountedEvent = { ...free, simulated: true };
const other = (event: CountedEvent): CountedEvent => ({ ...event, keyId: 'key_b' });
const together = (event: CountedEvent): CountedEvent => ({ ...event, keyId: OTHER_KEYS });
const tallyOf = (events: readonly CountedEvent[], chargedOnly = false) => {
  const tally = emptyTally(chargedOnly);
  for (const event of events) addEvent(tally, event);
  return tally;
};

describe('a kept sum', () => {
  const all = [charged, free, other(free)];
  const lateAnswer = { ...charged, latencyMs: 11 };

  test.each<[string, CountedEvent[], CountedEvent[], boolean]>([
    ['has every event', all, all, true],
    ['lacks a refusal', [charged, free], all, false],
    ['has a refusal too many', all, [charged, free], false],
    ['has another latency', [lateAnswer], [charged], false],
    ['tells keys together, and has every event', all.map(together), all, true],
    ['tells keys together, and lacks a refusal', [charged, free].map(together), all, false],
    ['has the charge of another key', [other(charged)], [charged], false],
  ])('that %s, when all events are there, agrees with them or not', (_, kept, counted, expected) => {
    expect(agrees(tallyOf(kept), tallyOf(counted), true)).toBe(expected);
  });

  test.each<[string, CountedEvent[], CountedEvent[], boolean]>([
    ['has refusals that are gone', all, [charged], true],
    ['lacks refusals that are there', [charged], all, true],
    ['has another latency', [lateAnswer], [charged], true],
    ['has simulations that are gone', [simulated, freely], [simulated], true],
    ['lacks a simulation that was charged', [freely], [simulated], false],
    ['lacks a charge', [free], all, false],
    ['has a charge too many', [charged, charged], [charged], false],
    ['has the charge of another key', [other(charged)], [charged], false],
    ['tells keys together, and has every charge', [together(charged)], all, true],
  ])('that %s, when refusals may be gone, is held to the charges alone', (_, kept, counted, expected) => {
    expect(agrees(tallyOf(kept), tallyOf(counted), false)).toBe(expected);
    // The same if they had expired before the sum was made.
    expect(agrees(tallyOf(kept, true), tallyOf(counted), true)).toBe(expected);
  });
});
