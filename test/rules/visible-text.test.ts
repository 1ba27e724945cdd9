import { expect, test } from '@jest/globals';
import { isVisible } from '../../functions/shared/http/input.ts';
import { readIdentity } from '../../functions/portal/provider/provider.ts';

const UNSEEN = [
  '',
  ' ',
  '\u00a0\u3000',
  '\u200b\u200c\u200d',
  '\u2060\ufeff',
  '\u202e',
  '\u3164\uffa0',
  '\ufe0f',
  '\u2800',
  '\u0007',
];

test.each(UNSEEN)('of %j people see nothing', (text) => {
  expect(isVisible(text)).toBe(false);
  expect(isVisible(`${text}a${text}`)).toBe(true);
});

test.each(['a', '0', '-', '\u{1f5dd}', '\u2764\ufe0f', 'م', '中', '\u1f468\u200d\u1f469', '\ue000'])(
  'of %j they do',
  (text) => {
    expect(isVisible(text)).toBe(true);
  },
);

test('a provider’s claims of which nothing can be seen are none', () => {
  const trust = { issuerLabel: 'tests', trustEmail: true };
  expect(readIdentity({ sub: 's', name: '\u200b\u3164', email: '\u2060' }, trust)).toEqual({
    issuer: 'tests',
    subject: 's',
    email: undefined,
    emailVerified: false,
    name: undefined,
  });
});
