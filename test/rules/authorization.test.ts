import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  API_KEY,
  authorizationFault,
  emptyFault,
  MANAGEMENT_TOKEN,
} from '../../functions/shared/credentials/api-key.ts';
import { conveysApiKey, decoded } from '../../functions/shared/credentials/credential-text.ts';
import { generateToken } from '../../functions/shared/credentials/management-token.ts';
import { LOCAL_KEY_TAG_SECRETS } from '../../local/settings.ts';
import { unknownKey } from '../support/keys.ts';

const key = unknownKey('Project00001');
const token = generateToken('acc_Account000000001', LOCAL_KEY_TAG_SECRETS, randomBytes);
const other = (text: string) => (text.endsWith('0') ? '1' : '0');

describe.each([
  { credential: API_KEY, right: key, foreign: token, belongs: /management token.*\/manage\/v1/, length: 51 },
  { credential: MANAGEMENT_TOKEN, right: token, foreign: key, belongs: /API key.*the gateway/, length: 55 },
])('a wrong header for an $credential.name is told by', ({ credential, right, foreign, belongs, length }) => {
  test.each<[string, string, RegExp]>([
    ['no word Bearer', right, /does not begin with the word Bearer/],
    ['another scheme', `Token ${right}`, /does not begin with the word Bearer/],
    ['no space', `Bearer${right}`, /does not begin with the word Bearer and a space/],
    ['a tab for the space', `Bearer\t${right}`, /does not begin with the word Bearer and a space/],
    ['Basic', `Basic ${btoa(`user:${right}`)}`, /Basic authentication/],
    ['quotes around it', `Bearer "${right}"`, /holds quotes/],
    ['quotes around all of it', `'Bearer ${right}'`, /holds quotes/],
    ['typographic quotes', `Bearer “${right}”`, /holds quotes/],
    ['nothing', 'Bearer ', /Nothing follows the word Bearer.*not be set/],
    ['the name of a variable', 'Bearer $API_KEY', /name of a variable.*double quotes/],
    ['a variable of a template', 'Bearer {{key}}', /name of a variable/],
    ['a placeholder', 'Bearer <API_KEY>', /placeholder/],
    ['what a program makes of nothing', 'Bearer undefined', /name of a variable/],
    ['a second value', `Bearer ${right},Bearer ${right}`, /More than the/],
    ['a word behind it', `Bearer ${right} x`, /More than the/],
    ['its cut end', `Bearer ${right.slice(0, -5)}`, new RegExp(`cut off: it has ${length - 5} of ${length} char`)],
    ['too much at its end', `Bearer ${right}0`, new RegExp(`${length + 1} characters instead of ${length}`)],
    ['a mistyped character', `Bearer ${right.slice(0, -1)}${other(right)}`, /character .* is wrong: its checksum/],
    ['a character that it cannot have', `Bearer ${right.slice(0, 20)}-${right.slice(21)}`, /its checksum/],
    ['another credential', `Bearer ${foreign}`, belongs],
    ['a session', `Bearer usr_0123456789abcdef.${'x'.repeat(43)}`, /session of the portal/],
    ['an id', `Bearer ${credential === API_KEY ? 'key' : 'tok'}_0123456789abcdef`, /This is the id/],
    ['anything else', 'Bearer hello', new RegExp(`begins with svc_.* has ${length} characters`)],
  ])('%s', (_name, header, expected) => {
    const fault = authorizationFault(header, credential);
    expect(fault).toMatch(expected);
    expect(fault).toMatch(/(Send|Set|Put|Copy) /);
    // No event keeps more, and nothing of the header is told.
    expect(fault?.length).toBeLessThanOrEqual(200);
    for (const part of [right.slice(9), foreign.slice(9), 'hello']) {
      for (let i = 0; i + 5 <= part.length; i += 5) expect(fault).not.toContain(part.slice(i, i + 5));
    }
  });

  test('nothing, when its form and its checksum are right', () => {
    expect(authorizationFault(`Bearer ${right}`, credential)).toBeUndefined();
    expect(authorizationFault(`bearer  ${right} `, credential)).toBeUndefined();
  });

  test('its emptiness', () => {
    expect(emptyFault(credential)).toMatch(new RegExp(`header is empty.*${credential.name}`));
  });
});

/** Seconds of the processor. A search that takes time by the square of these texts takes minutes. */
function secondsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
const LONG = 300_000;

test.each(['%25', '%4', '\\', '\\u00', 'svc_test_', 'svc_test_0', '%', 'x '])(
  'a text of many %j is searched for keys, and read as a header, in proportion to its length',
  (part) => {
    const text = part.repeat(LONG);
    expect(secondsOf(() => [conveysApiKey(text), decoded(`${text}31`)])).toBeLessThan(10);
    expect(secondsOf(() => authorizationFault(`Bearer ${text}`, API_KEY))).toBeLessThan(10);
  },
);

test('what is decoded is decoded until it no longer changes', () => {
  for (const text of [
    's',
    '%73',
    '%2573',
    '%25252573',
    '%7%33',
    '%%373',
    '%25%32%35%37%33',
    '\\u0073',
    '\\\\u0025%37%33',
  ])
    expect(decoded(text)).toBe('s');
  for (const text of ['', '%', '%%', '%zz', '%7', 'a+b', '\\u1234']) expect(decoded(text)).toBe(text);
});
