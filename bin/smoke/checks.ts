import { createSecretKey } from 'node:crypto';
import { generateApiKey, generateProjectId, SANDBOX_MODE } from '../../functions/core/api-key.ts';
import { errorDefinition, type ErrorCode } from '../../functions/core/errors.ts';
import { ping as operation, PING_PATH } from '../../functions/operations/ping.ts';
import { ROUTES } from '../../functions/routes.ts';
import { system } from '../../functions/system.ts';
import { HEADERS, HEALTH_PATH } from '../../functions/wiring.ts';
import { deviation, expectAnswer, expectDocumented, expectHeader, expectValue, header } from './expectations.ts';
import type { Answer, SmokeRequest } from './http-client.ts';
import { expectRetryAtReset, quotaOf } from './limits.ts';
import type { Caller, Finding, Run } from './run.ts';

const MAX_BODY_BYTES = 16 * 1024;
const NOWHERE = '/api/v1/nowhere';
/** Nobody's: the domain cannot exist (RFC 6761, section 6.4). */
const FOREIGN_ORIGIN = 'https://foreign.invalid';
const CHALLENGE = 'WWW-Authenticate';
/** The name that API Gateway may give it (docs/using-the-api.md, "Answers that are not the gateway's"). */
const REMAPPED_CHALLENGE = 'x-amzn-remapped-www-authenticate';

