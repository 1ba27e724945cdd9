import { createSecretKey } from 'node:crypto';
import { PING_PATH } from '../../functions/operations/ping.ts';
import { ROUTES } from '../../functions/routes.ts';
import { HEADERS, HEALTH_PATH } from '../../functions/wiring.ts';
import { generateApiKey, generateProjectId, SANDBOX_MODE } from '../../functions/core/api-key.ts';
import { errorDefinition, type ErrorCode } from '../../functions/core/errors.ts';
import { system } from '../../functions/system.ts';
import { answerChecks } from './answers.ts';
import type { Caller, Check, Finding, Run } from './check.ts';
import { deviation, expectAnswer, expectDocumented, expectHeader, expectValue, header } from './expectations.ts';
import type { Answer, SmokeRequest } from './http-client.ts';
import { expectRetryAtReset, quotaOf } from './limits.ts';

const MAX_BODY_BYTES = 16 * 1024;
const NOWHERE = '/api/v1/nowhere';
/** Nobody's: the domain cannot exist (RFC 6761, section 6.4). */
const FOREIGN_ORIGIN = 'https://foreign.invalid';
const CHALLENGE = 'WWW-Authenticate';
/** The name that API Gateway may give it (docs/using-the-api.md, "Answers that are not the gateway's"). */
const REMAPPED_CHALLENGE = 'x-amzn-remapped-www-authenticate';

type Headers = Readonly<Record<string, string>>;
type Look = (answer: Answer, run: Run) => Finding | Promise<Finding>;
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

/** A check of one request, answered with the documented response of a status or problem, and of what more there is to see. */
const check = (
  name: string,
  request: SmokeRequest,
  expected: number | ErrorCode,
  look: Look = () => `${errorDefinition(expected as ErrorCode).status} ${expected}`,
  { caller = 'nobody', ...rest }: Pick<Check, 'needs' | 'units'> & { readonly caller?: Caller } = {},
): Check => {
  const run = async (run: Run): Promise<Finding> => {
    const answer = await run.send(request, caller);
    expectAnswer(answer, expected);
    return look(answer, run);
  };
  return { name, ...rest, run };
};

/**
 * The checks in their order: first what tells the gateway from anything else, last what looks at all answers. Refusals
 * of the input come before the ping, so that its charge shows in what they said was left.
 *
 * @param origin a browser origin that must be allowed
 * @param exhausted whether there is a key whose quota is used up
 */
export function checksOf(origin: string | undefined, exhausted: boolean): [Check, ...Check[]] {
  // Well-formed, and of no project: nobody has ever seen it, and nobody loses anything when a log shows it.
  // Tagged under a secret that no stage has, it is forged to all of them.
  const secrets = [createSecretKey(system.randomBytes(32))] as const;
  const unknownKey = generateApiKey(SANDBOX_MODE, generateProjectId(system.randomBytes), secrets, system.randomBytes);
  const missing = check('no key', ping('{}'), 'MISSING_API_KEY');
  const invalid = check('unknown key', ping('{}', { Authorization: `Bearer ${unknownKey}` }), 'INVALID_API_KEY');
  // Were a key read elsewhere than in Authorization, an unknown one there would be invalid, not missing. The real one
  // must not be sent there, since access logs hold what it says.
  const elsewhere = (separator: string) => `access_token=${unknownKey}${separator}api_key=${unknownKey}`;
  const inCookie = ping('{}', { Cookie: elsewhere('; ') });
  const ignored = (): Finding => 'counts for nothing';
  const refused = (name: string, code: ErrorCode, body: string, headers?: Headers): Check =>
    check(name, ping(body, headers), code, undefined, { caller: 'key' });
  return [
    check('health', get(HEALTH_PATH), 200, () => '200, available'),
    check('unknown path', get(NOWHERE), 'NOT_FOUND'),
    check('wrong method', get(PING_PATH), 'METHOD_NOT_ALLOWED', allowedMethods),
    check('foreign origin', preflight(FOREIGN_ORIGIN), 204, foreignOrigin),
    ...(origin === undefined ? [] : allowedOrigin(origin)),
    ...[missing, invalid, challenge(missing, invalid)],
    check('key in query string', ping('{}', {}, `?${elsewhere('&')}`), 'MISSING_API_KEY', ignored),
    check('key in cookie', inCookie, 'MISSING_API_KEY', ignored),
    refused('malformed JSON', 'INVALID_REQUEST', '{'),
    refused('bad Idempotency-Key', 'INVALID_IDEMPOTENCY_KEY', '{}', { 'Idempotency-Key': 'two words' }),
    refused('bad media type', 'UNSUPPORTED_MEDIA_TYPE', '{}', { 'Content-Type': 'text/plain' }),
    // No JSON either: a service that takes it all the same has nothing to charge for.
    refused('body too large', 'PAYLOAD_TOO_LARGE', 'x'.repeat(MAX_BODY_BYTES + 1)),
    ...idempotency(),
    ...(exhausted ? [exhaustedQuota()] : []),
    ...answerChecks,
  ];
}

