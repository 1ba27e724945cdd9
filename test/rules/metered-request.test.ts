import { describe, expect, test } from '@jest/globals';
import { GatewayError } from '../../functions/shared/http/errors.ts';
import * as v from 'valibot';
import { meteredOperation, SIMULATIONS } from '../../functions/shared/request/operation.ts';
import { readMeteredRequest } from '../../functions/shared/request/metered-request.ts';
import { ping } from '../../functions/gateway/operations/ping.ts';
import { MARKER } from '../support/hostile/texts.ts';
import { TEST_OPERATIONS, triple } from '../support/test-operation.ts';

const NO_JSON = 'The request body is not valid JSON.';
const NO_OBJECT = 'The request body must be a JSON object.';
const INEXACT = 'The request body holds a number that a double-precision value cannot represent.';
const NO_UNICODE = 'The request body holds text that is not valid Unicode.';

test.each<[string, string | Uint8Array]>([
  ['The request body is empty; send at least {}.', ''],
  ['The request body is not valid UTF-8.', Buffer.from([0x7b, 0xff, 0x7d])],
  ...['{"canary"', '{}{}', '\uFEFF{}', 'canary'].map((text): [string, string] => [NO_JSON, text]),
  ...['[]', 'null', '"canary"', '1', 'true'].map((text): [string, string] => [NO_OBJECT, text]),
  ['The request body is nested deeper than 32 levels.', `{"a":${'['.repeat(32)}${']'.repeat(32)}}`],
  ['The request body names a member twice.', '{"canary":1,"canary":2}'],
  ...['1e400', '[0.1,9007199254740993]'].map((value): [string, string] => [INEXACT, `{"canary":${value}}`]),
  ...['{"a":["\\ud800"]}', '{"a":{"\\udc00":1}}'].map((text): [string, string] => [NO_UNICODE, text]),
  ['clientRequestId must be a string.', '{"clientRequestId":null}'],
  ['clientRequestId must be at most 128 characters.', `{"clientRequestId":"${'canary'.repeat(22)}"}`],
])('the caller is told what is wrong, in words of ours only: %s %#', (detail, body) => {
  expect(detailOf(ping, body)).toBe(detail);
});

/** The detail of a refused body; undefined if it is accepted. */
function detailOf(operation: Parameters<typeof readMeteredRequest>[0], body: string | Uint8Array): string | undefined {
  const request = { contentType: 'application/json', idempotencyKey: undefined, body: Buffer.from(body as string) };
  const refusal = readMeteredRequest(operation, request);
  if (!(refusal instanceof GatewayError)) return undefined;
  expect(refusal.code).toBe('INVALID_REQUEST');
  return refusal.detail;
}

describe('an operation that has no message for a check', () => {
  const { string, number, object } = v;
  const careless = meteredOperation({ ...triple, body: { text: string(), more: object({ size: number() }) } });

  test.each([
    ['text is missing.', {}],
    ['text is not valid.', { text: 7 }],
    ['more is missing.', { text: 'a' }],
    ['more is not valid.', { text: 'a', more: 7 }],
    ['more is not valid.', { text: 'a', more: {} }],
    ['more is not valid.', { text: 'a', more: { size: MARKER } }],
  ])('says that %s', (detail, body) => {
    expect(detailOf(careless, JSON.stringify(body))).toBe(detail);
  });
});

describe('an operation for live keys', () => {
  const live = meteredOperation({ ...triple, requires: { ...triple.requires, mode: 'live' }, body: {} });

  test.each([...SIMULATIONS, '', null, {}])('simulates nothing: simulate %j is refused', (simulate) => {
    expect(detailOf(live, JSON.stringify({ simulate }))).toBe('simulate is for test keys only.');
  });

  test('is what it is without it', () => {
    expect(detailOf(live, '{"clientRequestId":"a"}')).toBeUndefined();
  });
});

describe.each(TEST_OPERATIONS)('$name', (operation) => {
  const key = `svc_live_${'0'.repeat(42)}`;
  const values: unknown[] = [
    MARKER,
    key,
    -1e300,
    null,
    true,
    [MARKER],
    [[]],
    { [MARKER]: MARKER },
    { [MARKER]: 7 },
    [{}],
    {},
  ];
  values.push(...[MARKER, 7, null, key].flatMap((value) => [[{ text: value }], { text: value }]));
  values.push('😀'.repeat(4_000));

  test.each(operation.members.map((name) => [name]))('tells nothing of what is sent as %s', (name) => {
    for (const value of values) {
      const detail = detailOf(operation, JSON.stringify({ [name]: value }));
      // The library's own texts say what was expected and what was received.
      if (detail !== undefined) expect(detail).not.toMatch(/invalid|expected|received|object|h0stile|svc_|😀|\d{3},/i);
    }
  });
});
