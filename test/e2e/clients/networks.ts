import { gzipSync } from 'node:zlib';
import {
  asGateway,
  bytesOf,
  ECHOED,
  ECHOED_IN_ESCAPES,
  type Answer,
  type Step,
  type Wire,
} from '../../support/clients/raw-server.ts';

/**
 * Broken networks and hostile answers, and what a call comes to in each: the same in both libraries. Behind the server
 * of a case is a real gateway, so `units` are those of the ledger.
 *
 * A library is driven by a small program, `test/support/clients/driver.mjs`, `driver.py sync` and `driver.py async`. Each line of its standard
 * input is one call in JSON:
 *
 *     {"options": {"apiKey", "baseURL", "timeoutMs", "maxRetries"}, "request": {"clientRequestId", "simulate"}, "call": {"idempotencyKey"}}
 *
 * where each member may be absent. Calls with the same options are made with one client, so that its connections are
 * used again. It does not wait between attempts. Each line of its standard output is what a call came to:
 *
 *     {"waitsMs": [], "result": {"message", "requestId", "idempotencyKey", "replayed", "rateLimit", "quota"}, "error": null, "shown": ""}
 *     {"waitsMs": [], "result": null, "error": {"class", "status", "code", "detail", "message", "requestId", "idempotencyKey", "retryable", "rateLimit", "quota"}, "shown": ""}
 *
 * `waitsMs` are what `onRetry` was told. A limit is `{"limit", "remaining", "resetsAt"}` with `resetsAt` in seconds since
 * the epoch, or null. `class` is the class of the error, and for an argument that is refused `TypeError` or `ValueError`
 * with `message` only. `shown` is everything that a person could see of the result or the error: printed, with
 * traceback, causes and local variables of the library's frames, headers, and as the language stores objects.
 *
 * What both libraries do:
 *
 * - An attempt fails with `TIMED_OUT` when its whole answer is not there within the timeout; with `ANSWER_TOO_LARGE`
 *   when that is more than 1,000,000 bytes; with `UNEXPECTED_ANSWER` when it is compressed, which no request allows, or
 *   is not the gateway's; else with `CONNECTION_FAILED`. The second and third have the status of the answer.
 * - The class follows the status: 401 `AuthenticationError`, 403 `PermissionDeniedError`, 409 `ConflictError`, 429
 *   `QuotaExceededError` by code or else `RateLimitError`, any other 4xx `BadRequestError`, 5xx `InternalServerError`;
 *   any other status and none are `APIConnectionError`, and `TIMED_OUT` is its subclass `APITimeoutError`.
 * - Retryable: as `X-Should-Retry` says, else no answer, 408, 5xx, a 429 that is no quota, and a 2xx that cannot be
 *   read. Two retries, unless told.
 * - A wait is `Retry-After` (seconds or a date; 0 where it cannot be read) and a random part below 0.5 s, then 1 s, up
 *   to 8 s. More than 60 s of `Retry-After` is raised at once.
 * - A code is `[A-Z][A-Z0-9_]*`, at most 64; another is `UNEXPECTED_ANSWER`. A detail is cut after 500 characters.
 */
export interface Case {
  readonly name: string;
  /** Each attempt meets the next one; after the last the gateway answers. */
  readonly steps: readonly Step[];
  readonly address?: 'ipv6' | 'nobody listens' | 'https' | 'a path';
  readonly options?: { readonly timeoutMs?: number; readonly maxRetries?: number };
  readonly simulate?: string;
  /** How many calls one client makes, one after the other. Absent: 1. The last is the one that is looked at. */
  readonly calls?: number;
  readonly expected: Expected;
}

interface Expected {
  /** Requests of which the server saw at least a byte, of all calls. */
  readonly attempts: number;
  /** Seconds before each retry, without the random part. */
  readonly waitsSeconds: readonly number[];
  readonly outcome: 'success' | 'replay' | Failure;
  /** Units charged by the ledger. */
  readonly units: number;
  /** What the message of the error has in it. */
  readonly says?: string;
  /** Where the limits of a success cannot be read. */
  readonly limits?: null;
}

