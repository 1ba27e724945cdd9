import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  generateApiKey,
  generateProjectId,
  hashApiKey,
  lastFour,
  parseApiKey,
  withoutApiKeys,
} from '../../functions/core/api-key.ts';
import { randomBase62 } from '../../functions/core/base62.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** A CRC-32 computed bit by bit, to hold the library's against (polynomial 0xEDB88320). */
const crc32 = (text: string): number => {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
};

describe('a generated key', () => {
  test('has 51 characters: svc, mode, project, secret and a checksum of all before it', () => {
    for (let i = 0; i < 1_000; i++) {
      const projectId = generateProjectId(randomBytes);
      const key = generateApiKey('live', projectId, randomBytes);
      expect(key).toMatch(/^svc_live_[0-9A-Za-z]{42}$/);
      expect(key.slice(9, 21)).toBe(projectId);
      const checksum = Array.from(key.slice(45)).reduce((value, digit) => value * 62 + ALPHABET.indexOf(digit), 0);
      expect(checksum).toBe(crc32(key.slice(0, 45)));
      expect(parseApiKey(key)).toEqual({ mode: 'live', projectId, hash: hashApiKey(key) });
    }
  });

  test('is known by the SHA-256 of the whole of it', () => {
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('a damaged key is recognised without I/O', () => {
  const key = generateApiKey('test', generateProjectId(randomBytes), randomBytes);

  test('whichever one character is changed, dropped or doubled', () => {
    for (let i = 0; i < key.length; i++) {
      const c = key.charAt(i);
      expect(parseApiKey(key.slice(0, i) + (c === 'x' ? 'y' : 'x') + key.slice(i + 1))).toBeUndefined();
      expect(parseApiKey(key.slice(0, i) + key.slice(i + 1))).toBeUndefined();
      expect(parseApiKey(key.slice(0, i) + c + key.slice(i))).toBeUndefined();
    }
  });

  test('and so is any other text', () => {
    fc.assert(fc.property(fc.string(), (text) => parseApiKey(text) === undefined));
    expect(parseApiKey(`${key}\n`)).toBeUndefined();
  });
});

describe('what is shown of a key', () => {
  const key = generateApiKey('live', generateProjectId(randomBytes), randomBytes);

  test('in a list is its last four characters', () => {
    expect(lastFour(key)).toBe(key.slice(47));
  });

  test('in a text is nothing, wherever and however often it stands there, right or wrong', () => {
    const wrong = `svc_test_${'0'.repeat(42)}`;
    expect(withoutApiKeys(`${key}, x${key}${wrong}0 and\n"${wrong}"`)).toBe('svc_…, xsvc_…svc_…0 and\n"svc_…"');
    expect(withoutApiKeys('svc_test_short')).toBe('svc_test_short');
  });
});

describe('random base62', () => {
  test('throws away the bytes that would make some characters likelier', () => {
    // 248 … 255 would fold onto the first eight characters a fifth time.
    const bytes = [Uint8Array.of(255, 248, 0), Uint8Array.of(61, 62)];
    expect(randomBase62(3, () => bytes.shift() ?? new Uint8Array())).toBe('0z0');
  });

  test('gives every character equally often', () => {
    const counts = new Map<string, number>();
    for (const c of randomBase62(620_000, randomBytes)) counts.set(c, (counts.get(c) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 10,000 each; six standard deviations are 595.
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(595);
  });
});
