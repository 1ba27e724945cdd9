import { expect, test } from '@jest/globals';
import { conveysApiKey } from '../../functions/shared/credentials/credential-text.ts';
import { GatewayError } from '../../functions/shared/http/errors.ts';
import { readMeteredRequest, type RawRequest } from '../../functions/shared/request/metered-request.ts';
import type { MeteredOperation } from '../../functions/shared/request/operation.ts';
import { OPERATIONS } from '../../functions/gateway/operations/index.ts';
import { ping } from '../../functions/gateway/operations/ping.ts';
import { openapi, resolve, type Schema } from '../../portal/build/openapi.ts';
import { matches } from '../../local/openapi/validation.ts';
import { unknownKey } from '../support/keys.ts';
import { operationOf, operations } from '../support/openapi.ts';

/** The code of the refusal that a request causes by its form; null for none. */
function refusal(request: Partial<RawRequest>, operation: MeteredOperation = ping): string | null {
  const defaults = { contentType: 'application/json', idempotencyKey: undefined, body: Buffer.from('{}') };
  const read = readMeteredRequest(operation, { ...defaults, ...request });
  return read instanceof GatewayError ? read.code : null;
}

/** The limit in a text of the contract. */
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

/** Values for a member, inside and outside its schema. */
function valuesFor({ minimum = 1, maximum = 99, maxLength = 128 }: Schema = {}): unknown[] {
  const key = unknownKey('Project00001');
  const texts = ['', 'order-7', ...['x', '😀'].flatMap((unit) => [unit.repeat(maxLength), unit.repeat(maxLength + 1)])];
  const keys = [key, `my ${key.replace('test', 'live')}!`, key.slice(0, -1), key.replace('test', 'demo')];
  const numbers = [minimum - 1, minimum, maximum, maximum + 1, 0.5];
  return [...texts, ...keys, ...numbers, null, true, {}, [], [key], { key }];
}

test.each(OPERATIONS)('a body of $name is taken exactly when it is one by the schema', (operation) => {
  const { requestBody } = operations.find(({ path, security }) => path === operation.path && !security) ?? {};
  const { schema, examples = {} } = requestBody?.content['application/json'] ?? {};
  const { properties = {} } = resolve(schema ?? { $ref: '' }) as Schema;
  const right = Object.values(examples).map((example) => resolve(example));
  const bodies = right.flatMap(({ value }) => [
    value,
    ...[...operation.members, ...Object.keys(properties), 'other'].flatMap((name) => [
      { ...(value as object), [name]: undefined },
      ...valuesFor(properties[name]).map((given) => ({ ...(value as object), [name]: given })),
    ]),
  ]);
  for (const body of [...bodies, [], null, 'text', 7]) {
    const text = JSON.stringify(body);
    // A key in a member that no schema lists is refused by the description alone.
    const isElsewhere = conveysApiKey(JSON.stringify((Object(body) as { other?: unknown }).other ?? null));
    const documented = matches(schema?.$ref ?? '', JSON.parse(text)) && !isElsewhere;
    const refused = conveysApiKey(text) ? 'INVALID_REQUEST' : refusal({ body: Buffer.from(text) }, operation);
    expect([body, refused]).toEqual([body, documented ? null : 'INVALID_REQUEST']);
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
