import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { readNamed, wholeNumber } from '../../functions/shared/settings/named-value.ts';

describe('a whole number that somebody sets', () => {
  const Days = wholeNumber(1, 90, 'must be a whole number from 1 to 90.');

  test.each(['1', '90', '007'])('may be %s', (text) => {
    expect(readNamed('DAYS', text, Days)).toBe(text);
  });

  test.each(['0', '91', '-1', '1.5', '1e1', '0x1', '٣', ' 1', '1 ', '1d', `${'0'.repeat(16)}1`, 1])(
    'may not be %j',
    (value) => {
      expect(() => readNamed('DAYS', value, Days)).toThrow('DAYS must be a whole number from 1 to 90.');
    },
  );
});

test('an empty text is as good as none', () => {
  expect(readNamed('NAME', '', v.optional(v.string()))).toBeUndefined();
});
