import fc from 'fast-check';
import { OPERATIONS } from '../../../functions/operations/index.ts';
import { PING_PATH } from '../../../functions/operations/ping.ts';
import { HEALTH_PATH } from '../../../functions/wiring.ts';
import { authorization, body, contentType, idempotencyKey, MARKER, nastyText, origin } from './texts.ts';

/** What a hostile client does on one connection. Bytes stand as the `latin1` text of them. */
export interface HttpCase {
  /** Written one after another, with a pause between. */
  readonly writes: readonly string[];
  /** `end`: it ends its side and waits for answers; `abort`: it is gone after its last byte. */
  readonly ending: 'end' | 'abort';
}

interface Request {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  /** Whole lines. */
  readonly headers: readonly string[];
  readonly framing: (typeof FRAMINGS)[number];
  readonly body: string;
}

const FRAMINGS = [
  ...Array<'length'>(20).fill('length'),
  ...(['chunked', 'chunked', 'chunked', 'none', 'tooShort', 'tooLong', 'twice', 'lengthAndChunked'] as const),
  ...(['notANumber', 'chunkedWrong', 'chunkedUnfinished', 'unknownCoding'] as const),
] as const;

const method = fc.oneof(
  { weight: 20, arbitrary: fc.constant('POST') },
  { weight: 3, arbitrary: fc.constantFrom('OPTIONS', 'GET') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...['GET', 'OPTIONS', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'CONNECT', 'PROPFIND', 'M-SEARCH', 'PRI'],
      ...['post', 'POST ', '', 'GET\0', MARKER, 'G'.repeat(500)],
    ),
  },
);
const target = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...OPERATIONS.map(({ path }) => path)) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...[
        HEALTH_PATH,
        `${PING_PATH}/`,
        `/${PING_PATH}`,
        `${PING_PATH}?api_key={key}`,
        `${PING_PATH}#${MARKER}`,
        '*',
        '',
      ],
      ...[
        `http://x${PING_PATH}`,
        `http://{key}@x${PING_PATH}`,
        'example.com:443',
        `/api/v1/%73andbox/ping`,
        '/%zz',
        '/%',
      ],
      ...['/%00', '/%ff%fe', '/\xff', '/..%2f..%2fetc/passwd', '/api/v1/../v1/health', '/__proto__', '/constructor'],
      ...[
        `${PING_PATH}?${'a=b&'.repeat(500)}`,
        `/${'a'.repeat(8_000)}`,
        `/${'a'.repeat(12_000)}`,
        '/?__proto__=1&%zz=%',
      ],
      ...[`${PING_PATH}?a=b?c=d&&==&%E0%A4%A`, `${PING_PATH};x=1`, '\\', '//', `/${MARKER}`, '/ two words'],
    ),
  },
);
const version = fc.oneof(
  { weight: 30, arbitrary: fc.constant('HTTP/1.1') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/9.9', 'http/1.1', 'HTTP/1.1 x', ''),
  },
);
const line = (name: string) => (value: string) => `${name}: ${value}`;
const headerLine = fc.oneof(
  { weight: 2, arbitrary: authorization.map(line('Authorization')) },
  { weight: 2, arbitrary: idempotencyKey.map(line('Idempotency-Key')) },
  { weight: 1, arbitrary: contentType.map(line('Content-Type')) },
  { weight: 1, arbitrary: origin.map(line('Origin')) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...['Cookie: key={key}; a=b;;=; __proto__=1', 'Expect: 100-continue', `Expect: ${MARKER}`, 'Upgrade: h2c'],
      ...['Connection: Upgrade\r\nUpgrade: websocket', 'Connection: close', 'Connection: keep-alive, x', ': x'],
      ...['Access-Control-Request-Method: POST', `Access-Control-Request-Headers: x, ${MARKER}`, 'Bad Name: x'],
      ...['Content-Encoding: gzip', 'Transfer-Encoding: gzip', 'Host:', `Host: ${MARKER}`, '__proto__: x', 'no colon'],
      ...[`X-Service-Request-Id: ${MARKER}`, 'X-HTTP-Method-Override: GET', 'constructor: x', 'Content-Length: 2'],
      ...[`X-Big: ${'x'.repeat(9_000)}`, `X-Bigger: ${'x'.repeat(20_000)}`, 'Folded: a\r\n b', 'X-Lf: a\nb: c'],
      ...['X-Cr: a\rb', 'Range: bytes=0-1', 'Authorization : Bearer {key}', 'Authorization: Bearer\r\n {key}'],
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('X-A', 'User-Agent', 'Host', 'Cookie'), nastyText)
      .map((parts) => parts.join(': ')),
  },
);
const usual = (arbitrary: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
  fc.oneof(
    { weight: 12, arbitrary: arbitrary.map((value) => [value]) },
    { weight: 1, arbitrary: fc.constant<string[]>([]) },
  );

const request: fc.Arbitrary<Request> = fc.record({
  method,
  target,
  version,
  headers: fc
    .tuple(
      usual(authorization.map(line('Authorization'))),
      usual(contentType.map(line('Content-Type'))),
      fc.oneof(fc.constant([]), fc.array(headerLine, { minLength: 1, maxLength: 4 })),
      usual(fc.constant('Host: gateway.test')),
      fc.oneof({ weight: 30, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(100, 1_500, 3_000) }),
    )
    .map(([key, type, others, host, many]) => [
      ...host,
      ...key,
      ...type,
      ...others,
      ...Array<string>(many).fill('a:b'),
    ]),
  framing: fc.constantFrom(...FRAMINGS),
  body,
});

/** What hostile clients do: from requests that are right but for one thing to bytes that are nothing at all. */
export const httpCase: fc.Arbitrary<HttpCase> = fc
  .record({
    bytes: fc.oneof(
      { weight: 12, arbitrary: request.map(bytesOfRequest) },
      {
        weight: 3,
        arbitrary: fc.array(request, { minLength: 2, maxLength: 4 }).map((all) => all.map(bytesOfRequest).join('')),
      },
      { weight: 2, arbitrary: fc.tuple(request.map(bytesOfRequest), fc.nat(), nastyText).map(damaged) },
      { weight: 1, arbitrary: nastyText },
    ),
    cuts: fc.oneof(
      { weight: 3, arbitrary: fc.constant<number[]>([]) },
      { weight: 1, arbitrary: fc.array(fc.nat(), { maxLength: 6 }) },
    ),
    ending: fc.oneof(
      { weight: 9, arbitrary: fc.constant('end' as const) },
      { weight: 1, arbitrary: fc.constant('abort' as const) },
    ),
  })
  .map(({ bytes, cuts, ending }) => ({ writes: cutUp(bytes, cuts), ending }));

function bytesOfRequest({ method, target, version, headers, framing, body }: Request): string {
  const [framingHeaders, framed] = frame(framing, body);
  return [`${method} ${target} ${version}`, ...headers, ...framingHeaders, '', framed].join('\r\n');
}

function frame(framing: Request['framing'], body: string): [string[], string] {
  const chunked = 'Transfer-Encoding: chunked';
  const size = body.length.toString(16);
  const chunk = body === '' ? '' : `${size}\r\n${body}\r\n`;
  const length = (value: number | string): string => `Content-Length: ${value}`;
  switch (framing) {
    case 'none':
      return [[], body];
    case 'length':
      return [[length(body.length)], body];
    case 'tooShort':
      return [[length(Math.max(0, body.length - 3))], body];
    case 'tooLong':
      return [[length(body.length + 5)], body];
    case 'twice':
      return [[length(body.length), length(body.length + 1)], body];
    case 'notANumber':
      return [[length(`+${body.length}, 0x2`)], body];
    case 'chunked':
      return [[chunked], `${chunk}0;x=y\r\nX-Trailer: ${MARKER}\r\n\r\n`];
    case 'lengthAndChunked':
      return [[length(body.length), chunked], `${chunk}0\r\n\r\n`];
    case 'chunkedWrong':
      return [[chunked], `${size}f\r\n${body}\r\n0\r\n\r\n`];
    case 'chunkedUnfinished':
      return [[chunked], chunk];
    case 'unknownCoding':
      return [['Transfer-Encoding: chunked, br'], body];
  }
}

/** Bytes with some put in, left out or cut off, somewhere. */
function damaged([bytes, place, junk]: readonly [string, number, string]): string {
  const at = place % (bytes.length + 1);
  if (place % 3 === 0) return bytes.slice(0, at);
  if (place % 3 === 1) return bytes.slice(0, at) + junk + bytes.slice(at);
  return bytes.slice(0, at) + bytes.slice(at + junk.length);
}

function cutUp(bytes: string, cuts: readonly number[]): string[] {
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return places.map((place, i) => bytes.slice(i === 0 ? 0 : places[i - 1], place));
}
