import fc from 'fast-check';
import { HEALTH_PATH } from '../../../functions/shared/names.ts';
import { httpEvent } from '../http.ts';
import { TEST_OPERATIONS } from '../test-operation.ts';
import { authorization, body, contentType, idempotencyKey, MARKER, nastyText, origin } from './texts.ts';

const method = fc.oneof(
  { weight: 6, arbitrary: fc.constant('POST') },
  { weight: 2, arbitrary: fc.constantFrom('GET', 'OPTIONS', 'HEAD', 'post', '', MARKER) },
);
const path = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TEST_OPERATIONS.map(({ path }) => path)) },
  { weight: 2, arbitrary: fc.constantFrom(HEALTH_PATH, '', '/', '/%zz', '__proto__', `/${MARKER}`) },
);
const casing = (name: string): fc.Arbitrary<string> => fc.mixedCase(fc.constant(name));

/** A value of a wrong type. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, 0, -1, 1e308, NaN, true, '', [], {}, [[]], { length: 1e9 }, ['a', null]),
  fc.constantFrom<unknown>(
    JSON.parse('{"__proto__":{"http":null},"constructor":1,"toString":null}'),
    'A'.repeat(100_000),
  ),
  nastyText,
);

const headers = fc
  .tuple(
    fc.tuple(casing('authorization'), authorization),
    fc.tuple(casing('content-type'), contentType),
    fc.option(fc.tuple(casing('idempotency-key'), idempotencyKey)),
    fc.option(fc.tuple(casing('origin'), origin)),
    fc.array(
      fc.tuple(fc.constantFrom('__proto__', 'constructor', 'toString', 'cookie', 'expect', 'origin', ''), junk),
      {
        maxLength: 2,
      },
    ),
  )
  .map(([key, type, idempotency, from, others]) =>
    Object.fromEntries([...others, key, type, ...(idempotency ? [idempotency] : []), ...(from ? [from] : [])]),
  );

const event = fc
  .record({ method, path, headers, body, base64: fc.boolean(), damage: fc.boolean() })
  .map(({ method, path, headers, body, base64, damage }) => {
    const bytes = Buffer.from(body, 'latin1');
    const encoded = base64 ? bytes.toString('base64') : bytes.toString();
    return {
      ...httpEvent({ method, path }),
      headers,
      isBase64Encoded: base64,
      body: damage ? `${encoded}=%` : encoded,
    };
  });

/** An event with one member missing or of another type, at the top or in its context. */
const brokenEvent = fc
  .tuple(
    event,
    fc.constantFrom(
      ...['version', 'routeKey', 'rawPath', 'rawQueryString', 'headers', 'body', 'isBase64Encoded', 'requestContext'],
      ...['cookies', 'queryStringParameters', 'pathParameters', 'http', 'requestId', 'method'],
    ),
    junk,
  )
  .map(([whole, name, value]) => {
    const { requestContext } = whole;
    if (name === 'method') return { ...whole, requestContext: { ...requestContext, http: { method: value } } };
    if (name in requestContext) return { ...whole, requestContext: { ...requestContext, [name]: value } };
    return { ...whole, [name]: value };
  });

/** An event of payload format 1.0, which an HTTP API would send with such a setting. */
const olderEvent = event.map(({ headers, body, isBase64Encoded, rawPath, requestContext }) => ({
  version: '1.0',
  resource: rawPath,
  path: rawPath,
  httpMethod: requestContext.http.method,
  headers,
  body,
  multiValueHeaders: null,
  isBase64Encoded,
  requestContext: { requestId: MARKER, stage: '$default' },
}));

/** Events: from correct ones with hostile content to values that are no events. */
export const eventCase: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: event },
  { weight: 5, arbitrary: brokenEvent },
  { weight: 1, arbitrary: olderEvent },
  { weight: 1, arbitrary: junk },
);
