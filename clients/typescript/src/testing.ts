import { randomBytes } from 'node:crypto';
import type { Result } from './client.ts';
import type { Limit } from './limits.ts';
import type { SandboxManagement } from './management.ts';
import type { Notice } from './notices.ts';
import { PROBLEMS, type ErrorCode } from './problems.ts';
import { secretBytes, signatureOf } from './signature.ts';
import type { Ping } from './types.ts';

/** For tests of a program that uses this library: answers of the gateway, deliveries, and what was charged. */

/** What an answer shall have in place of what it has by itself. */
export type AnswerOverrides = Partial<Pick<Result<unknown>, 'requestId' | 'replayed' | 'rateLimit' | 'quota'>> & {
  /** Members of the body. */
  readonly data?: Partial<Ping>;
};

const inAnHour = (limit: number): Limit => ({
  limit,
  remaining: limit - 1,
  resetsAt: new Date(1_000 * Math.ceil(Date.now() / 1_000 + 3_600)),
});

/** The gateway's answer to a ping, as a `fetch` gives it; without limits where they are null. */
export function answer(overrides: AnswerOverrides = {}): Response {
  const { replayed = false, rateLimit = inAnHour(60), quota = inAnHour(10_000), data } = overrides;
  const { requestId = data?.requestId ?? crypto.randomUUID() } = overrides;
  const body = { ok: true, mode: 'sandbox', message: 'Sandbox gateway is ready.', ...data, requestId };
  const headers = {
    ...ofEach(requestId),
    'Content-Type': 'application/json',
    ...headersOf('X-RateLimit', rateLimit),
    ...headersOf('X-Service-Quota', quota),
    ...(quota && { 'X-Service-Quota-Metric': 'request_units' }),
    ...(replayed && { 'X-Service-Idempotency-Replayed': 'true' }),
  };
  return new Response(JSON.stringify(body), { headers });
}

/** The gateway's refusal with this code; `retryAfter` in seconds. */
export function problem(code: ErrorCode, { retryAfter }: { readonly retryAfter?: number | undefined } = {}): Response {
  const known = Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code] : undefined;
  if (known === undefined)
    throw new TypeError(`The gateway has no such code; it has ${Object.keys(PROBLEMS).join(', ')}.`);
  const requestId = crypto.randomUUID();
  return new Response(JSON.stringify({ ...known.body, requestId }), {
    status: known.body.status,
    headers: {
      ...ofEach(requestId),
      ...known.headers,
      ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    },
  });
}

const ofEach = (requestId: string) => ({ 'X-Service-Request-Id': requestId, 'Cache-Control': 'no-store' });
const headersOf = (prefix: 'X-RateLimit' | 'X-Service-Quota', limit: Limit | null) =>
  limit && {
    [`${prefix}-Limit`]: String(limit.limit),
    [`${prefix}-Remaining`]: String(limit.remaining),
    [`${prefix}-Reset`]: String(Math.floor(limit.resetsAt.getTime() / 1_000)),
  };

/** A notice; its time may be left out. */
export type SignedNotice = Notice extends infer Each
  ? Each extends Notice
    ? Omit<Each, 'timestamp'> & Partial<Pick<Each, 'timestamp'>>
    : never
  : never;

/** A delivery of the notice, as the portal sends it; `now` is the time that it is signed with. */
export function signWebhook(
  notice: SignedNotice,
  secret: string,
  { now = new Date() }: { readonly now?: Date | undefined } = {},
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
  const { type, timestamp = now.toISOString(), data } = notice;
  const body = JSON.stringify({ type, timestamp, data });
  const id = `ntc_${randomBytes(8).toString('hex')}`;
  const at = String(Math.floor(now.getTime() / 1_000));
  const signature = `v1,${signatureOf(secretBytes(secret), id, at, body).toString('base64')}`;
  const headers = { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature };
  return { body, headers: { 'content-type': 'application/json', ...headers } };
}

/** Requests of one name. */
export interface Charges {
  /** That were executed, and cost units. */
  readonly charged: number;
  /** That got the stored answer of another one, and cost nothing. */
  readonly replayed: number;
  /** That were refused, or failed, and cost nothing. */
  readonly refused: number;
}

/** What the ledger has of the requests of this name (`clientRequestId`), such as those of one test. */
export async function charges(
  management: SandboxManagement,
  projectId: string,
  clientRequestId: string,
): Promise<Charges> {
  const counts = { charged: 0, replayed: 0, refused: 0 };
  for await (const { units, event } of management.requests.list(projectId, { clientRequestId })) {
    if (units > 0) counts.charged++;
    else if (event === 'idempotency_replay') counts.replayed++;
    else counts.refused++;
  }
  return counts;
}
