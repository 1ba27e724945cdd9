import { expect, test } from '@jest/globals';
import { GatewayError } from '../../functions/core/errors.ts';
import { readMeteredRequest } from '../../functions/core/metered-request.ts';
import { ping } from '../../functions/operations/ping.ts';

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
  ['clientRequestId must not hold an API key.', `{"clientRequestId":"svc_test_${'0'.repeat(42)}"}`],
])('the caller is told what is wrong, in words of ours only: %s %#', (detail, body) => {
  const refusal = readMeteredRequest(ping, {
    contentType: 'application/json',
    idempotencyKey: undefined,
    body: Buffer.from(body as string),
  });
  expect(refusal).toBeInstanceOf(GatewayError);
  expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', detail });
});
