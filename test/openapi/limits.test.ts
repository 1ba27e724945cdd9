import { expect, test } from '@jest/globals';
import { GatewayError } from '../../functions/core/errors.ts';
import { readMeteredRequest, type RawRequest } from '../../functions/core/metered-request.ts';
import { ping } from '../../functions/operations/ping.ts';
import { openapi } from '../../local/openapi/document.ts';
import { matches } from '../../local/openapi/validation.ts';
import { unknownKey } from '../support/keys.ts';
import { operationOf } from '../support/openapi.ts';

/** The code of the refusal that a request earns by its form, null for none. */
function refusal(request: Partial<RawRequest>): string | null {
  const defaults = { contentType: 'application/json', idempotencyKey: undefined, body: Buffer.from('{}') };
  const read = readMeteredRequest(ping, { ...defaults, ...request });
  return read instanceof GatewayError ? read.code : null;
}

/** The limit that a text of the contract names. */
const limitIn = (text: string | undefined, pattern: RegExp): number => Number(pattern.exec(text ?? '')?.[1]);

test('a body may have the size that the contract names, and not a byte more', () => {
  const bytes = limitIn(operationOf('sendPing').requestBody?.description, /\((\d+) bytes\)/);
  expect(refusal({ body: Buffer.from('{}'.padEnd(bytes)) })).toBeNull();
  expect(refusal({ body: Buffer.from('{}'.padEnd(bytes + 1)) })).toBe('PAYLOAD_TOO_LARGE');
});

test('a body may nest as deep as the contract says, and no deeper', () => {
  const depth = limitIn(openapi.components.schemas.PingRequest?.description, /nested at most (\d+) deep/);
  const nested = (levels: number) => Buffer.from(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);
  expect(refusal({ body: nested(depth) })).toBeNull();
  expect(refusal({ body: nested(depth + 1) })).toBe('INVALID_REQUEST');
});

test('a ping is taken exactly when it is one by the schema', () => {
  const key = unknownKey('Project00001');
  const names = [
    ...[null, 7, {}, '', 'order-7', 'x'.repeat(128), 'x'.repeat(129), '😀'.repeat(128), '😀'.repeat(129)],
    ...[key, `my ${key.replace('test', 'live')}!`, key.slice(0, -1), key.replace('test', 'demo')],
  ];
  const pings = [{}, [], null, 'text', 7, { other: 1 }, ...names.map((clientRequestId) => ({ clientRequestId }))];
  for (const ping of pings) {
    const documented = matches('#/components/schemas/PingRequest', ping);
    expect([ping, refusal({ body: Buffer.from(JSON.stringify(ping)) })]).toEqual([
      ping,
      documented ? null : 'INVALID_REQUEST',
    ]);
  }
});

test('an Idempotency-Key is taken exactly when it is one by the schema', () => {
  const characters = Array.from({ length: 0x180 }, (_, code) => String.fromCodePoint(code));
  for (const idempotencyKey of ['', 'x'.repeat(255), 'x'.repeat(256), 'order 7', ...characters]) {
    const documented = matches('#/components/parameters/IdempotencyKey/schema', idempotencyKey);
    expect([idempotencyKey, refusal({ idempotencyKey })]).toEqual([
      idempotencyKey,
      documented ? null : 'INVALID_IDEMPOTENCY_KEY',
    ]);
  }
});
