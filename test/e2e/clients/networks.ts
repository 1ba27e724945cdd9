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
 *     {"waitsMs": [], "result": {"message", "requestId", "replayed", "rateLimit", "quota"}, "error": null, "shown": ""}
 *     {"waitsMs": [], "result": null, "error": {"class", "status", "code", "detail", "message", "requestId", "retryable", "rateLimit", "quota"}, "shown": ""}
 *
 * `waitsMs` are what `onRetry` was told. A limit is `{"limit", "remaining", "resetsAt"}` with `resetsAt` in seconds since
 * the epoch, or null. `class` is the class of the error, and for an argument that is refused `TypeError` or `ValueError`
 * with `message` only. `shown` is everything that a person could see of the result or the error: printed, with
 * traceback, causes and local variables of the library's frames, headers, and as the language stores objects.
 *
 * What both libraries do:
 *
 * - An attempt fails with `TIMED_OUT` when its whole answer is not there within the timeout; with `ANSWER_TOO_LARGE`
 *   when that is more than 1,000,000 bytes after decompression; with `UNEXPECTED_ANSWER` when it
 *   is not the gateway's; else with `CONNECTION_FAILED`. The second and third have the status of the answer.
 * - The class follows the status: 401 `AuthenticationError`, 403 `PermissionDeniedError`, 409 `ConflictError`, 429
 *   `QuotaExceededError` by code or else `RateLimitError`, any other 4xx `BadRequestError`, 5xx `InternalServerError`;
 *   any other status and none are `APIConnectionError`, and `TIMED_OUT` is its subclass `APITimeoutError`.
 * - Retryable: no answer, 5xx, a 429 that is no quota, and a 2xx that cannot be read. Two retries, unless told.
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
const NOT_THE_GATEWAYS = { code: 'UNEXPECTED_ANSWER', retryable: false } as const;
const TOO_LARGE = { class: 'APIConnectionError', status: 200, code: 'ANSWER_TOO_LARGE', retryable: true } as const;

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
const fails = (attempts: number, outcome: Failure, says?: string): Expected => ({
  attempts,
  waitsSeconds: Array<number>(Math.max(attempts - 1, 0)).fill(0),
  outcome,
  units: 0,
  ...(says !== undefined && { says }),
});

