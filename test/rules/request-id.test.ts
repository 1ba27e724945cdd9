import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { receivedAtOf, requestIdAt } from '../../functions/shared/ids.ts';

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** The first and the last possible time, and the time of the example in RFC 9562, appendix A.6. */
const TIMES = [0, 1, 0x017f22e279b0, Date.parse('2026-11-23T12:30:05.123Z'), 2 ** 48 - 1];

test.each(TIMES)('an id is a UUID of version 7 that tells the time of receipt: %d', (receivedAtMs) => {
  for (let i = 0; i < 100; i++) {
    const id = requestIdAt(receivedAtMs, randomBytes);
    expect(id).toMatch(VERSION_7);
    expect(receivedAtOf(id)).toBe(receivedAtMs);
  }
});

test('is the example of the RFC for its time and random bits', () => {
  const random = Buffer.from('0cc3' + '18c4dc0c0c07398f', 'hex');
  expect(requestIdAt(0x017f22e279b0, () => random)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
});

test('has 74 random bits: every other bit comes from the random bytes', () => {
  const none = requestIdAt(0, (size) => Buffer.alloc(size));
  const all = requestIdAt(0, (size) => Buffer.alloc(size, 0xff));
  expect([none, all]).toEqual(['00000000-0000-7000-8000-000000000000', '00000000-0000-7fff-bfff-ffffffffffff']);
});

test('ids in the order of time are in that order as text', () => {
  const ids = TIMES.map((timeMs) => requestIdAt(timeMs, randomBytes));
  expect(ids.toSorted()).toEqual(ids);
});

test('a UUID of another version tells no time', () => {
  expect(receivedAtOf(randomUUID())).toBeUndefined();
});
