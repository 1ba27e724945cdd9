import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { ERRORS, type ErrorCode } from '../../functions/shared/http/errors.ts';
import { MAX_KEYS, parseTally as parse, tallyText } from '../../functions/usage/sums/tally-text.ts';
import { addEvent, addTally, emptyTally, figuresOf, type CountedEvent } from '../../functions/usage/sums/tally.ts';
import { USAGE_EVENT_NAMES } from '../../functions/shared/names.ts';

/** DynamoDB's limit for an item (AWS, "Constraints in Amazon DynamoDB"), less the rest of the item beside the text. */
const MAX_TEXT_BYTES = 400 * 1024 - 1_024;
const keyOf = (n: number): string => `key_${String(n).padStart(16, '0')}`;
const tallyOf = (events: readonly CountedEvent[]) => {
  const tally = emptyTally();
  for (const event of events) addEvent(tally, event);
  return tally;
};
const parseTally = (text: string) => {
  const tally = parse(text);
  if (!tally) throw new Error(`no tally: ${text}`);
  return tally;
};

/** Every event and code that the gateway writes together. */
const OUTCOMES: [CountedEvent['event'], ErrorCode | null][] = [
  ['request_succeeded', null],
  ['idempotency_replay', null],
  ...(Object.keys(ERRORS) as ErrorCode[]).flatMap((code): [CountedEvent['event'], ErrorCode][] => {
    const { event } = ERRORS[code];
    return event === null ? [] : [[event, code]];
  }),
];
const someEvent = fc
  .record({
    keyId: fc.integer({ min: 0, max: 30 }).map(keyOf),
    outcome: fc.constantFrom(...OUTCOMES),
    cost: fc.integer({ min: 1, max: 3 }),
    latencyMs: fc.integer({ min: 0, max: 4_000 }),
    simulated: fc.constantFrom({}, { simulated: true }),
  })
  .map(({ keyId, outcome: [event, code], cost, latencyMs, simulated }): CountedEvent => {
    return { keyId, event, code, units: event === 'request_succeeded' ? cost : 0, latencyMs, ...simulated };
  });

