import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { healthChain } from '../../functions/gateway/health-chain.ts';
import { generateToken } from '../../functions/shared/credentials/management-token.ts';
import { LOCAL_KEY_TAG_SECRETS } from '../../local/settings.ts';
import { recordCalls } from '../support/database.ts';
import { testDeadline } from '../support/deadline.ts';
import { gatewayWithTenant, PORTAL_ORIGIN } from '../support/gateway.ts';
import { httpEvent, invoke, type TestRequest } from '../support/http.ts';
import { unknownKey } from '../support/keys.ts';
import { testClock, testTelemetry } from '../support/reports.ts';

const key = unknownKey('Project00001');
const token = generateToken('acc_Account000000001', LOCAL_KEY_TAG_SECRETS, randomBytes);
/** Every character by its code, as many times as it says. */
const encoded = (text: string, times = 1): string => {
  const once = Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');
  return Array.from({ length: times - 1 }).reduce<string>((all) => all.replaceAll('%', '%25'), once);
};
const escapedJson = (text: string): string =>
  Array.from(text, (character) => `\\u00${character.charCodeAt(0).toString(16).toUpperCase()}`).join('');

const health = { method: 'GET', path: '/api/v1/health', body: null };
const withKey = { headers: { 'content-type': 'application/json' } };

/** Each place, and how a key may stand there. */
const PLACES: readonly (readonly [place: string, name: string, request: TestRequest])[] = [
  ['the query string', 'as a value', { query: `a=1&api_key=${key}` }],
  ['the query string', 'as a name, beside other characters', { query: `x${key}x` }],
  ['the query string', 'a token', { query: `t=${token}` }],
  ['the query string', 'encoded', { query: `k=${encoded(key)}` }],
  ['the query string', 'encoded twelve times', { query: `k=${encoded(key, 12).toUpperCase().replace('SVC', 'svc')}` }],
  ['the query string', 'encoded digit by digit', { query: `k=%7%33vc${key.slice(3)}` }],
  ['the query string', 'beside encoding that is broken', { query: `%zz=%&k=%${encoded(key)}%` }],
  ['a cookie', 'as a value', { cookies: ['a=b', `key=${key}`] }],
  ['a cookie', 'as a name', { cookies: [`${key}=1`] }],
  ['a cookie', 'encoded', { cookies: [`key=${encoded(key, 2)}`] }],
  ['a cookie', 'in the header, which API Gateway does not send', { headers: { cookie: `key=${key}` } }],
  ['the body', 'in a member that nothing reads', { body: { a: [{ b: { c: `my ${key}` } }] } }],
  ['the body', 'as a name', { body: { [key]: 1 } }],
  ['the body', 'of clientRequestId', { body: { clientRequestId: key } }],
  ['the body', 'a token', { body: { token } }],
  ['the body', 'in escapes', { body: `{"clientRequestId":"${escapedJson(key)}"}` }],
  ['the body', 'in JSON within JSON, in escapes', { body: { json: `{"k":"${escapedJson(key)}"}` } }],
  ['the body', 'in a member that another one of its name hides', { body: `{"a":"${key}","a":1}` }],
  ['the body', 'as a form', { body: `api_key=${encoded(key)}` }],
  ['the body', 'in bytes that are no UTF-8', { body: Buffer.from(`\xff${key}`, 'latin1') }],
  ['the body', 'deeper than JSON is read', { body: `${'['.repeat(8_000)}"${key}"` }],
  ['the body', 'that is too large', { body: `{"a":"${'x'.repeat(20_000)}${key}"}` }],
];

