import assert from 'node:assert/strict';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseIJsonObject } from '../../functions/shared/http/input.ts';
import { CODE_POINT } from '../support/code-points.ts';
import { LABORIOUS } from '../support/hostile/texts.ts';

const canonical = (text: string) => {
  const result = parseIJsonObject(text);
  return result.ok ? result.canonical : undefined;
};

describe('the canonical form', () => {
  test('is that of RFC 8785, section 3.2.2', () => {
    const text =
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
      '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}';
    // 333333333.33333329 has more digits than its double: the RFC rounds it, but an idempotency key must not.
    expect(canonical(text)).toBeUndefined();
    expect(canonical(text.replace('333333333.33333329', '333333333.3333333'))).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test('of any I-JSON object is the same however it is spelled, and different for a different value', () => {
    const object = fc.dictionary(
      fc.string({ unit: CODE_POINT }),
      fc.jsonValue({ maxDepth: 4, stringUnit: CODE_POINT }),
      {
        maxKeys: 6,
      },
    );
    fc.assert(
      fc.property(object, object, (one, other) => {
        const reversed = Object.fromEntries(Object.entries(one).reverse());
        const compact = canonical(JSON.stringify(one));
        expect(compact).toBeDefined();
        expect(canonical(JSON.stringify(reversed, null, 3))).toBe(compact);
        expect(canonical(JSON.stringify(other)) === compact).toBe(
          JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)),
        );
      }),
    );
  });
});

describe('a number', () => {
  test('is taken exactly when reading and writing it keeps its value', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => {
        for (const literal of [JSON.stringify(n), n.toExponential()])
          expect(canonical(`{"n":${literal}}`)).toBeDefined();
      }),
    );
  });

  test.each([
    ['-0.0', '0'],
    ['0e999', '0'],
    ['100e-2', '1'],
    ['1.010', '1.01'],
    ['-1001e-3', '-1.001'],
    ['9007199254740992', '9007199254740992'],
    ['5e-324', '5e-324'],
    ['1000000000000000000000', '1e+21'],
    ['17976931348623157e292', '1.7976931348623157e+308'],
  ])('%s keeps its value, as %s', (literal, written) => {
    expect(canonical(`{"n":${literal}}`)).toBe(`{"n":${written}}`);
  });

  test.each([
    ...['9007199254740993', '10000000000000001', '0.1000000000000000055511151231257827', '1.00000000000000001'],
    ...['1e400', '-1e-400', '4e-324', '1.7976931348623159e308', '1e99999999999999999999'],
  ])('%s does not, and is refused', (literal) => {
    expect(canonical(`{"n":${literal}}`)).toBeUndefined();
  });
});

describe('nesting', () => {
  test('is how deep a value lies, not how many brackets there are', () => {
    const many = `{"a":[${Array(40).fill('[],{}').join()}]}`;
    expect(canonical(many)).toBe(many);
  });
});

describe('any text', () => {
  test('is read or refused, never thrown at', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: CODE_POINT, maxLength: 200 }),
        (text) => typeof parseIJsonObject(text).ok === 'boolean',
      ),
    );
  });

  test('costs no more than ten ordinary ones of its size, however laborious it is made', () => {
    // Four times the maximum that the gateway reads: quadratic time is clearly visible on any machine.
    const size = 4 * 16_384;
    const item = { name: 'an ordinary item', price: 12.5, tags: ['one', 'two'], inStock: true };
    const items = Array.from({ length: size / JSON.stringify(item).length }, () => item);
    const ordinary = cpuMicrosToRead(JSON.stringify({ clientRequestId: 'an-ordinary-request', items }));
    for (const ofSize of LABORIOUS) {
      const text = ofSize(size);
      const shape = `${text.slice(0, 20)}…${text.slice(-5)}`;
      assert.ok(cpuMicrosToRead(text) < 10 * ordinary, `slow: ${shape}`);
    }
  });
});

/** The CPU time of reading a text, without other work of the machine: the least of three measurements. */
function cpuMicrosToRead(text: string): number {
  const measurements = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    parseIJsonObject(text);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...measurements);
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, child]) => [name, sorted(child)]);
};