interface Failure {
  readonly class: string;
  readonly status: number | null;
  readonly code: string;
  readonly retryable: boolean;
}

type Way = (wire: Wire, answer: Answer) => void | Promise<void>;

/** The gateway executes the request; then its answer goes this way. */
const executed = (way: Way): Step => ({ run: async (wire) => way(wire, await wire.gateway()) });
/** Of the gateway's answer come these bytes; then the connection ends. */
const cutOff = (bytes: readonly [from: number, to?: number], how: 'reset' | 'end'): Step =>
  executed(async (wire, answer) => {
    await wire.write(bytesOf(answer).subarray(...bytes));
    wire[how]();
  });
/** The request is read, and nobody executes it. */
const unexecuted = (run: Step['run']): Step => ({ run });

const plain = (status: number, headers: Readonly<Record<string, string>>, body: string | Buffer): Buffer =>
  bytesOf({
    status,
    reason: 'Of the test',
    headers: Object.entries({ 'Content-Length': String(Buffer.byteLength(body)), ...headers }),
    body: Buffer.from(body),
  });
/** Answers without the gateway. The connection stays open. */
const answers = (status: number, headers: Readonly<Record<string, string>>, body: string | Buffer): Step =>
  unexecuted((wire) => wire.write(plain(status, headers, body)));
const problem = (status: number, code: string, headers: Readonly<Record<string, string>> = {}, detail = 'No.'): Step =>
  answers(
    status,
    { 'Content-Type': 'application/problem+json', 'X-Service-Request-Id': REQUEST_ID, ...headers },
    JSON.stringify({ type: 'urn:x', title: 'No', status, detail, ok: false, code, requestId: REQUEST_ID }),
  );
const apiGateway = (status: number, message: string): Step =>
  answers(status, { 'Content-Type': 'application/json' }, JSON.stringify({ message }));
const page = (status: number, headers: Readonly<Record<string, string>> = {}): Step =>
  answers(status, { 'Content-Type': 'text/html', ...headers }, '<html><body>Not what you look for</body></html>');
/** Writes these bytes as they are, and ends the connection. */
const writes = (bytes: string | Buffer): Step =>
  unexecuted(async (wire) => {
    await wire.write(bytes);
    wire.end();
  });

const REQUEST_ID = '01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d';
const reset: Step = unexecuted((wire) => wire.reset());
const silent: Step = unexecuted(() => undefined);
const resetAtFirstByte: Step = { atFirstByte: true, run: (wire) => wire.reset() };
/** The gateway's answer with other headers. */
const withHeaders = (others: Readonly<Record<string, string>>): Step =>
  executed((wire, answer) => {
    const names = Object.keys(others).map((name) => name.toLowerCase());
    const kept = answer.headers.filter(([name]) => !names.includes(name.toLowerCase()));
    return wire.write(bytesOf({ ...answer, headers: [...kept, ...Object.entries(others)] }));
  });
