import type { ProjectIds } from '../api/queries.ts';
import { API_KEY } from '../keys/key-form.ts';
import { sendPing, type Ping, type PingAnswer } from '../keys/ping.ts';
import type { OutcomeName } from '../requests/outcomes.ts';
import { pages } from '../routes.ts';
import type { PingResult } from './simulating.tsx';

const SIMULATE = 'simulate';
const HEALTH_PATH = '/api/v1/health';
/** Long enough for a reachable gateway. */
const LOOK_MS = 4_000;
/** What a ping costs (`openapi.yaml`, sendPing). */
const PING_UNITS = '1 unit';

/** The members of a JSON object. Undefined: the text is no object. */
function membersIn(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value of `simulate` can be put into it. */
export const isObject = (body: string): boolean => membersIn(body) !== undefined;

/** The value of `simulate` in a body. Empty: none. */
export function simulationIn(body: string): string {
  const value = membersIn(body)?.[SIMULATE];
  return typeof value === 'string' ? value : '';
}

/** The body with another value of `simulate`, or without one. A body that is no object is replaced. */
export function withSimulation(body: string, value: string): string {
  const { [SIMULATE]: _, ...others } = membersIn(body) ?? {};
  return JSON.stringify(value === '' ? others : { ...others, [SIMULATE]: value });
}

/** A new Idempotency-Key. */
export const newOrder = (): string => `order-${crypto.randomUUID().slice(0, 8)}`;

/** The same request under a new Idempotency-Key, or without one if it had none. */
export const withNewOrder = (ping: Ping): Ping => ({
  ...ping,
  idempotencyKey: ping.idempotencyKey === '' ? '' : newOrder(),
});

const NO_KEY = 'This holds an API key. Take it out: the page has a key of its own.';

/** The error of each field before the request. What the gateway itself refuses is sent. */
export const problemsOf = ({
  body,
  idempotencyKey,
}: Ping): Readonly<Record<'body' | 'idempotencyKey', string | null>> => ({
  idempotencyKey: API_KEY.test(idempotencyKey)
    ? NO_KEY
    : /[^ -~]/.test(idempotencyKey)
      ? 'A browser does not send such characters in a header. Use letters, digits and signs of ASCII.'
      : null,
  body: API_KEY.test(body) ? NO_KEY : null,
});

/** Why there is no answer. */
export type Unanswered = 'offline' | 'blocked' | 'none';

/** Sends a ping. Without an answer it returns the reason. */
export async function send(gatewayUrl: string, key: string, ping: Ping): Promise<PingAnswer | Unanswered> {
  try {
    return await sendPing(gatewayUrl, key, ping);
  } catch {
    if (!navigator.onLine) return 'offline';
    // Without CORS an answer cannot be read, but its existence can be known.
    const isThere = await reaches(gatewayUrl, 'no-cors');
    return isThere && !(await reaches(gatewayUrl, 'cors')) ? 'blocked' : 'none';
  }
}

const reaches = (gatewayUrl: string, mode: RequestMode): Promise<boolean> =>
  fetch(gatewayUrl + HEALTH_PATH, {
    mode,
    credentials: 'omit',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(LOOK_MS),
  }).then(
    () => true,
    () => false,
  );

/** The result of a request, with its address in the list of its project. */
export function resultOf(
  answer: PingAnswer | Unanswered,
  ping: Ping,
  { accountId, projectId }: ProjectIds,
): PingResult {
  if (typeof answer === 'string') return { words: 'Not known whether it was charged' };
  const requestId = answer.headers.find(([name]) => name === 'X-Service-Request-Id')?.[1];
  const verdict = verdictOn(answer, ping);
  // A failure has no event. A simulated one has.
  const isListed = requestId !== undefined && verdict.outcome !== undefined;
  const address = isListed ? pages.request(accountId, projectId, { requestId }) : undefined;
  return { ...verdict, status: answer.status, address };
}

/** The charge that an answer shows. A failure of the gateway shows none. */
function verdictOn({ status, code, headers }: PingAnswer, { body }: Ping): Pick<PingResult, 'outcome' | 'words'> {
  const has = (name: string): boolean => headers.some(([header, value]) => header === name && value === 'true');
  if (has('X-Service-Simulated')) {
    const isCharged = simulationIn(body) === 'ANSWER_LOST';
    return { outcome: 'simulated', words: `Simulated, ${isCharged ? PING_UNITS : '0 units'}` };
  }
  if (has('X-Service-Idempotency-Replayed')) return { outcome: 'idempotency_replay', words: 'Replayed, 0 units' };
  if (status === 200) return { outcome: 'request_succeeded', words: `Charged, ${PING_UNITS}` };
  if (status >= 500) return { outcome: undefined, words: 'Not known whether it was charged' };
  return { outcome: refusalOf(code), words: 'Refused, 0 units' };
}

function refusalOf(code: string | undefined): OutcomeName {
  switch (code) {
    case 'RATE_LIMIT_EXCEEDED':
      return 'rate_limit_rejected';
    case 'QUOTA_EXCEEDED':
    case 'KEY_QUOTA_EXCEEDED':
      return 'quota_rejected';
    case 'IDEMPOTENCY_CONFLICT':
      return 'idempotency_conflict';
    default:
      return 'request_rejected';
  }
}
