import { createSecretKey } from 'node:crypto';
import { generateApiKey, generateProjectId } from '../../functions/shared/rules/credentials/api-key.ts';
import { SANDBOX_MODE } from '../../functions/shared/rules/credentials/credential-text.ts';
import type { ErrorCode } from '../../functions/shared/rules/http/errors.ts';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { ROUTES } from '../../functions/gateway/routes.ts';
import { system } from '../../functions/shared/system.ts';
import { HEADERS, HEALTH_PATH } from '../../functions/shared/names.ts';
import { expectChallenge, expectUsedUp } from './answers.ts';
import {
  deviation,
  Ending,
  expectAnswer,
  expectDocumented,
  expectHeader,
  header,
  type Answer,
} from './expectations.ts';
import type { Run, SmokeRequest } from './run.ts';

const MAX_BODY_BYTES = 16 * 1024;
/** More than Lambda accepts (6 MB), and less than API Gateway refuses (10 MB): the answer is not the gateway's. */
const BODY_BETWEEN_BYTES = 7_000_000;
const NOWHERE = '/api/v1/nowhere';

type Headers = Readonly<Record<string, string>>;
const get = (path: string, headers: Headers = {}): SmokeRequest => ({ method: 'GET', path, headers });
/** A ping with this body, without a key. */
const ping = (body: string, headers: Headers = {}, query = ''): SmokeRequest => {
  const all = { 'Content-Type': 'application/json', ...headers };
  return { method: 'POST', path: PING_PATH + query, headers: all, body };
};
/** The same with the key. */
const keyed = (body: string, headers: Headers = {}): SmokeRequest => ({ ...ping(body, headers), caller: 'key' });
/** A browser's preflight before it sends a key from a page of an origin. */
const preflight = (Origin: string): SmokeRequest => {
  const asked = 'authorization,content-type,idempotency-key';
  const headers = { Origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': asked };
  return { method: 'OPTIONS', path: PING_PATH, headers };
};

/**
 * Runs the checks of single requests. First the one that recognises the gateway. Refusals of the input come before the
 * ping, so that its charge is visible in the headers. The check of a used-up quota runs if there is a key for it.
 */
export async function checkRequests(run: Run, origin: string | undefined, exhausted: boolean): Promise<void> {
  const { check, send, ask } = run;
  /** One request with the documented response of a status or problem; `look` checks more. */
  const answered = (
    name: string,
    request: SmokeRequest,
    expected: number | ErrorCode,
    look: (answer: Answer) => void | Promise<void> = () => undefined,
    ...needs: string[]
  ): Promise<void> => {
    const work = async (): Promise<string> => {
      const answer = await send(request);
      const outcome = expectAnswer(answer, expected);
      await look(answer);
      return outcome;
    };
    return check(name, work, ...needs);
  };

  await answered('health', get(HEALTH_PATH), 200);
  await answered('unknown path', get(NOWHERE), 'NOT_FOUND');
  const methods = ROUTES.flatMap(({ path, method }) => (path === PING_PATH ? [method] : [])).join(', ');
  const allows = (answer: Answer) => expectHeader(answer, 'Allow', methods);
  await answered('wrong method', get(PING_PATH), 'METHOD_NOT_ALLOWED', allows);

  // Scripts of another origin must not read anything. This one cannot exist (RFC 6761, section 6.4).
  const foreign = 'https://foreign.invalid';
  await answered('foreign origin', preflight(foreign), 204, async (answer) => {
    expectOrigin(answer, undefined);
    expectOrigin(await send(get(HEALTH_PATH, { Origin: foreign })), undefined);
  });
  // A page of this origin may send a ping, and read answers and all of the service's headers, including refusals.
  if (origin !== undefined) {
    await answered('preflight', preflight(origin), 204, (answer) => {
      expectOrigin(answer, origin);
      expectDocumented(answer, 'Access-Control-Allow-Methods', 'Access-Control-Allow-Headers');
    });
    await answered('allowed origin', get(HEALTH_PATH, { Origin: origin }), 200, async (available) => {
      for (const answer of [available, await send(get(NOWHERE, { Origin: origin }))]) {
        expectOrigin(answer, origin);
        expectDocumented(answer, 'Access-Control-Expose-Headers');
      }
    });
  }

  // Well-formed, and of no project: a log may show it. Its tag is under a secret that no stage has, so it is forged for
  // all of them.
  const secrets = [createSecretKey(system.randomBytes(32))] as const;
  const unknownKey = generateApiKey(SANDBOX_MODE, generateProjectId(system.randomBytes), secrets, system.randomBytes);
  await answered('no key', ping('{}'), 'MISSING_API_KEY');
  await answered('unknown key', ping('{}', { Authorization: `Bearer ${unknownKey}` }), 'INVALID_API_KEY');
  await check('challenge', () => expectChallenge(run), 'no key', 'unknown key');
  // If a key were read elsewhere than in Authorization, an unknown one there would be invalid, and not missing. The
  // real key must not be sent there, because access logs contain it.
  const elsewhere = (separator: string) => `access_token=${unknownKey}${separator}api_key=${unknownKey}`;
  await answered('key in query string', ping('{}', {}, `?${elsewhere('&')}`), 'MISSING_API_KEY');
  await answered('key in cookie', ping('{}', { Cookie: elsewhere('; ') }), 'MISSING_API_KEY');

  await answered('malformed JSON', keyed('{'), 'INVALID_REQUEST');
  await answered('bad Idempotency-Key', keyed('{}', { 'Idempotency-Key': 'two words' }), 'INVALID_IDEMPOTENCY_KEY');
  await answered('bad media type', keyed('{}', { 'Content-Type': 'text/plain' }), 'UNSUPPORTED_MEDIA_TYPE');
  // It is no JSON either: a service that accepts it has nothing to charge for.
  await answered('body too large', keyed('x'.repeat(MAX_BODY_BYTES + 1)), 'PAYLOAD_TOO_LARGE');
  // Without a key, so that a service that accepts it charges nobody. Without Lambda's limit the answer is the gateway's
  // 401.
  await check('body over 6 MB', async () => {
    const { status } = await ask(ping('x'.repeat(BODY_BETWEEN_BYTES)));
    if (status === 401 || status === 413) return `${status}`;
    if (status >= 500) throw new Ending('note', `${status}: Lambda takes no body of 6 MB, API Gateway one of 10`);
    throw deviation('status', '401, 413 or 5xx', status);
  });

  const unused = (): Headers => ({ 'Idempotency-Key': `smoke-${system.newId()}` });
  const key = unused();
  const replayed = (value?: string) => (answer: Answer) => expectHeader(answer, HEADERS.idempotencyReplayed, value);
  await answered('ping', keyed('{"clientRequestId":"smoke"}', key), 200, replayed());
  // The same JSON in another spelling.
  await answered('replay', keyed('{ "clientRequestId" : "smok\\u0065" }', key), 200, replayed('true'), 'ping');
  await answered('conflict', keyed('{"clientRequestId":"other"}', key), 'IDEMPOTENCY_CONFLICT', undefined, 'ping');

  if (!exhausted) return;
  // A project without units left. The new Idempotency-Key makes the gateway read the replay record again, in a
  // transaction, which nothing else here does: only this check notices a missing permission for it.
  const last: SmokeRequest = { ...ping('{}', unused()), caller: 'exhaustedKey' };
  await answered('exhausted quota', last, 'QUOTA_EXCEEDED', expectUsedUp);
}

/** Without `Vary` a cache could serve one origin's answer to another. Intermediaries may have added to it. */
function expectOrigin(answer: Answer, allowed: string | undefined): void {
  expectHeader(answer, 'Access-Control-Allow-Origin', allowed);
  expectHeader(answer, 'Access-Control-Allow-Credentials', undefined);
  const vary = header(answer, 'Vary');
  if (!/\borigin\b/i.test(vary ?? '')) throw deviation('Vary', '"Origin"', vary);
}
