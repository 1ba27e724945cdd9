import fc from 'fast-check';
import { CODE_POINT } from '../code-points.ts';
import { unknownKey } from '../keys.ts';
import { TEST_OPERATIONS } from '../test-operation.ts';

/** It is in every hostile case; no refusal, header or log line may contain it. */
export const MARKER = 'h0stile-m4rker';
/** A well-formed key. */
const KEY = unknownKey('Project00001');

/** Bytes as a `latin1` text of the same length, so that cases are JSON that can be pasted. */
const bytesOf = (text: string, encoding: BufferEncoding = 'utf8'): string =>
  Buffer.from(text, encoding).toString('latin1');

const anyBytes = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

/** Text that breaks code which trusts its input. */
export const nastyText = fc
  .oneof(
    fc.constantFrom(
      ...['', ' ', '\t', '\0', 'a\0b', '\r\nX-Injected: 1', '%0d%0aX-Injected:%201', '\n', '\u2028', '\uFEFF', 'null'],
      ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'undefined', 'NaN', '-1', '1e400'],
      ...["'; DROP TABLE Usage;--", '${jndi:ldap://x}', '{{7*7}}', '<script>alert(1)</script>', '../../etc/passwd'],
      ...['KEY#x', 'PROJECT#x', ':rpm', '#slot', '😀', 'é', 'ﷺ'.repeat(50), 'A'.repeat(300), 'A'.repeat(9_000)],
    ),
    fc.string({ unit: CODE_POINT, maxLength: 30 }),
    anyBytes,
  )
  .map((text) => `${MARKER}${text}`);

const objectText = (members: string): string => `{${members}}`;

const filled =
  (before: string, repeated: string, after = '') =>
  (size: number): string =>
    before + repeated.repeat((size - before.length - after.length) / Buffer.byteLength(repeated)) + after;

/** Bodies of a given size that cause much work in code that scans its input again for each part. */
export const LABORIOUS: readonly ((size: number) => string)[] = [
  // Zeros in each place of a number that may have them.
  ...['1', '-1', '0.', '1.', '1e', '1E-'].map((start) => filled(`{"a":${start}`, '0', '1}')),
  ...[filled('{"a":1', '0', '}'), filled('{"a":-1', '0', '1.5}'), filled('{"a":1.', '0', 'e9}')],
  ...['9', '0.', '-'].map((repeated) => filled('{"a":1', repeated, '}')),
  ...['10,', '-0,', '"",', '[],', '{},', ' '].map((repeated) => filled('{"a":[', repeated, '1]}')),
  ...['x', '\\"', '\\\\', '\\u0000', 'é', '😀'].map((repeated) => filled('{"clientRequestId":"', repeated, '"}')),
  ...[filled('{"a":"', '\\"'), filled('', '"'), filled('', '['), filled('', '{"a":'), filled('{', '"a":1,', '"b":1}')],
  (size) => objectText(Array.from({ length: size / 12 }, (_, index) => `"k${10_000 + index}":1`).join()),
];
const marked = JSON.stringify(MARKER);

/** A member that an operation reads. */
const member = fc.constantFrom(...new Set(TEST_OPERATIONS.flatMap(({ members }) => members)));

/** Bodies as bytes: correct, almost correct, and completely wrong. */
export const body: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('{}', `{"clientRequestId":${marked}}`, `{"other":${marked}}`) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(
        ...['', 'null', '[]', '1', '{', '{}{}', '{"a":}', '\uFEFF{}', '{"a":"\0"}', '{"a":"\\u0000"}', "{'a':1}"],
        ...['{"__proto__":{"clientRequestId":1}}', '{"__proto__":null}', '{"constructor":{"prototype":{"ok":true}}}'],
        ...['{"toString":1,"valueOf":2,"toJSON":3}', '{"clientRequestId":{"toString":1}}', '{"clientRequestId":[]}'],
        ...['{"a":1,"a":2}', '{"__proto__":1,"__proto__":2}', '{"a":"\\ud800"}', '{"\\udfff":1}', '{"n":1e400}'],
        ...['{"n":-0}', '{"n":9007199254740993}', `{"clientRequestId":"${KEY}"}`, `{"a":${'9'.repeat(5_000)}}`],
        ...[nested('[', ']', 9_000), nested('{"a":', '}', 3_000), `{"a":${nested('[', ']', 31)}}`],
        ...[`{"a":"${'x'.repeat(16_384 - 8)}"}`, `{"a":"${'x'.repeat(16_385 - 8)}"}`, `{"a":"${'\\'.repeat(8_000)}"}`],
        ...[`{"clientRequestId":"${'😀'.repeat(129)}"}`, `{${'"a":1,'.repeat(2_000)}"b":1}`],
      )
      .map((text) => bytesOf(text)),
  },
  { weight: 1, arbitrary: fc.constantFrom(...LABORIOUS).map((ofSize) => bytesOf(ofSize(16_384))) },
  { weight: 1, arbitrary: fc.constantFrom('{}', `{"a":${marked}}`).map((text) => bytesOf(text, 'utf16le')) },
  { weight: 1, arbitrary: fc.constantFrom('{"\xff":1}', '\xc3\x28', '\xed\xa0\x80', '{"a":"\xf8\x88\x80\x80\x80"}') },
  { weight: 1, arbitrary: fc.nat(200_000).map((size) => objectText(`"a":"${'x'.repeat(size)}"`)) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 6 }).map((text) => bytesOf(objectText(`"a":${text},"b":${marked}`))) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        member,
        fc.oneof(
          nastyText,
          nastyText.map((text) => [{ text }]),
          nastyText.map((text) => ({ [text]: 1 })),
        ),
      )
      .map(([name, value]) => bytesOf(JSON.stringify({ [name]: value }))),
  },
  { weight: 1, arbitrary: anyBytes },
);

/** `Authorization` values, most of them with valid keys. */
export const authorization = fc.oneof(
  { weight: 12, arbitrary: fc.constant(`Bearer ${KEY}`) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...[`bearer  ${KEY} `, `Bearer ${KEY},Bearer ${KEY}`, `Basic ${KEY}`, KEY, `Bearer ${KEY}0`, 'Bearer', 'Bearer '],
      ...['', `Bearer "${KEY}"`, `Bearer\t${KEY}`, `Bearer ${KEY}\0`, `Bearer ${KEY} x`],
    ),
  },
  { weight: 1, arbitrary: nastyText.map((text) => `Bearer ${text}`) },
);

/** `Content-Type` values. */
export const contentType = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('application/json', 'application/json; charset=utf-8') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...['', 'text/plain', 'application/json, text/html', 'application/jsonx', 'multipart/form-data; boundary=x'],
      ...['application/json; charset=utf-16', 'APPLICATION/JSON;', 'application/problem+json', `${MARKER}/json`],
    ),
  },
);

/** `Idempotency-Key` values; few of them are valid, so that requests share them. */
export const idempotencyKey = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(`${MARKER}-1`, `${MARKER}-2`) },
  fc.constantFrom('x'.repeat(255), 'x'.repeat(256), '', 'a b', 'é', 'a,b', 'REPLAY#x'),
  nastyText,
);

export const origin = fc.constantFrom(
  ...['http://localhost:5173', 'null', '*', `https://${MARKER}.example`, 'http://localhost:5173.evil.test', '', ' '],
  ...['HTTP://LOCALHOST:5173', 'http://localhost:5173/', 'http://localhost:5173,http://x', 'file://', '\0'],
);