/** Connections, and time. */
export const CONNECTIONS: readonly Case[] = [
  { name: 'an answer of the gateway', steps: [asGateway], expected: after(1) },
  { name: 'a gateway at an IPv6 address', address: 'ipv6', steps: [asGateway], expected: after(1) },
  {
    name: 'a gateway below a path, with a slash at its end',
    address: 'a path',
    steps: [asGateway],
    expected: after(1),
  },
  {
    name: 'nobody listens',
    address: 'nobody listens',
    steps: [],
    expected: { ...fails(0, failed('CONNECTION_FAILED'), 'ECONNREFUSED'), waitsSeconds: [0, 0] },
  },
  {
    name: 'https, where the server speaks http',
    address: 'https',
    steps: Array<Step>(3).fill({ atFirstByte: true, run: (wire) => wire.write('HTTP/1.1 400 Bad Request\r\n\r\n') }),
    expected: fails(3, failed('CONNECTION_FAILED')),
  },
  { name: 'a reset at the first byte of the request', steps: [resetAtFirstByte], expected: after(2) },
  { name: 'a reset after the request', steps: [reset], expected: after(2) },
  { name: 'a reset each time', steps: [reset, reset, reset], expected: fails(3, failed('CONNECTION_FAILED')) },
  { name: 'an end of the connection without an answer', steps: [writes('')], expected: after(2) },
  { name: 'a reset after the execution', steps: [executed((wire) => wire.reset())], expected: REPLAYED },
  {
    name: 'a reset within the headers',
    steps: [cutOff([0, 60], 'reset')],
    expected: REPLAYED,
  },
  {
    name: 'a reset within the body',
    steps: [cutOff([0, -20], 'reset')],
    expected: REPLAYED,
  },
  {
    name: 'an end within the body',
    steps: [cutOff([0, -20], 'end')],
    expected: REPLAYED,
  },
  {
    name: 'chunks without the last one',
    steps: [
      executed(async (wire, { headers, body, ...answer }) => {
        const others = headers.filter(([name]) => name !== 'content-length');
        const chunked = [...others, ['transfer-encoding', 'chunked']] as const;
        const chunk = Buffer.from(`${body.length.toString(16)}\r\n${body.toString()}\r\n`);
        await wire.write(bytesOf({ ...answer, headers: chunked, body: chunk }));
        wire.end();
      }),
    ],
    expected: REPLAYED,
  },
  {
    name: 'a connection that ends after the answer',
    steps: [cutOff([0], 'end')],
    calls: 2,
    expected: { ...after(2, []), units: 2 },
  },
  {
    name: 'a kept connection that is reset by the next request',
    steps: [asGateway, resetAtFirstByte],
    calls: 2,
    expected: { ...after(3, [0]), units: 2 },
  },
  {
    name: 'HTTP/1.0 without a length',
    steps: [
      executed(async (wire, { headers, ...answer }) => {
        const others = headers.filter(([name]) => name !== 'content-length');
        const bytes = bytesOf({ ...answer, headers: others }).toString('latin1');
        await wire.write(Buffer.from(bytes.replace('HTTP/1.1', 'HTTP/1.0'), 'latin1'));
        wire.end();
      }),
    ],
    expected: after(1),
  },
  {
    name: 'early hints before the answer',
    steps: [
      executed(async (wire, answer) => {
        await wire.write('HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n');
        await wire.write(bytesOf(answer));
      }),
    ],
    expected: after(1),
  },

  // Time. The gateway's own answers come in some milliseconds.
  {
    name: 'silence each time',
    steps: [silent, silent],
    options: { timeoutMs: 1_000, maxRetries: 1 },
    expected: fails(2, failed('TIMED_OUT')),
  },
  {
    name: 'silence after the execution',
    steps: [executed(() => undefined)],
    options: { timeoutMs: 1_000 },
    expected: REPLAYED,
  },
  {
    name: 'an answer that drips',
    steps: [executed((wire, answer) => wire.drip(bytesOf(answer), 50))],
    options: { timeoutMs: 1_000 },
    expected: REPLAYED,
  },
  {
    name: 'a body that drips each time',
    steps: Array<Step>(2).fill(
      unexecuted(async (wire) => {
        await wire.write('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n');
        await wire.drip(' '.repeat(500), 50);
      }),
    ),
    options: { timeoutMs: 1_000, maxRetries: 1 },
    expected: fails(2, failed('TIMED_OUT')),
  },
];

