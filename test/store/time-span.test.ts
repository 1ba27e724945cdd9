import { expect, test } from '@jest/globals';
import { boundsAsText, untilBefore } from '../../functions/shared/store/items.ts';

test('the bounds of a span as text take in every key that begins with a time, where there is no bound', () => {
  const times = ['0000-01-01T00:00:00.000Z#', '9999-12-31T23:59:59.999Z#~'];
  const { since, until } = boundsAsText({});
  expect([since, ...times, until].toSorted()).toEqual([since, ...times, until]);
  // DynamoDB refuses an empty text in the condition for a key.
  expect(since).not.toBe('');
  expect(boundsAsText({ sinceMs: 0, untilMs: 1 })).toEqual({
    since: '1970-01-01T00:00:00.000Z',
    until: '1970-01-01T00:00:00.001Z',
  });
});

test.each([
  ['no position', undefined, '5'],
  ['a position behind the span', '7', '5'],
  ['one in it', '4', '4'],
  ['one before it', '1', '2'],
])('the upper bound of a span, of what stands before %s, is within it', (_, before, expected) => {
  expect(untilBefore({ since: '2', until: '5' }, before)).toBe(expected);
});