describe('a key or a token is refused before any read, and nothing of it is answered, logged or stored:', () => {
  test.each(PLACES)('in %s, %s', async (place, _name, request) => {
    const { gateway, key: own, projectId } = await gatewayWithTenant({ rpm: 1 });
    const { commands } = recordCalls(gateway.client);
    const headers = { ...withKey.headers, ...request.headers };
    const answers = [
      await gateway.send({ ...request, headers: { ...headers, authorization: `Bearer ${own}` } }),
      await gateway.send({ ...request, headers }),
      await gateway.send({ ...request, headers: { ...headers, authorization: 'nonsense' } }),
    ];
    expect(answers.map(({ status, body }) => `${status} ${String(body.code)}`)).toEqual([
      '400 INVALID_REQUEST',
      '401 MISSING_API_KEY',
      '400 INVALID_REQUEST',
    ]);
    for (const { body, text, headers: of } of answers) {
      expect(body.detail).toBe(
        `An API key or a management token is in ${place} of this request. It now stands in logs on the way: rotate it, and send the new one in the header Authorization: Bearer <API_KEY> only.`,
      );
      expect(text).not.toMatch(/svc_(test|mgmt)/);
      expect(Object.keys(of).filter((name) => /ratelimit|quota/.test(name))).toEqual([]);
    }
    expect(answers[1]?.headers['www-authenticate']).toBe('Bearer realm="sandbox-gateway"');
    expect(commands).toEqual([]);
    expect(gateway.telemetry.requests).toMatchObject(
      answers.map(() => ({ event: null, units: 0, projectId: null, keyId: null })),
    );
    expect(JSON.stringify(gateway.telemetry)).not.toMatch(/svc_(test|mgmt)/);
    expect(await gateway.events(projectId)).toEqual([]);
    // It has not counted: the key may send one request in this minute.
    expect((await gateway.ping(own)).status).toBe(200);
  });

  test('in several places, which are all named', async () => {
    const { gateway, key: own } = await gatewayWithTenant();
    const { body } = await gateway.ping(own, { query: `k=${own}`, cookies: [`k=${own}`], body: { own } });
    expect(body.detail).toMatch(/^An API key .* is in the query string and a cookie and the body of this request\./);
  });

  test.each<[string, TestRequest & { readonly path: string }]>([
    ['the health check', health],
    ['the health check without a body', { ...health, method: 'HEAD' }],
    ['an unknown path', { ...health, path: '/nowhere' }],
    ['a path that is the key', { ...health, path: `/${key}` }],
    ['a path with the key in it, encoded', { ...health, path: `/api/v1/${encoded(key)}/ping` }],
    ['an unknown method', { ...health, method: 'PUT' }],
    ['a preflight', { ...health, method: 'OPTIONS' }],
    ['a preflight of the ping', { ...health, method: 'OPTIONS', path: PING_PATH }],
  ])('at %s, readably for a page of the portal', async (_name, request) => {
    const { gateway } = await gatewayWithTenant();
    const telemetry = testTelemetry();
    const dependencies = { clock: testClock(), randomBytes, startDeadline: testDeadline, telemetry };
    const chain = healthChain({ ...dependencies, allowedOrigins: [PORTAL_ORIGIN] });
    const isInPath = request.path !== health.path && request.path !== '/nowhere' && request.path !== PING_PATH;
    const sent = { ...request, ...(!isInPath && { query: `k=${key}` }), headers: { origin: PORTAL_ORIGIN } };
    const answer = sent.path === PING_PATH ? await gateway.send(sent) : await invoke(chain, httpEvent(sent));
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(answer.body.detail).toContain(isInPath ? 'in the path of' : 'in the query string of');
    expect(JSON.stringify([answer, telemetry, gateway.telemetry])).not.toContain('svc_test');
    expect(answer.headers['access-control-allow-origin']).toBe(PORTAL_ORIGIN);
  });
});

test('what only resembles a key has no meaning: it is served as without', async () => {
  const { gateway, key: own } = await gatewayWithTenant();
  const harmless: readonly TestRequest[] = [
    { query: 'q=svc_test_short&%=%zz&a=%25%32%35&b=+' },
    { query: `k=${key.slice(0, -1)}&rest=${key.slice(-1)}` },
    { cookies: [key.slice(0, 30), key.slice(30)] },
    { body: { note: `svc_demo_${'0'.repeat(42)}`, other: '\\u0000 100 %' } },
  ];
  for (const request of harmless) expect((await gateway.ping(own, request)).status).toBe(200);
});
