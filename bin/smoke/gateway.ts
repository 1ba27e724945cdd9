import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { SandboxGateway } from '../../clients/typescript/src/index.ts';
import { limitOf } from '../../clients/typescript/src/limits.ts';
import { ping as operation } from '../../functions/gateway/operations/ping.ts';
import { HEADERS, HEALTH_PATH } from '../../functions/shared/names.ts';
import { generateApiKey, generateProjectId } from '../../functions/shared/credentials/api-key.ts';
import { SANDBOX_MODE } from '../../functions/shared/credentials/credential-text.ts';
import { mismatches, UNDOCUMENTED } from '../../local/openapi/validation.ts';
import { deviation, expectAll, outcomeOf, startRun, type Answer, type SmokeRequest } from './run.ts';

/** The name that API Gateway may give it (docs/api/errors.md, "Answers that are not the gateway's"). */
const REMAPPED_CHALLENGE = 'x-amzn-remapped-www-authenticate';

const { path: PING_PATH } = operation;
const NOWHERE = '/api/v1/nowhere';
const ping = (body: string, headers = {}, query = ''): SmokeRequest => {
  const all = { 'Content-Type': 'application/json', ...headers };
  return { method: 'POST', path: PING_PATH + query, headers: all, body };
};
/** What a browser sends before a page of this origin sends a key. */
const preflight = (Origin: string): SmokeRequest => {
  const asked = 'authorization,content-type,idempotency-key';
  const headers = { Origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': asked };
  return { method: 'OPTIONS', path: PING_PATH, headers };
};
/** Without `Vary` a cache could serve one origin's answer to another. */
const allowing = (origin: string | undefined) => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Allow-Credentials': undefined,
  Vary: /\borigin\b/i,
});

/** Throws the first deviation from `openapi.yaml`. Intermediaries may add headers. */
function expectDocumented(answer: Answer): void {
  const { request, text, body } = answer;
  const challenge = answer.headers[REMAPPED_CHALLENGE];
  const headers = { ...(challenge && { 'www-authenticate': challenge }), ...answer.headers };
  const [first] = mismatches(request.method ?? 'GET', request.path.replace(/\?.*/, ''), { ...answer, headers }).filter(
    ({ subject, expected }) => subject !== 'Vary' && (expected !== UNDOCUMENTED || /^body\b/.test(subject)),
  );
  if (first) throw deviation(first.subject, first.expected, first.actual);
  if (text !== '') expectAll(headers, { [HEADERS.requestId]: (body as { requestId: string }).requestId });
}

const REPLAYED = HEADERS.idempotencyReplayed.toLowerCase();
/** A request without an answer counts as charged. */
const unitsOf = ({ status, headers }: Answer): number =>
  status === 0 || (status === 200 && headers[REPLAYED] !== 'true') ? operation.units : 0;

/** The second key is that of a project without units; pages of the origin must be allowed to call. */
export type SmokeOptions = Readonly<{ key: string; exhaustedKey?: string | undefined; origin?: string | undefined }>;

