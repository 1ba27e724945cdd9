import { expect, test } from '@jest/globals';
import { unknownKey } from '../support/keys.ts';
import { keptSourceAddress, keptUserAgent } from '../../functions/gateway/middleware/metering.ts';

test('a user agent is printable ASCII of at most 60 characters, and nothing where it says nothing', () => {
  expect(keptUserAgent('curl/8.5.0', null)).toBe('curl/8.5.0');
  expect(keptUserAgent(`a\u0000b\u009Bé${'x'.repeat(100)}`, null)).toBe(`a?b??${'x'.repeat(55)}`);
  for (const nothing of [undefined, '', '  ']) expect(keptUserAgent(nothing, null)).toBeNull();
});

test('it is not kept where it holds a credential', () => {
  expect(keptUserAgent(`app/1.0 (${unknownKey('Project00001')})`, null)).toBeNull();
});

test.each([
  ['without its public checksum', (key: string) => key.slice(0, -6)],
  ['with an encoded character', (key: string) => key.replace('_', '%5F')],
  ['with another encoded character', (key: string) => key.replace('s', '%73')],
  ['with a character that is encoded twice', (key: string) => key.replace('_', '%255F')],
  ['with a character in between', (key: string) => `${key.slice(0, 30)}é${key.slice(30)}`],
])('nor where it holds one %s, from which the whole can be made', (_how, written) => {
  expect(keptUserAgent(`app/1.0 (${written(unknownKey('Project00001'))})`, null)).toBeNull();
});

test('it leaves the longest client request id its room', () => {
  expect(keptUserAgent('x'.repeat(100), '😀'.repeat(128))).toHaveLength(14);
});

test.each([
  ['203.0.113.77', '203.0.113.0'],
  ['2001:db8:abcd:1234::9', '2001:db8:abcd::'],
  ['2001:db8::1', '2001:db8:0::'],
  ['::1', '0:0:0::'],
])('the address %s is kept truncated as %s, whole, or not at all', (address, truncated) => {
  expect(keptSourceAddress(address, 'truncated')).toBe(truncated);
  expect(keptSourceAddress(address, 'full')).toBe(address);
  expect(keptSourceAddress(address, 'none')).toBeNull();
});

test.each(['', 'localhost', '<script>', '1.2.3', undefined])('no address is kept of %s', (address) => {
  expect(keptSourceAddress(address, 'full')).toBeNull();
});