const retryAfter = (value: string): Step => problem(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': value });
const inSeconds = (seconds: number): Step =>
  unexecuted((wire) => {
    // A date has no parts of a second: never earlier than told.
    const at = new Date(1_000 * Math.ceil(Date.now() / 1_000 + seconds));
    return retryAfter(at.toUTCString()).run(wire);
  });
const LARGE_BYTES = 5_000_000;
const BOMB = gzipSync(Buffer.alloc(50_000_000, ' '));
const endless: Step = unexecuted(async (wire) => {
  await wire.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
  while (wire.isOpen()) await wire.write(chunk);
});

const failed = (code: 'CONNECTION_FAILED' | 'TIMED_OUT'): Failure => ({
  class: code === 'TIMED_OUT' ? 'APITimeoutError' : 'APIConnectionError',
  status: null,
  code,
  retryable: true,
});
const NOT_THE_GATEWAYS = { code: 'UNEXPECTED_ANSWER' } as const;
const TOO_LARGE = { class: 'APIConnectionError', status: 200, code: 'ANSWER_TOO_LARGE', retryable: true } as const;
const ENCODED = { ...TOO_LARGE, ...NOT_THE_GATEWAYS };

/** The first attempts fail as told, and none was executed; the last one is charged. */
const after = (attempts: number, waitsSeconds: readonly number[] = Array<number>(attempts - 1).fill(0)): Expected => ({
  attempts,
  waitsSeconds,
  outcome: 'success',
  units: 1,
});
/** The first attempt was executed and its answer lost; the second one gets it. */
const REPLAYED: Expected = { attempts: 2, waitsSeconds: [0], outcome: 'replay', units: 1 };
/** The call fails after so many attempts. */
const fails = (attempts: number, outcome: Failure, says = ''): Expected => ({
  attempts,
  waitsSeconds: Array<number>(Math.max(attempts - 1, 0)).fill(0),
  outcome,
  units: 0,
  says,
});
const refused = (className: string, status: number, code: string, says?: string): Expected =>
  fails(1, { class: className, status, code, retryable: code === 'SERVICE_UNAVAILABLE' }, says);
const met = (name: string, steps: readonly Step[], expected: Expected, more: Partial<Case> = {}): Case => ({
  name,
  steps,
  expected,
  ...more,
});
const thrice = (step: Step): readonly Step[] => Array<Step>(3).fill(step);
const WITHIN_A_SECOND = { options: { timeoutMs: 1_000 } };
const WITHIN_A_SECOND_TWICE = { options: { timeoutMs: 1_000, maxRetries: 1 } };
/** The gateway's answer without its length. */
const withoutLength = (way: (wire: Wire, answer: Answer) => Promise<void>): Step =>
  executed(async (wire, answer) => {
    await way(wire, { ...answer, headers: answer.headers.filter(([name]) => name !== 'content-length') });
    wire.end();
  });

/** Connections, and time. */
export const CONNECTIONS: readonly Case[] = [
  met('an answer of the gateway', [asGateway], after(1)),
  met('a gateway at an IPv6 address', [asGateway], after(1), { address: 'ipv6' }),
  met('a gateway below a path, with a slash at its end', [asGateway], after(1), { address: 'a path' }),
  met(
    'nobody listens',
    [],
    { ...fails(0, failed('CONNECTION_FAILED'), 'ECONNREFUSED'), waitsSeconds: [0, 0] },
    { address: 'nobody listens' },
  ),
  met(
    'https, where the server speaks http',
    thrice({ atFirstByte: true, run: (wire) => wire.write('HTTP/1.1 400 Bad Request\r\n\r\n') }),
    fails(3, failed('CONNECTION_FAILED')),
    { address: 'https' },
  ),
  met('a reset at the first byte of the request', [resetAtFirstByte], after(2)),
  met('a reset each time', thrice(reset), fails(3, failed('CONNECTION_FAILED'))),
  met('an end of the connection without an answer', [writes('')], after(2)),
  met('a reset after the execution', [executed((wire) => wire.reset())], REPLAYED),
  met('a reset within the headers', [cutOff([0, 60], 'reset')], REPLAYED),
  met('a reset within the body', [cutOff([0, -20], 'reset')], REPLAYED),
  met('an end within the body', [cutOff([0, -20], 'end')], REPLAYED),
  met(
    'chunks without the last one',
    [
      withoutLength((wire, { headers, body, ...answer }) => {
        const chunk = Buffer.from(`${body.length.toString(16)}\r\n${body.toString()}\r\n`);
        return wire.write(bytesOf({ ...answer, headers: [...headers, ['transfer-encoding', 'chunked']], body: chunk }));
      }),
    ],
    REPLAYED,
  ),
  met('a connection that ends after the answer', [cutOff([0], 'end')], { ...after(2, []), units: 2 }, { calls: 2 }),
  met(
    'a kept connection that is reset by the next request',
    [asGateway, resetAtFirstByte],
    { ...after(3, [0]), units: 2 },
    { calls: 2 },
  ),
  met(
    'HTTP/1.0 without a length',
    [
      withoutLength((wire, answer) =>
        wire.write(Buffer.from(bytesOf(answer).toString('latin1').replace('HTTP/1.1', 'HTTP/1.0'), 'latin1')),
      ),
    ],
    after(1),
  ),
  met(
    'early hints before the answer',
    [
      executed(async (wire, answer) => {
        await wire.write('HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n');
        await wire.write(bytesOf(answer));
      }),
    ],
    after(1),
  ),

  // Time. The gateway's own answers come in some milliseconds.
  met('silence each time', [silent, silent], fails(2, failed('TIMED_OUT')), WITHIN_A_SECOND_TWICE),
  met('silence after the execution', [executed(() => undefined)], REPLAYED, WITHIN_A_SECOND),
  met('an answer that drips', [executed((wire, answer) => wire.drip(bytesOf(answer), 50))], REPLAYED, WITHIN_A_SECOND),
  met(
    'a body that drips each time',
    Array<Step>(2).fill(
      unexecuted(async (wire) => {
        await wire.write('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n');
        await wire.drip(' '.repeat(500), 50);
      }),
    ),
    fails(2, failed('TIMED_OUT')),
    WITHIN_A_SECOND_TWICE,
  ),
];

/** Answers that another may give. What a client makes of headers and codes is in its own suite, too. */
export const ANSWERS: readonly Case[] = [
  // Lengths.
  met('an answer of 5 MB', [answers(200, {}, Buffer.alloc(LARGE_BYTES, ' '))], after(2)),
  met('a gzip bomb each time', thrice(answers(200, { 'Content-Encoding': 'gzip' }, BOMB)), fails(3, ENCODED)),
  met('an endless answer each time', thrice(endless), fails(3, TOO_LARGE)),
  met(
    'endless headers',
    [
      unexecuted(async (wire) => {
        await wire.write('HTTP/1.1 200 OK\r\n');
        for (let line = 0; wire.isOpen(); line++) await wire.write(`X-${line}: ${'x'.repeat(1_000)}\r\n`);
      }),
    ],
    after(2),
  ),
  met('a gzip that is none', [answers(200, { 'Content-Encoding': 'gzip' }, '{"ok":true}')], after(2)),
  ...[
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 11\r\n\r\n{"ok":true}'],
    ['a length below zero', 'Content-Length: -1\r\n\r\n{"ok":true}'],
    ['a chunk that is none', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n{"ok":true}\r\n'],
  ].map(([name = '', rest = '']) => met(name, [writes(`HTTP/1.1 200 OK\r\n${rest}`)], after(2))),
  met('a length that is too small', [withHeaders({ 'Content-Length': '20' })], REPLAYED),

  // Answers of others.
  met('a 204', [executed((wire) => wire.write('HTTP/1.1 204 No Content\r\n\r\n'))], REPLAYED),
  met(
    'a redirect',
    [page(307, { Location: 'http://127.0.0.1:9/elsewhere' })],
    refused('APIConnectionError', 307, 'UNEXPECTED_ANSWER', 'redirect'),
  ),
  met(
    'a page of 200 each time, as of a portal',
    thrice(page(200)),
    fails(3, { ...NOT_THE_GATEWAYS, class: 'APIConnectionError', status: 200, retryable: true }, 'base'),
  ),
  met('API Gateway’s own 429', [apiGateway(429, 'Too Many Requests')], after(2)),
  met(
    'API Gateway’s own 504 each time',
    thrice(apiGateway(504, 'Endpoint request timed out')),
    fails(3, { ...NOT_THE_GATEWAYS, class: 'InternalServerError', status: 504, retryable: true }),
  ),
  met(
    'API Gateway’s own 403',
    [apiGateway(403, 'Forbidden')],
    refused('PermissionDeniedError', 403, 'UNEXPECTED_ANSWER'),
  ),
  met('a 404 of the portal', [problem(404, 'NOT_FOUND')], refused('BadRequestError', 404, 'NOT_FOUND', 'base')),
  met('brackets a hundred thousand deep', [answers(200, {}, '['.repeat(100_000))], after(2)),

  // Refusals. Which codes there are, and that each is raised once, networks.test.ts asks the gateway itself.
  met(
    'each kind of failure once, and a code of a later version',
    [
      problem(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '31' }),
      problem(503, 'OUT_OF_ORDER', { 'Retry-After': '1' }),
      problem(500, 'INTERNAL_ERROR'),
      executed((wire) => wire.reset()),
    ],
    { ...after(5, [31, 1, 0, 0]), outcome: 'replay' },
    { options: { maxRetries: 4 } },
  ),
  met('an answer that is asked to be lost', [], { ...REPLAYED, waitsSeconds: [1] }, { simulate: 'ANSWER_LOST' }),

  met('a 408 of a proxy', [page(408)], after(2)),
  met(
    'a code of a later version that says that it comes again',
    [problem(503, 'OUT_OF_ORDER', { 'X-Should-Retry': 'false' })],
    fails(1, { class: 'InternalServerError', status: 503, code: 'OUT_OF_ORDER', retryable: false }),
  ),
  met('one that says that it may go', [problem(409, 'BUSY', { 'X-Should-Retry': 'true' })], after(2)),

  // Headers.
  ...[
    ['with parameters', { 'X-RateLimit-Limit': '60;w=60', 'X-Service-Quota-Remaining': '9,999' }],
    [
      'that begin anew after all time',
      { 'X-RateLimit-Reset': '9'.repeat(30), 'X-Service-Quota-Reset': '9'.repeat(15) },
    ],
    ['below zero, and in parts', { 'X-RateLimit-Remaining': '-1', 'X-Service-Quota-Limit': '1.5' }],
  ].map(([name, headers]) =>
    met(`limits ${name as string}`, [withHeaders(headers as Record<string, string>)], { ...after(1), limits: null }),
  ),
  met('Retry-After as a date', [inSeconds(30)], after(2, [30])),
  met('Retry-After as a date that is over', [retryAfter('Wed, 21 Oct 2015 07:28:00 GMT')], after(2)),
  met('Retry-After that is none', [retryAfter('-5'), retryAfter('soon')], after(3)),
  met('Retry-After of a minute', [retryAfter('60')], after(2, [60])),
  ...['61', '9'.repeat(400), 'Fri, 31 Dec 2100 23:59:59 GMT'].map((value) =>
    met(
      `Retry-After of more than a minute: ${value.slice(0, 12)}`,
      [retryAfter(value)],
      refused('InternalServerError', 503, 'SERVICE_UNAVAILABLE'),
    ),
  ),

  // Hostile texts. The key in them is put there by the server, from the request (raw-server.ts).
  met(
    'a detail with the key in escapes',
    [
      answers(
        401,
        { 'X-Service-Request-Id': REQUEST_ID },
        `{"ok":false,"code":"INVALID_API_KEY","detail":"You sent ${ECHOED_IN_ESCAPES} and ${ECHOED}."}`,
      ),
    ],
    refused('AuthenticationError', 401, 'INVALID_API_KEY'),
  ),
  met(
    'an id of the request and a code with the key',
    [problem(403, ECHOED, { 'X-Service-Request-Id': ECHOED, 'X-Other': ECHOED })],
    refused('PermissionDeniedError', 403, 'UNEXPECTED_ANSWER'),
  ),
  ...[
    ['a status line with the key', `${ECHOED} 200 OK\r\n\r\n`],
    ['half an answer with the key', `HTTP/1.1 200 ${ECHOED}\r\nContent-Length: 999\r\n\r\n${ECHOED}`],
    ['a header with the key that is none', `HTTP/1.1 200 OK\r\n${ECHOED}\r\n\r\n`],
  ].map(([name = '', bytes = '']) => met(name, thrice(writes(bytes)), fails(3, failed('CONNECTION_FAILED')))),
  met(
    'a detail that writes into the terminal',
    [problem(400, 'INVALID_REQUEST', {}, '\u001b]0;title\u0007\u001b[2J\u009b\u202e\r\n\u2028')],
    refused(
      'BadRequestError',
      400,
      'INVALID_REQUEST',
      '\\u001b]0;title\\u0007\\u001b[2J\\u009b\\u202e\\u000d\\u000a\\u2028',
    ),
  ),
  met(
    'a detail of 900,000 characters',
    [problem(400, 'INVALID_REQUEST', {}, 'x'.repeat(900_000))],
    refused('BadRequestError', 400, 'INVALID_REQUEST'),
  ),
];