function allowedMethods(answer: Answer): Finding {
  const methods = ROUTES.flatMap(({ path, method }) => (path === PING_PATH ? [method] : [])).join(', ');
  expectHeader(answer, 'Allow', methods);
  return `405 METHOD_NOT_ALLOWED, Allow: ${methods}`;
}

/** What a 401 must say of the way to authenticate (RFC 6750, section 3); without a key it names no error. */
const challenge = (missing: Check, invalid: Check): Check => ({
  name: 'challenge',
  needs: [missing, invalid],
  run: ({ relied }) => {
    const answers = relied().filter(({ check }) => check === missing || check === invalid);
    for (const { check, answer } of answers) {
      const expected = `Bearer realm="sandbox-gateway"${check === missing ? '' : ', error="invalid_token"'}`;
      const actual = header(answer, CHALLENGE) ?? header(answer, REMAPPED_CHALLENGE);
      expectValue(`${check.name}: ${CHALLENGE}`, expected, actual);
    }
    if (answers.every(({ answer }) => header(answer, CHALLENGE) !== undefined)) return CHALLENGE;
    return { note: `${CHALLENGE} is renamed to ${REMAPPED_CHALLENGE}, as API Gateway may do` };
  },
});

/** Scripts of an origin that is not on the list must not read anything. */
async function foreignOrigin(asked: Answer, { send }: Run): Promise<Finding> {
  for (const answer of [asked, await send(get(HEALTH_PATH, { Origin: FOREIGN_ORIGIN }), 'nobody')]) {
    expectOrigin(answer, undefined);
  }
  return 'may read nothing';
}

/** A page of this origin may send a ping, and read answers and all of the service's headers, refusals included. */
function allowedOrigin(origin: string): Check[] {
  const maySend: Look = (answer) => {
    expectOrigin(answer, origin);
    expectDocumented(answer, 'Access-Control-Allow-Methods', 'Access-Control-Allow-Headers');
    return `204, ${origin} may send a ping`;
  };
  const mayRead: Look = async (available, { send }) => {
    for (const answer of [available, await send(get(NOWHERE, { Origin: origin }), 'nobody')]) {
      expectOrigin(answer, origin);
      expectDocumented(answer, 'Access-Control-Expose-Headers');
    }
    return `${origin} may read answers and headers`;
  };
  const asked = get(HEALTH_PATH, { Origin: origin });
  return [check('preflight', preflight(origin), 204, maySend), check('allowed origin', asked, 200, mayRead)];
}

/** Without `Vary` a cache could hand one origin's answer to another; what stands in between may have added to it. */
function expectOrigin(answer: Answer, allowed: string | undefined): void {
  expectHeader(answer, 'Access-Control-Allow-Origin', allowed);
  expectHeader(answer, 'Access-Control-Allow-Credentials', undefined);
  const varies = header(answer, 'Vary') ?? '';
  if (!/\borigin\b/i.test(varies)) throw deviation('Vary', '"Origin"', varies || undefined);
}

/** The checks of one Idempotency-Key: a success, its replay, a conflict. Only the success is charged. */
function idempotency(): Check[] {
  const headers = { 'Idempotency-Key': `smoke-${system.newId()}` };
  const replayed =
    (value: string | undefined, found: string): Look =>
    (answer) => {
      expectHeader(answer, HEADERS.idempotencyReplayed, value);
      return found;
    };
  const [success, other] = [ping('{"clientRequestId":"smoke"}', headers), ping('{"clientRequestId":"other"}', headers)];
  // The same JSON, spelled otherwise.
  const same = ping('{ "clientRequestId" : "smok\\u0065" }', headers);
  const first = check('ping', success, 200, replayed(undefined, '200, charged one unit'), { caller: 'key', units: 1 });
  const after = { caller: 'key', needs: [first] } as const;
  return [
    first,
    check('replay', same, 200, replayed('true', '200, replayed under a new requestId'), after),
    check('conflict', other, 'IDEMPOTENCY_CONFLICT', undefined, after),
  ];
}

/**
 * A ping of a project without units left. Its new Idempotency-Key makes the gateway look for a duplicate once more, in a
 * transactional read that nothing else asks for: a permission that is missing for it shows here only.
 */
function exhaustedQuota(): Check {
  const request = ping('{}', { 'Idempotency-Key': `smoke-${system.newId()}` });
  const look: Look = (answer) => {
    const quota = quotaOf(answer);
    if (quota === undefined) throw deviation('quota headers', 'all four', undefined);
    expectHeader(answer, HEADERS.quotaRemaining, '0');
    expectRetryAtReset(answer, quota);
    return '429 QUOTA_EXCEEDED with Retry-After';
  };
  return check('exhausted quota', request, 'QUOTA_EXCEEDED', look, { caller: 'exhaustedKey' });
}