/** Answers that another may give. */
export const ANSWERS: readonly Case[] = [
  // Lengths.
  { name: 'an answer of 5 MB', steps: [answers(200, {}, Buffer.alloc(LARGE_BYTES, ' '))], expected: after(2) },
  {
    name: 'a gzip bomb each time',
    steps: Array<Step>(3).fill(answers(200, { 'Content-Encoding': 'gzip' }, BOMB)),
    expected: fails(3, TOO_LARGE),
  },
  { name: 'an endless answer each time', steps: Array<Step>(3).fill(endless), expected: fails(3, TOO_LARGE) },
  {
    name: 'endless headers',
    steps: [
      unexecuted(async (wire) => {
        await wire.write('HTTP/1.1 200 OK\r\n');
        for (let line = 0; wire.isOpen(); line++) await wire.write(`X-${line}: ${'x'.repeat(1_000)}\r\n`);
      }),
    ],
    expected: after(2),
  },
  {
    name: 'a gzip that is none',
    steps: [answers(200, { 'Content-Encoding': 'gzip' }, '{"ok":true}')],
    expected: after(2),
  },
  {
    name: 'two lengths',
    steps: [writes('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 11\r\n\r\n{"ok":true}')],
    expected: after(2),
  },
  {
    name: 'a length below zero',
    steps: [writes('HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{"ok":true}')],
    expected: after(2),
  },
  { name: 'a length that is too small', steps: [withHeaders({ 'Content-Length': '20' })], expected: REPLAYED },
  {
    name: 'a chunk that is none',
    steps: [writes('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{"ok":true}\r\n')],
    expected: after(2),
  },

  // Answers of others.
  { name: 'a 204', steps: [executed((wire) => wire.write('HTTP/1.1 204 No Content\r\n\r\n'))], expected: REPLAYED },
  {
    name: 'a redirect',
    steps: [page(307, { Location: 'http://127.0.0.1:9/elsewhere' })],
    expected: fails(1, { ...NOT_THE_GATEWAYS, class: 'APIConnectionError', status: 307 }, 'redirect'),
  },
  {
    name: 'a page of 200 each time, as of a portal',
    steps: [page(200), page(200), page(200)],
    expected: fails(3, { ...NOT_THE_GATEWAYS, class: 'APIConnectionError', status: 200, retryable: true }, 'base'),
  },
  { name: 'API Gateway’s own 429', steps: [apiGateway(429, 'Too Many Requests')], expected: after(2) },
  { name: 'API Gateway’s own 503', steps: [apiGateway(503, 'Service Unavailable')], expected: after(2) },
  {
    name: 'API Gateway’s own 504 each time',
    steps: [1, 2, 3].map(() => apiGateway(504, 'Endpoint request timed out')),
    expected: fails(3, { ...NOT_THE_GATEWAYS, class: 'InternalServerError', status: 504, retryable: true }),
  },
  {
    name: 'API Gateway’s own 403',
    steps: [apiGateway(403, 'Forbidden')],
    expected: fails(1, { ...NOT_THE_GATEWAYS, class: 'PermissionDeniedError', status: 403 }),
  },
  {
    name: 'API Gateway’s own 404',
    steps: [apiGateway(404, 'Not Found')],
    expected: fails(1, { ...NOT_THE_GATEWAYS, class: 'BadRequestError', status: 404 }, 'base'),
  },
  {
    name: 'a 404 of the portal',
    steps: [problem(404, 'NOT_FOUND')],
    expected: fails(1, { class: 'BadRequestError', status: 404, code: 'NOT_FOUND', retryable: false }, 'base'),
  },
  { name: 'a proxy’s page of 502', steps: [page(502)], expected: after(2) },
  {
    name: 'a firewall’s page of 403',
    steps: [page(403)],
    expected: fails(1, { ...NOT_THE_GATEWAYS, class: 'PermissionDeniedError', status: 403 }),
  },
  {
    name: 'brackets a hundred thousand deep',
    steps: [answers(200, {}, '['.repeat(100_000))],
    expected: after(2),
  },

  // Refusals. Which codes there are, and that each is raised once, networks.test.ts asks the gateway itself.
  {
    name: 'a rate limit',
    steps: [problem(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '31' })],
    expected: after(2, [31]),
  },
  ...['QUOTA_EXCEEDED', 'KEY_QUOTA_EXCEEDED'].map((code) => ({
    name: `a used-up quota: ${code}`,
    steps: [problem(429, code, { 'Retry-After': '5' })],
    expected: fails(1, { class: 'QuotaExceededError', status: 429, code, retryable: false }),
  })),
  {
    name: 'a code of a later version',
    steps: [problem(503, 'OUT_OF_ORDER', { 'Retry-After': '2' })],
    expected: after(2, [2]),
  },
  {
    name: 'a failure that is asked for',
    steps: [],
    simulate: 'SERVICE_UNAVAILABLE',
    expected: fails(1, { class: 'InternalServerError', status: 503, code: 'SERVICE_UNAVAILABLE', retryable: true }),
  },
  {
    name: 'an answer that is asked to be lost',
    steps: [],
    simulate: 'ANSWER_LOST',
    expected: { ...REPLAYED, waitsSeconds: [1] },
  },
  {
    name: 'each kind of failure once',
    steps: [
      problem(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '31' }),
      retryAfter('1'),
      problem(500, 'INTERNAL_ERROR'),
      executed((wire) => wire.reset()),
    ],
    options: { maxRetries: 4 },
    expected: { ...after(5, [31, 1, 0, 0]), outcome: 'replay' },
  },
  {
    name: 'no retries, when told so',
    steps: [retryAfter('1')],
    options: { maxRetries: 0 },
    expected: fails(1, { class: 'InternalServerError', status: 503, code: 'SERVICE_UNAVAILABLE', retryable: true }),
  },
  {
    name: 'seven retries, when told so',
    steps: Array<Step>(8).fill(reset),
    options: { maxRetries: 7 },
    expected: fails(8, failed('CONNECTION_FAILED')),
  },

  // Headers.
  {
    name: 'limits with parameters',
    steps: [withHeaders({ 'X-RateLimit-Limit': '60;w=60', 'X-Service-Quota-Remaining': '9,999' })],
    expected: { ...after(1), limits: null },
  },
  {
    name: 'limits that begin anew after all time',
    steps: [withHeaders({ 'X-RateLimit-Reset': '9'.repeat(30), 'X-Service-Quota-Reset': '999999999999999' })],
    expected: { ...after(1), limits: null },
  },
  {
    name: 'limits below zero, in parts and in other digits',
    steps: [withHeaders({ 'X-RateLimit-Remaining': '-1', 'X-Service-Quota-Limit': '1.5' })],
    expected: { ...after(1), limits: null },
  },
  { name: 'Retry-After in seconds', steps: [retryAfter('31')], expected: after(2, [31]) },
  { name: 'Retry-After as a date', steps: [inSeconds(30)], expected: after(2, [30]) },
  {
    name: 'Retry-After as a date that is over',
    steps: [retryAfter('Wed, 21 Oct 2015 07:28:00 GMT')],
    expected: after(2),
  },
  { name: 'Retry-After that is none', steps: [retryAfter('-5'), retryAfter('soon')], expected: after(3) },
  { name: 'Retry-After of a minute', steps: [retryAfter('60')], expected: after(2, [60]) },
  ...['61', '9'.repeat(400), 'Fri, 31 Dec 2100 23:59:59 GMT'].map((value) => ({
    name: `Retry-After of more than a minute: ${value.slice(0, 12)}`,
    steps: [retryAfter(value)],
    expected: fails(1, { class: 'InternalServerError', status: 503, code: 'SERVICE_UNAVAILABLE', retryable: true }),
  })),

  // Hostile texts. The key in them is put there by the server, from the request (raw-server.ts).
  {
    name: 'a detail with the key',
    steps: [problem(400, 'INVALID_REQUEST', {}, `You sent ${ECHOED}.`)],
    expected: fails(1, { class: 'BadRequestError', status: 400, code: 'INVALID_REQUEST', retryable: false }),
  },
  {
    name: 'a detail with the key in escapes',
    steps: [
      answers(
        401,
        { 'X-Service-Request-Id': REQUEST_ID },
        `{"ok":false,"code":"INVALID_API_KEY","detail":"You sent ${ECHOED_IN_ESCAPES}."}`,
      ),
    ],
    expected: fails(1, { class: 'AuthenticationError', status: 401, code: 'INVALID_API_KEY', retryable: false }),
  },
  {
    name: 'an id of the request and a code with the key',
    steps: [problem(403, ECHOED, { 'X-Service-Request-Id': ECHOED, 'X-Other': ECHOED })],
    expected: fails(1, { ...NOT_THE_GATEWAYS, class: 'PermissionDeniedError', status: 403 }),
  },
  {
    name: 'a status line with the key',
    steps: Array<Step>(3).fill(writes(`${ECHOED} 200 OK\r\n\r\n`)),
    expected: fails(3, failed('CONNECTION_FAILED')),
  },
  {
    name: 'half an answer with the key',
    steps: Array<Step>(3).fill(writes(`HTTP/1.1 200 ${ECHOED}\r\nContent-Length: 999\r\n\r\n${ECHOED}`)),
    expected: fails(3, failed('CONNECTION_FAILED')),
  },
  {
    name: 'a header with the key that is none',
    steps: Array<Step>(3).fill(writes(`HTTP/1.1 200 OK\r\n${ECHOED}\r\n\r\n`)),
    expected: fails(3, failed('CONNECTION_FAILED')),
  },
  {
    name: 'a detail that writes into the terminal',
    steps: [problem(400, 'INVALID_REQUEST', {}, '\u001b]0;title\u0007\u001b[2J\u009b\u202e\r\n\u2028')],
    expected: fails(
      1,
      { class: 'BadRequestError', status: 400, code: 'INVALID_REQUEST', retryable: false },
      '\\u001b]0;title\\u0007\\u001b[2J\\u009b\\u202e\\u000d\\u000a\\u2028',
    ),
  },
  {
    name: 'a detail of 900,000 characters',
    steps: [problem(400, 'INVALID_REQUEST', {}, 'x'.repeat(900_000))],
    expected: fails(1, { class: 'BadRequestError', status: 400, code: 'INVALID_REQUEST', retryable: false }),
  },
];