describe('a tally', () => {
  test('tells requests, units and outcomes of all keys and of each', () => {
    const events = (['key_a', 'key_b'] as const).flatMap((keyId, i): CountedEvent[] => [
      { keyId, event: 'request_succeeded', code: null, units: 1 + i, latencyMs: 10 },
      { keyId, event: 'request_rejected', code: 'INVALID_REQUEST', units: 0, latencyMs: 20 },
      { keyId, event: 'request_rejected', code: 'UNSUPPORTED_MEDIA_TYPE', units: 0, latencyMs: 30 },
    ]);
    const tally = tallyOf(events);
    const one = { requests: 3, outcomes: { request_succeeded: 1, request_rejected: 2 }, chargedOnly: false };
    const none = { p50LatencyMs: null, p95LatencyMs: null };
    expect(figuresOf(tally, 'key_b')).toEqual({ ...one, units: 2, ...none });
    expect(figuresOf(tally, 'key_c')).toEqual({ requests: 0, units: 0, outcomes: {}, chargedOnly: false, ...none });
    expect(figuresOf(tally)).toEqual({
      requests: 6,
      units: 3,
      chargedOnly: false,
      p50LatencyMs: 20,
      p95LatencyMs: 30,
      outcomes: { request_succeeded: 2, request_rejected: 4 },
    });
  });

  test('tells simulations apart, those that were charged too, and adds no more than two outcomes for them', () => {
    const simulated = true;
    const lost: CountedEvent = { keyId: 'key_a', event: 'request_succeeded', code: null, units: 3, latencyMs: 10 };
    const tally = tallyOf([
      lost,
      { ...lost, simulated },
      ...OUTCOMES.slice(2).map(([event, code]) => ({ ...lost, event, code, units: 0, simulated })),
    ]);
    const simulations = OUTCOMES.length - 1;
    expect(figuresOf(tally)).toMatchObject({
      requests: 1 + simulations,
      units: 6,
      outcomes: { request_succeeded: 1, simulated: simulations },
    });
    expect([...(tally.keys.get('key_a')?.keys() ?? [])]).toEqual([
      ...['request_succeeded', 'request_succeeded simulated', 'request_rejected simulated'],
    ]);
  });

  test('that a version kept which did not know simulations is read as before', () => {
    const text = '{"outcomes":["request_rejected INVALID_REQUEST"],"keys":{"key_a":[0,2,0]},"latencies":[9,2]}';
    const tally = parseTally(text);
    expect(figuresOf(tally).outcomes).toEqual({ request_rejected: 2 });
    addEvent(tally, {
      keyId: 'key_a',
      event: 'request_rejected',
      code: 'INVALID_REQUEST',
      units: 0,
      latencyMs: 9,
      simulated: true,
    });
    expect(figuresOf(parseTally(tallyText(tally))).outcomes).toEqual({ request_rejected: 2, simulated: 1 });
  });

  test('of parts added up, kept and read again, is that of all, as text too', () => {
    fc.assert(
      fc.property(fc.array(fc.array(someEvent)), (parts) => {
        const sum = emptyTally();
        for (const part of parts) addTally(sum, parseTally(tallyText(tallyOf(part))));
        const whole = tallyOf(parts.flat().reverse());
        expect(tallyText(sum)).toBe(tallyText(whole));
        expect(figuresOf(sum)).toEqual(figuresOf(whole));
        for (const { keyId } of parts.flat()) expect(figuresOf(sum, keyId)).toEqual(figuresOf(whole, keyId));
      }),
    );
  });

  test('is kept as the text that later versions have to read', () => {
    const refused = { event: 'request_rejected', code: 'INVALID_REQUEST', units: 0 } as const;
    const charged = { event: 'request_succeeded', code: null, units: 2 } as const;
    const tally = tallyOf([
      { ...charged, keyId: 'key_b', latencyMs: 300 },
      { ...charged, keyId: 'key_b', latencyMs: 9 },
      { ...refused, keyId: 'key_b', latencyMs: 100 },
      { ...charged, keyId: 'key_a', latencyMs: 9 },
    ]);
    const text =
      '{"outcomes":["request_rejected INVALID_REQUEST","request_succeeded"],' +
      '"keys":{"key_a":[1,1,2],"key_b":[0,1,0,1,2,4]},"latencies":[9,2,100,1,165,1]';
    expect(tallyText(tally)).toBe(`${text}}`);
    expect(parse(`${text},"chargedOnly":true}`)).toEqual({ ...tally, chargedOnly: true });
  });

  test('with missing events says so, and so does each sum that contains it', () => {
    const sum = tallyOf([]);
    expect(figuresOf(sum).chargedOnly).toBe(false);
    addTally(sum, parseTally(tallyText(emptyTally(true))));
    addTally(sum, tallyOf([]));
    expect(figuresOf(parseTally(tallyText(sum))).chargedOnly).toBe(true);
  });

  test('of very many keys is kept all the same: with exact sums, and those apart that have the most requests', () => {
    const tally = emptyTally();
    const many = 3 * MAX_KEYS;
    for (let n = 0; n < many; n++) {
      for (let i = 0; i <= n; i++) {
        if (i === 0 || n % 100 === 0)
          addEvent(tally, { keyId: keyOf(n), event: 'request_succeeded', code: null, units: 2, latencyMs: 5 });
      }
    }
    const text = tallyText(tally);
    expect(tallyText({ ...tally, keys: new Map([...tally.keys].reverse()) })).toBe(text);
    const kept = parseTally(text);
    expect(figuresOf(kept)).toEqual(figuresOf(tally));
    expect(figuresOf(kept, keyOf(many - 100)).requests).toBe(many - 99);
    const apart = Array.from({ length: many }, (_, n) => figuresOf(kept, keyOf(n)).requests).filter((n) => n > 0);
    expect(apart.length).toBe(MAX_KEYS);
    // Added again and again, as days add hours and hours add parts: nothing is lost.
    addTally(kept, kept);
    expect(figuresOf(parseTally(tallyText(kept))).units).toBe(2 * figuresOf(tally).units);
  });

  test('fits an item at its largest', () => {
    const tally = emptyTally(true);
    const [requests, units] = [1e12, 1e12];
    for (let n = 0; n < 2 * MAX_KEYS; n++) {
      const outcomes = OUTCOMES.map(([event, code]) => [`${event} ${code}`, { requests, units }] as const);
      tally.keys.set(keyOf(n), new Map(outcomes));
    }
    for (let ms = 0; ms < 2 ** 31; ms += 1 + Math.floor(ms / 64)) {
      addEvent(tally, { keyId: keyOf(0), event: USAGE_EVENT_NAMES[0], code: null, units: 1, latencyMs: ms });
    }
    for (const bucket of tally.latencies.keys()) tally.latencies.set(bucket, requests);
    const text = tallyText(tally);
    expect(tally.latencies.size).toBeGreaterThan(800);
    expect(Buffer.byteLength(text)).toBeGreaterThan(200_000);
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_TEXT_BYTES);
  });
});
