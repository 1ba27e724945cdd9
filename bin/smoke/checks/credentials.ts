import { PING_PATH } from '../../../functions/operations/ping.ts';
import { createSecretKey } from 'node:crypto';
import { generateApiKey, generateProjectId, SANDBOX_MODE } from '../../../functions/core/api-key.ts';
import { system } from '../../../functions/system.ts';
import type { Check } from '../check.ts';
import { expectProblem, expectValue, header } from '../expectations.ts';
import { pingRequest } from '../ping-request.ts';

const CHALLENGE = 'WWW-Authenticate';
/** The name that API Gateway may give it (docs/using-the-api.md, "Answers that are not the gateway's"). */
const REMAPPED_CHALLENGE = 'x-amzn-remapped-www-authenticate';
const MISSING_KEY_CHALLENGE = 'Bearer realm="sandbox-gateway"';
const INVALID_KEY_CHALLENGE = `${MISSING_KEY_CHALLENGE}, error="invalid_token"`;

/** No stage's: what is tagged under it is a forged key to all of them. */
const nobodysSecret = createSecretKey(system.randomBytes(32));

/** Well-formed, and of no project: nobody has ever seen it, and nobody loses anything when a log shows it. */
const unknownApiKey = (): string =>
  generateApiKey(SANDBOX_MODE, generateProjectId(system.randomBytes), [nobodysSecret], system.randomBytes);

/** A ping without credentials. */
export const noKey: Check = {
  name: 'no key',
  run: async ({ send }) => {
    expectProblem(await send(pingRequest('{}')), 'MISSING_API_KEY');
    return '401 MISSING_API_KEY';
  },
};

/** A ping with a key that was never made. */
export const unknownKey: Check = {
  name: 'unknown key',
  run: async ({ send }) => {
    expectProblem(await send(pingRequest('{}', { Authorization: `Bearer ${unknownApiKey()}` })), 'INVALID_API_KEY');
    return '401 INVALID_API_KEY';
  },
};

/** What a 401 must say of the way to authenticate (RFC 6750, section 3); without a key it names no error. */
export const challenge: Check = {
  name: 'challenge',
  needs: [noKey, unknownKey],
  run: ({ answerTo }) => {
    const [missing, invalid] = [answerTo(noKey), answerTo(unknownKey)];
    const isRenamed = [missing, invalid].some((answer) => header(answer, CHALLENGE) === undefined);
    const valueOf = (answer: typeof missing) => header(answer, CHALLENGE) ?? header(answer, REMAPPED_CHALLENGE);
    expectValue(`no key: ${CHALLENGE}`, MISSING_KEY_CHALLENGE, valueOf(missing));
    expectValue(`unknown key: ${CHALLENGE}`, INVALID_KEY_CHALLENGE, valueOf(invalid));
    return isRenamed ? { note: `${CHALLENGE} is renamed to ${REMAPPED_CHALLENGE}, as API Gateway may do` } : CHALLENGE;
  },
};

/*
 * A key is taken from the Authorization header only (docs/using-the-api.md, "Authentication"). Were it read elsewhere too, an unknown
 * one there would be invalid, not missing; the real one must not be sent there, since access logs hold what it says.
 */

/** A key in the query string counts for nothing. */
export const keyInQuery: Check = {
  name: 'key in query string',
  run: async ({ send }) => {
    const query = new URLSearchParams({ access_token: unknownApiKey(), api_key: unknownApiKey() });
    expectProblem(await send({ ...pingRequest('{}'), path: `${PING_PATH}?${query.toString()}` }), 'MISSING_API_KEY');
    return 'counts for nothing';
  },
};

/** A key in a cookie counts for nothing. */
export const keyInCookie: Check = {
  name: 'key in cookie',
  run: async ({ send }) => {
    const Cookie = `access_token=${unknownApiKey()}; api_key=${unknownApiKey()}`;
    expectProblem(await send(pingRequest('{}', { Cookie })), 'MISSING_API_KEY');
    return 'counts for nothing';
  },
};
