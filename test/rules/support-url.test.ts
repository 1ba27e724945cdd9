import { expect, test } from '@jest/globals';
import { isSupportUrl } from '../../functions/shared/settings/support-url.ts';

test.each([
  'https://help.example.com',
  'https://help.example.com/a?b=c&d=%20#e',
  'https://help.example.com:8443/a@b',
  'https://xn--hlp-bma.example.com',
  'mailto:help@example.com',
  'mailto:help+gateway@example.co.uk',
  `https://help.example.com/${'h'.repeat(475)}`,
])('names whom people may ask: %s', (text) => {
  expect(isSupportUrl(text)).toBe(true);
});

test.each([
  ['a script', 'javascript:alert(1)'],
  ['a script in other letters', 'JaVaScRiPt:alert(1)//https://help.example.com'],
  ['a script behind a space', ' javascript:alert(1)'],
  ['a page of its own', 'data:text/html,<script>alert(1)</script>'],
  ['no https', 'http://help.example.com'],
  ['no scheme', '//help.example.com'],
  ['no slashes', 'https:help.example.com'],
  ['no host', 'https://'],
  ['another host behind a name', 'https://help.example.com@evil.example'],
  ['another host behind a password', 'https://help:example.com@evil.example'],
  ['a backslash for a host', 'https://\\evil.example'],
  ['a new line', 'https://help.example.com/\nSet-Cookie: a=b'],
  ['letters that look alike', 'https://hеlp.example.com'],
  ['a port that is none', 'https://help.example.com:99999'],
  ['two addresses', 'mailto:help@example.com,evil@example.com'],
  ['more than the address', 'mailto:help@example.com?bcc=evil@example.com'],
  ['a header', 'mailto:help@example.com%0D%0ABcc:evil@example.com'],
  ['a name with a header', 'mailto:help%0D%0ABcc%3Aevil@example.com'],
  ['no address', 'mailto:help'],
  ['another program', 'tel:+4912345'],
  ['501 characters', `https://help.example.com/${'h'.repeat(476)}`],
  ['nothing', ''],
])('is not taken where it has %s', (_what, text) => {
  expect(isSupportUrl(text)).toBe(false);
});