type Headers = Readonly<Record<string, string>>;
const get = (path: string, headers: Headers = {}): SmokeRequest => ({ method: 'GET', path, headers });
/** A ping with a body as it is, without a key. */
const ping = (body: string, headers: Headers = {}, query = ''): SmokeRequest => {
  const all = { 'Content-Type': 'application/json', ...headers };
  return { method: 'POST', path: PING_PATH + query, headers: all, body };
};
/** What a browser asks before it sends a key from a page of an origin. */
const preflight = (Origin: string): SmokeRequest => {
  const asked = 'authorization,content-type,idempotency-key';
  const headers = { Origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': asked };
  return { method: 'OPTIONS', path: PING_PATH, headers };
};

/**
 * Makes the checks of single requests: first what tells the gateway from anything else; refusals of the input before the
 * ping, so that its charge shows in what they said was left.
 *
 * @param origin a browser origin that must be allowed
 * @param exhausted whether there is a key whose quota is used up
 */
export async function checkRequests(run: Run, origin: string | undefined, exhausted: boolean): Promise<void> {
  const { check, send } = run;
  /** One request, answered with the documented response of a status or problem, and what more there is to see. */
  const answered = (
    name: string,
    request: SmokeRequest,
    expected: number | ErrorCode,
    look: (answer: Answer) => Finding | Promise<Finding> = () => codeLine(expected as ErrorCode),
    { caller, units, needs = [] }: { caller?: Caller; units?: number; needs?: readonly string[] } = {},
  ): Promise<void> =>
    check(
      name,
      async () => {
        const answer = await send(request, caller, units);
        expectAnswer(answer, expected);
        return look(answer);
      },
      ...needs,
    );
  const refused = (name: string, code: ErrorCode, body: string, headers?: Headers): Promise<void> =>
    answered(name, ping(body, headers), code, undefined, { caller: 'key' });

  await answered('health', get(HEALTH_PATH), 200, () => '200, available');
  await answered('unknown path', get(NOWHERE), 'NOT_FOUND');
  await answered('wrong method', get(PING_PATH), 'METHOD_NOT_ALLOWED', (answer) => {
    const methods = ROUTES.flatMap(({ path, method }) => (path === PING_PATH ? [method] : [])).join(', ');
    expectHeader(answer, 'Allow', methods);
    return `405 METHOD_NOT_ALLOWED, Allow: ${methods}`;
  });

  // Scripts of an origin that is not on the list must not read anything.
  await answered('foreign origin', preflight(FOREIGN_ORIGIN), 204, async (answer) => {
    expectOrigin(answer, undefined);
    expectOrigin(await send(get(HEALTH_PATH, { Origin: FOREIGN_ORIGIN })), undefined);
    return 'may read nothing';
  });
  // A page of this one may send a ping, and read answers and all of the service's headers, refusals included.
  if (origin !== undefined) {
    await answered('preflight', preflight(origin), 204, (answer) => {
      expectOrigin(answer, origin);
      expectDocumented(answer, 'Access-Control-Allow-Methods', 'Access-Control-Allow-Headers');
      return `204, ${origin} may send a ping`;
    });
    await answered('allowed origin', get(HEALTH_PATH, { Origin: origin }), 200, async (available) => {
      for (const answer of [available, await send(get(NOWHERE, { Origin: origin }))]) {
        expectOrigin(answer, origin);
        expectDocumented(answer, 'Access-Control-Expose-Headers');
      }
      return `${origin} may read answers and headers`;
    });
  }

  // Well-formed, and of no project: nobody has ever seen it, and nobody loses anything when a log shows it. Tagged under
  // a secret that no stage has, it is forged to all of them.
  const secrets = [createSecretKey(system.randomBytes(32))] as const;
  const unknownKey = generateApiKey(SANDBOX_MODE, generateProjectId(system.randomBytes), secrets, system.randomBytes);
  await answered('no key', ping('{}'), 'MISSING_API_KEY');
  await answered('unknown key', ping('{}', { Authorization: `Bearer ${unknownKey}` }), 'INVALID_API_KEY');
  await check('challenge', () => challenge(run), 'no key', 'unknown key');
  // Were a key read elsewhere than in Authorization, an unknown one there would be invalid, not missing. The real one
  // must not be sent there, since access logs hold what it says.
  const elsewhere = (separator: string) => `access_token=${unknownKey}${separator}api_key=${unknownKey}`;
  const nothing = (): Finding => 'counts for nothing';
  await answered('key in query string', ping('{}', {}, `?${elsewhere('&')}`), 'MISSING_API_KEY', nothing);
  await answered('key in cookie', ping('{}', { Cookie: elsewhere('; ') }), 'MISSING_API_KEY', nothing);

  await refused('malformed JSON', 'INVALID_REQUEST', '{');
  await refused('bad Idempotency-Key', 'INVALID_IDEMPOTENCY_KEY', '{}', { 'Idempotency-Key': 'two words' });
  await refused('bad media type', 'UNSUPPORTED_MEDIA_TYPE', '{}', { 'Content-Type': 'text/plain' });
  // No JSON either: a service that takes it all the same has nothing to charge for.
  await refused('body too large', 'PAYLOAD_TOO_LARGE', 'x'.repeat(MAX_BODY_BYTES + 1));

  const key = `smoke-${system.newId()}`;
  const named = (body: string): SmokeRequest => ping(body, { 'Idempotency-Key': key });
  const replayed = (value: string | undefined, found: string) => (answer: Answer) => {
    expectHeader(answer, HEADERS.idempotencyReplayed, value);
    return found;
  };
  const charged = replayed(undefined, '200, charged one unit');
  await answered('ping', named('{"clientRequestId":"smoke"}'), 200, charged, { caller: 'key', units: operation.units });
  const afterPing = { caller: 'key', needs: ['ping'] } as const;
  // The same JSON, spelled otherwise.
  const same = named('{ "clientRequestId" : "smok\\u0065" }');
  await answered('replay', same, 200, replayed('true', '200, replayed under a new requestId'), afterPing);
  await answered('conflict', named('{"clientRequestId":"other"}'), 'IDEMPOTENCY_CONFLICT', undefined, afterPing);

  if (!exhausted) return;
  // A project without units left. The new Idempotency-Key makes the gateway look for a duplicate once more, in a
  // transactional read that nothing else asks for: a permission that is missing for it shows here only.
  const request = ping('{}', { 'Idempotency-Key': `smoke-${system.newId()}` });
  const withoutUnits = (answer: Answer): Finding => {
    const quota = quotaOf(answer);
    if (quota === undefined) throw deviation('quota headers', 'all four', undefined);
    expectHeader(answer, HEADERS.quotaRemaining, '0');
    expectRetryAtReset(answer, quota);
    return '429 QUOTA_EXCEEDED with Retry-After';
  };
  await answered('exhausted quota', request, 'QUOTA_EXCEEDED', withoutUnits, { caller: 'exhaustedKey' });
}

const codeLine = (code: ErrorCode): string => `${errorDefinition(code).status} ${code}`;

/** What a 401 must say of the way to authenticate (RFC 6750, section 3); without a key it names no error. */
function challenge({ relied }: Run): Finding {
  const answers = relied().filter(({ check }) => check === 'no key' || check === 'unknown key');
  for (const { check, answer } of answers) {
    const expected = `Bearer realm="sandbox-gateway"${check === 'no key' ? '' : ', error="invalid_token"'}`;
    expectValue(`${check}: ${CHALLENGE}`, expected, header(answer, CHALLENGE) ?? header(answer, REMAPPED_CHALLENGE));
  }
  if (answers.every(({ answer }) => header(answer, CHALLENGE) !== undefined)) return CHALLENGE;
  return { note: `${CHALLENGE} is renamed to ${REMAPPED_CHALLENGE}, as API Gateway may do` };
}

/** Without `Vary` a cache could hand one origin's answer to another; what stands in between may have added to it. */
function expectOrigin(answer: Answer, allowed: string | undefined): void {
  expectHeader(answer, 'Access-Control-Allow-Origin', allowed);
  expectHeader(answer, 'Access-Control-Allow-Credentials', undefined);
  const varies = header(answer, 'Vary');
  if (!/\borigin\b/i.test(varies ?? '')) throw deviation('Vary', '"Origin"', varies);
}
