import { createHmac, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  generateApiKey,
  generateProjectId,
  hashApiKey,
  parseApiKey,
  readCredentials,
  readKeyTagSecrets,
} from '../../functions/shared/credentials/api-key.ts';
import type { KeyMode } from '../../functions/shared/credentials/credential-text.ts';
import { encodeBase62, randomBase62 } from '../../functions/shared/ids.ts';
import { withoutApiKeys } from '../../functions/shared/credentials/credential-text.ts';
import { withChecksum } from '../support/keys.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** A CRC-32 computed bit by bit, to check the library (polynomial 0xEDB88320). */
const crc32 = (text: string): number => {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
};

const OLD = 'an-older-secret-of-32-characters';
const NEW = 'the-newest-secret-of-33-character';
const newest = readKeyTagSecrets('S', NEW);
const oldest = readKeyTagSecrets('S', OLD);
const both = readKeyTagSecrets('S', `${NEW},${OLD}`);
const newKey = (mode: KeyMode, secrets = both) =>
  generateApiKey(mode, generateProjectId(randomBytes), secrets, randomBytes);
/** The value of base62 digits. */
const valueOf = (digits: string) =>
  Array.from(digits).reduce((value, digit) => value * 62 + ALPHABET.indexOf(digit), 0);

describe('a generated key', () => {
  test('has 51 characters: svc, mode, project, secret and a checksum of all before it', () => {
    for (let i = 0; i < 1_000; i++) {
      const projectId = generateProjectId(randomBytes);
      const key = generateApiKey('live', projectId, both, randomBytes);
      expect(key).toMatch(/^svc_live_[0-9A-Za-z]{42}$/);
      expect(key.slice(9, 21)).toBe(projectId);
      expect(valueOf(key.slice(45))).toBe(crc32(key.slice(0, 45)));
      expect(parseApiKey(key)).toEqual({ mode: 'live', projectId, hash: hashApiKey(key) });
    }
  });

  test('ends its secret with a tag: 64 bits of the HMAC-SHA-256 of all before it under the newest secret, in base62', () => {
    for (let i = 0; i < 100; i++) {
      const key = newKey('test');
      const mac = createHmac('sha256', NEW).update(key.slice(0, 37)).digest('hex');
      expect(valueOf(key.slice(37, 45))).toBe(Number(BigInt(`0x${mac.slice(0, 16)}`) % 62n ** 8n));
    }
  });

  test('is known by the SHA-256 of the whole of it', () => {
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('a damaged key is recognised without I/O', () => {
  const key = newKey('test');

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

  test.each([
    ['of no mode', `svc_demo_${'0'.repeat(36)}`],
    ['with a secret too long', `svc_test_${'0'.repeat(37)}`],
    ['with a secret too short', `svc_test_${'0'.repeat(35)}`],
    ['after something else', ` svc_test_${'0'.repeat(36)}`],
  ])('and so is one %s, for all that its checksum is right', (_what, unsigned) => {
    expect(parseApiKey(unsigned + encodeBase62(crc32(unsigned), 6))).toBeUndefined();
  });
});

describe('a key of another stage, or of nobody', () => {
  const read = (key: string, secrets = both) => readCredentials(`Bearer ${key}`, secrets);

  test('is invalid, however right its checksum is; one tagged under any of the secrets is not', () => {
    const key = newKey('test');
    expect(read(key)).toEqual(parseApiKey(key));
    expect(read(newKey('test', oldest))).not.toBe('invalid');
    expect(read(key, oldest)).toBe('invalid');
    expect(read(newKey('test', oldest), newest)).toBe('invalid');
  });

  test('is what a key becomes by any change of its mode, its project, its secret or its tag', () => {
    const key = newKey('test');
    expect(read(withChecksum(key.slice(0, 45).replace('test', 'live')))).toBe('invalid');
    for (let i = 9; i < 45; i++) {
      const forged = withChecksum(key.slice(0, i) + (key.charAt(i) === 'x' ? 'y' : 'x') + key.slice(i + 1, 45));
      expect(parseApiKey(forged)).toBeDefined();
      expect(read(forged)).toBe('invalid');
    }
  });
});

describe('the secrets of key tags', () => {
  test.each([
    ['none', ''],
    ['a short one', 'x'.repeat(31)],
    ['a short one among others', `${NEW},${'x'.repeat(31)}`],
    ['an empty one at the end', `${NEW},`],
    ['one with a space', ` ${NEW}`],
    ['what CloudFormation should have filled in', '{{resolve:secretsmanager:arn:SecretString:::}}'],
  ])('are refused without being shown when there is %s', (_what, text) => {
    expect(() => readKeyTagSecrets('KEY_TAG_SECRETS', text)).toThrow(
      'KEY_TAG_SECRETS must be one or more secrets, newest first, with commas between: each at least 32 characters of base62 or base64.',
    );
  });

  test('show nothing of themselves, however they are printed', () => {
    expect(inspect(both, { depth: 9, showHidden: true }) + JSON.stringify(both)).not.toMatch(/secret-of/);
  });
});

describe('what is shown of a key', () => {
  const key = newKey('live');

  test('in a text is nothing, wherever and however often it stands there, right or wrong', () => {
    const wrong = `svc_test_${'0'.repeat(42)}`;
    expect(withoutApiKeys(`${key}, x${key}${wrong}0 and\n"${wrong}"`)).toBe('svc_…, xsvc_…svc_…0 and\n"svc_…"');
    expect(withoutApiKeys('svc_test_short')).toBe('svc_test_short');
  });
});

describe('random base62', () => {
  test('gives every character equally often', () => {
    const counts = new Map<string, number>();
    for (const c of randomBase62(620_000, randomBytes)) counts.set(c, (counts.get(c) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 10,000 each; six standard deviations are 595.
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(595);
  });
});