/** Runs every check of a gateway. Throws an error of one line when there is no answer. */
export async function runSmoke(baseUrl: string, { key, exhaustedKey, origin }: SmokeOptions) {
  const { answers, answered, check, expectAnswer, report, send } = startRun(baseUrl, expectDocumented);
  await answered('health', { path: HEALTH_PATH }, '200');
  await answered('unknown path', { path: NOWHERE }, '404 NOT_FOUND');
  await answered('wrong method', { path: PING_PATH }, '405 METHOD_NOT_ALLOWED', { Allow: 'POST, OPTIONS' });
  // An origin that cannot exist (RFC 6761, section 6.4).
  await answered('foreign origin', preflight('https://foreign.invalid'), '204', allowing(undefined));
  if (origin !== undefined) {
    await answered('preflight', preflight(origin), '204', allowing(origin));
    await answered('allowed origin', { path: NOWHERE, headers: { Origin: origin } }, '404 NOT_FOUND', allowing(origin));
  }
  // Well-formed, and of no project: a log may show it. Its tag is under a secret that no stage has.
  const secrets = [createSecretKey(randomBytes(32))] as const;
  const unknown = generateApiKey(SANDBOX_MODE, generateProjectId(randomBytes), secrets, randomBytes);
  await answered('no key', ping('{}'), '401 MISSING_API_KEY');
  await answered('unknown key', { ...ping('{}'), key: unknown }, '401 INVALID_API_KEY');
  // If a key were read there, an unknown one would be invalid, and not missing. Access logs contain what is sent there.
  await answered('key in query string', ping('{}', {}, `?access_token=${unknown}`), '401 MISSING_API_KEY');
  await answered('key in cookie', ping('{}', { Cookie: `api_key=${unknown}` }), '401 MISSING_API_KEY');

  // Refusals of the input come before the ping, so that its charge is visible in the headers.
  const keyed = (body: string, headers = {}): SmokeRequest => ({ ...ping(body, headers), key });
  await answered('malformed JSON', keyed('{'), '400 INVALID_REQUEST');
  await answered('bad Idempotency-Key', keyed('{}', { 'Idempotency-Key': 'a b' }), '400 INVALID_IDEMPOTENCY_KEY');
  await answered('bad media type', keyed('{}', { 'Content-Type': 'text/plain' }), '415 UNSUPPORTED_MEDIA_TYPE');
  // One byte more than it takes, and no JSON: a service that accepts it has nothing to charge for.
  await answered('body too large', keyed('x'.repeat(16 * 1024 + 1)), '413 PAYLOAD_TOO_LARGE');
  let sending: Promise<Answer> | undefined;
  const fetch = async (_url: unknown, { body, headers }: RequestInit = {}): Promise<Response> => {
    sending = send(keyed(body as string, headers));
    const { text, ...answer } = await sending;
    return new Response(text, answer);
  };
  const client = new SandboxGateway({ apiKey: key, baseURL: baseUrl, maxRetries: 0, fetch });
  const idempotencyKey = `smoke-${randomUUID()}`;
  for (const [name, replayed] of Object.entries({ ping: undefined, replay: 'true' })) {
    await check(name, async () => {
      const result = await client
        .ping({ clientRequestId: 'smoke' }, { idempotencyKey })
        .catch((error: unknown) => error);
      if (sending) expectAnswer(await sending, '200', { [REPLAYED]: replayed });
      if (result instanceof Error) throw deviation('client library', 'a result', result.message);
      return '200';
    });
  }
  const other = keyed('{"clientRequestId":"other"}', { 'Idempotency-Key': idempotencyKey });
  await answered('conflict', other, '409 IDEMPOTENCY_CONFLICT');
  // With a new Idempotency-Key the gateway reads the replay record again, in a transaction: only this check notices a
  // missing permission for it.
  const last = ping('{}', { 'Idempotency-Key': `smoke-${randomUUID()}` });
  const usedUp = { [HEADERS.quotaRemaining]: '0' };
  if (exhaustedKey) await answered('exhausted quota', { ...last, key: exhaustedKey }, '429 QUOTA_EXCEEDED', usedUp);

  const ofKey = answers.filter(({ request, status }) => request.key === key && status !== 0);
  for (const [name, prefix] of Object.entries({ rate: 'X-RateLimit', quota: 'X-Service-Quota' } as const)) {
    await check(name, () => {
      const limits = ofKey.map(({ headers }) => limitOf(new Headers(headers), prefix));
      if (!limits.some(Boolean)) return { status: 'note', detail: `the key's project has no ${name}` };
      for (const [n, answer] of ofKey.entries()) {
        const [before, limit] = [limits[n - 1], limits[n]];
        if (!limit) throw deviation(outcomeOf(answer), `${prefix} headers as on others`, undefined);
        // A new window or period may begin at any time.
        if (before?.resetsAt.getTime() !== limit.resetsAt.getTime()) continue;
        const left = before.remaining - (name === 'rate' ? 1 : unitsOf(answer));
        if (left !== limit.remaining) throw deviation(`left after ${outcomeOf(answer)}`, left, limit.remaining);
      }
      return `falls as it should on ${limits.length} answers`;
    });
  }
  const withKey = answers.filter(({ request }) => request.key !== undefined && request.key !== unknown);
  const authenticatedRequests = withKey.filter((answer) => !/^40[13]|^429 RATE/.test(outcomeOf(answer))).length;
  return report({ authenticatedRequests, unitsCharged: withKey.reduce((sum, answer) => sum + unitsOf(answer), 0) });
}
