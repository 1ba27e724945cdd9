import { beforeAll, describe, expect, test } from '@jest/globals';
import { pathId } from '../../functions/portal/request/paths.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { filledPath, NOBODYS_IDS, portalOperations } from '../support/portal-contract.ts';
import {
  GATEWAY,
  PORTAL,
  testPortal,
  type PortalRequest,
  type TestBrowser,
  type TestPortal,
} from '../support/portal.ts';
import { tenantOf } from '../support/portal-team.ts';

let portal: TestPortal;
let browser: TestBrowser;
beforeAll(async () => {
  portal = testPortal(trustingProvider);
  browser = portal.browser();
  await browser.signIn('ada@example.com');
});

const operations = portalOperations
  .filter(({ isOpen }) => !isOpen)
  .map(({ method, path }) => ({ method, path: filledPath(path, NOBODYS_IDS) }));
const changes = operations.filter(({ method }) => method !== 'GET');
const reads = operations.filter(({ method }) => method === 'GET');
const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };

const codeOf = async (request: PortalRequest): Promise<unknown> => {
  const { status, body } = await portal.send(request);
  return [status, (body as { code?: unknown }).code];
};
const signedIn = (request: PortalRequest) => codeOf({ headers: OWN_PAGE, ...request, cookies: browser.jar.list() });

describe('a path or method that there is not', () => {
  test.each([
    '/',
    '/api',
    '/api/',
    '/api/nothing',
    '/api/session/',
    '/api/accounts/a/b/c',
    '/api//session',
    '/API/session',
  ])('%s is not found, whoever asks and however', async (path) => {
    expect(await codeOf({ path })).toEqual([404, 'NOT_FOUND']);
    expect(await codeOf({ method: 'POST', path })).toEqual([404, 'NOT_FOUND']);
    expect(await signedIn({ path })).toEqual([404, 'NOT_FOUND']);
  });

  test.each(['GET', 'HEAD', 'POST', 'OPTIONS'])(
    'is also one of the gateway, and then the answer to %s says where that is, whoever asks and from where',
    async (method) => {
      for (const headers of [{}, { authorization: 'Bearer x', 'sec-fetch-site': 'cross-site' }]) {
        const { status, body } = await portal.send({ method, path: '/api/v1/sandbox/ping', headers });
        expect(status).toBe(404);
        if (method !== 'HEAD') expect((body as { detail: string }).detail).toContain(GATEWAY);
      }
    },
  );

  test.each([
    '/api/.%2e/manage/v1/token',
    '/api/%2E%2e/manage/v1/token',
    '/api/../manage/v1/token',
    '/api/..\\manage/v1/token',
    '/api/.\t./manage/v1/token',
    '/manage/.%2e/api/session',
    '/manage/v1/x/../../../api/session',
    '/api/x/%2e%2e/session',
    '/api/./session',
    '/api/session#x',
    '/api/session?x',
  ])('%s leads nowhere else: a path is taken as it was sent', async (path) => {
    for (const method of ['GET', 'POST']) expect(await signedIn({ method, path })).toEqual([404, 'NOT_FOUND']);
  });

  test('is also one that is in no contract', async () => {
    const { app, send } = testPortal(trustingProvider);
    app.get('/api/unknown', (c) => c.body(null, 204));
    expect((await send({ path: '/api/unknown' })).status).toBe(404);
  });

  test.each([
    ['HEAD', '/api/session', 'GET'],
    ['POST', '/api/session', 'GET'],
    ['HEAD', '/api/sign-in', 'GET'],
    ['HEAD', '/api/sign-in/callback', 'GET'],
    ['OPTIONS', '/api/accounts', 'POST'],
    ['TRACE', '/api/accounts', 'POST'],
    ['GET', `/api/accounts/${NOBODYS_IDS.accountId}`, 'PATCH, DELETE'],
    ['PUT', `/api/accounts/${NOBODYS_IDS.accountId}/members`, 'GET, POST'],
  ])('%s %s is told what the path takes', async (method, path, allow) => {
    const { status, headers, text } = await portal.send({ method, path });
    expect([status, headers.allow, text === '']).toEqual([405, allow, method === 'HEAD']);
  });
});

// One middleware decides about all reads, and about all changes: each operation is tried with one cell of its table.
test.each(reads)('$method $path is refused to a page of another origin', async ({ method, path }) => {
  const request = { method, path, headers: { 'sec-fetch-site': 'cross-site' } };
  expect(await codeOf(request)).toEqual([403, 'CROSS_SITE_REQUEST']);
  expect(await signedIn(request)).toEqual([403, 'CROSS_SITE_REQUEST']);
});

test.each([
  ['refused', [403, 'CROSS_SITE_REQUEST'], ['same-site', 'anything new']],
  ['answered', [200, undefined], ['same-origin', 'none', undefined]],
])('a read is %s as its site says, to the own page, the address bar and programs alone', async (_how, told, sites) => {
  for (const site of sites) {
    expect(await signedIn({ path: '/api/session', headers: { 'sec-fetch-site': site } })).toEqual(told);
  }
});

/** The headers of changes that no page of the portal sends. */
const ELSEWHERE: readonly (readonly [where: string, headers: PortalRequest['headers']])[] = [
  ['another site', { 'sec-fetch-site': 'cross-site', origin: PORTAL }],
  ['another origin', { origin: 'https://evil.example' }],
  ['no origin', { origin: 'null' }],
  ['a neighbour of the site', { 'sec-fetch-site': 'same-site', origin: PORTAL }],
  ['another origin that begins the same', { origin: `${PORTAL}.evil.example` }],
  ['nowhere', {}],
  ['the address bar', { 'sec-fetch-site': 'none' }],
];
const MALFORMED = ['{', '[]', 'null', '"x"', '{"a":1,"a":2}', '['.repeat(8_000), new Uint8Array([0xff]), '\ufeff{}'];
const OTHER_TYPES = ['text/plain', 'application/jsonx', 'application/x-www-form-urlencoded', ''];
const CHANGE = { method: 'POST', path: '/api/accounts' };

test.each(ELSEWHERE)('a change is refused from %s', async (_where, headers) => {
  const request = { ...CHANGE, headers: { 'content-type': 'application/json', ...headers } };
  expect(await codeOf(request)).toEqual([403, 'CROSS_SITE_REQUEST']);
  expect(await signedIn(request)).toEqual([403, 'CROSS_SITE_REQUEST']);
});

test('a change takes nothing but JSON, in one piece', async () => {
  const send = (body: unknown, type: string) =>
    signedIn({ ...CHANGE, headers: { ...OWN_PAGE, 'content-type': type }, body });
  for (const type of OTHER_TYPES) expect(await send('{}', type)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  for (const body of MALFORMED) expect(await send(body, 'application/json')).toEqual([400, 'INVALID_REQUEST']);
});

describe.each(changes)('$method $path', ({ method, path }) => {
  test('is refused from another site, and taken from the portal’s origin without fetch metadata', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', origin: PORTAL, 'content-type': 'application/json' };
    expect(await codeOf({ method, path, headers })).toEqual([403, 'CROSS_SITE_REQUEST']);
    expect(await signedIn({ method, path, headers })).toEqual([403, 'CROSS_SITE_REQUEST']);
    const own = { origin: PORTAL, 'content-type': 'text/plain' };
    expect(await signedIn({ method, path, headers: own })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  test('takes JSON of a bounded size, and says what is wrong before it says what there is', async () => {
    const send = (body: unknown, headers: PortalRequest['headers'] = OWN_PAGE) =>
      signedIn({ method, path, headers, body });
    expect(await send('x'.repeat(16_385), { ...OWN_PAGE, 'content-type': 'text/plain' })).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
    ]);
    expect(await send(undefined, { 'sec-fetch-site': 'same-origin' })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(await send('{')).toEqual([400, 'INVALID_REQUEST']);
  });
});

describe('what is wrong with the body is said with the field:', () => {
  let tenant: Awaited<ReturnType<typeof tenantOf>>;
  beforeAll(async () => (tenant = await tenantOf(testPortal(trustingProvider))));

  const NAME_RULE = 'A name has 1 to 100 characters, some that can be seen, and no control characters.';
  const ADDRESS = 'Give an e-mail address of ASCII characters, with nothing before or behind it.';
  test.each<[string, string, unknown, string, string?]>([
    ['a name', '/api/accounts', {}, 'name', 'name is missing.'],
    ['an empty name', '/api/accounts', { name: ' \t ' }, 'name', NAME_RULE],
    ['a name that cannot be seen', '/api/accounts', { name: '\u200b\u2060\u3164\ufe0f\u2800' }, 'name'],
    ['a name of 101 characters', '/api/accounts', { name: '🗝'.repeat(101) }, 'name'],
    ['a name with a control character', '/api/accounts', { name: 'a\u0007b' }, 'name'],
    [
      'a name with a key in it',
      '/api/accounts',
      { name: `svc_test_${'0'.repeat(42)}` },
      'name',
      'A name must not hold an API key.',
    ],
    ['a name that is a number', '/api/accounts', { name: 1 }, 'name', NAME_RULE],
    ...[
      ...['', 'ada', [], '@x.y', 'a b@x.y', '<b>@x.y', 'a@x.y,b@x.y', `${'x'.repeat(243)}@example.com`],
      ...['=?utf-8?q?x?=@example.com', 'a..b@example.com', '.a@example.com', 'a.@example.com', 'a@localhost'],
    ].map((email): [string, string, unknown, string, string] => [
      `the address ${JSON.stringify(email)}`,
      'members',
      { email, role: 'member' },
      'email',
      ADDRESS,
    ]),
    ['a role', 'members', { email: 'x@example.com', role: 'admin' }, 'role', 'A role is one of owner, member, viewer.'],
    ['days of 0', 'keys', { expiresInDays: 0 }, 'expiresInDays', 'Give a whole number from 1 to 365.'],
    ['days of 366', 'keys', { expiresInDays: 366 }, 'expiresInDays'],
    ['half days', 'keys', { expiresInDays: 0.5 }, 'expiresInDays'],
    ['days as text', 'keys', { expiresInDays: '1' }, 'expiresInDays'],
    ['0 hours', 'keys', { expiresInHours: 0 }, 'expiresInHours', 'Give a whole number from 1 to 24.'],
    ['25 hours', 'keys', { expiresInHours: 25 }, 'expiresInHours'],
    [
      'days and hours',
      'keys',
      { expiresInDays: 1, expiresInHours: 1 },
      'expiresInHours',
      'Give expiresInDays or expiresInHours, not both.',
    ],
    ['hours of 169', 'rotate', { graceHours: 169 }, 'graceHours', 'Give a whole number from 0 to 168.'],
    ['hours below 0', 'rotate', { graceHours: -1 }, 'graceHours'],
    ['everywhere', '/api/sign-out', { everywhere: 1 }, 'everywhere', 'everywhere is true or false.'],
  ])('%s', async (_what, where, body, field, words = '') => {
    const { browser, account, project, keyId } = tenant;
    const path: Partial<Record<string, string>> = {
      members: `${account}/members`,
      keys: `${project}/keys`,
      rotate: `${project}/keys/${keyId}/rotate`,
    };
    const answer = await browser.post(path[where] ?? where, body);
    const detail = expect.stringContaining(words);
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.objectContaining({ code: 'INVALID_REQUEST', field, detail }),
    ]);
  });
});

describe('what is wrong with a request is said in words for people:', () => {
  const KEY_RULE = 'The Idempotency-Key header must be 1 to 255 visible ASCII characters.';
  test.each<[string, Omit<PortalRequest, 'path'>, object]>([
    ['bytes that are no text', { body: new Uint8Array([0xff]) }, { detail: 'The request body is not valid UTF-8.' }],
    ['a body that is no JSON', { body: '{' }, { detail: 'The request body is not valid JSON.' }],
    // In bytes as API Gateway sends them it is what they say.
    ['bytes', { body: Buffer.from('{"name":""}') }, { field: 'name' }],
    ...['', ' ', 'ä', 'x'.repeat(256)].map((key): [string, Omit<PortalRequest, 'path'>, object] => [
      `the Idempotency-Key ${JSON.stringify(key)}`,
      { body: { name: 'N' }, headers: { 'idempotency-key': key } },
      { field: 'Idempotency-Key', detail: KEY_RULE },
    ]),
  ])('%s', async (_what, request, told) => {
    const { status, body } = await browser.request('POST', '/api/accounts', request);
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'INVALID_REQUEST', ...told })]);
  });

  test('a parameter that is there twice', async () => {
    const { body } = await browser.get(`/api/accounts/${NOBODYS_IDS.accountId}/audit`, 'limit=1&limit=1');
    expect(body).toMatchObject({ field: 'limit', detail: 'A query parameter is named twice.' });
    // The caller has made the error: it is no failure for the platform team.
    expect(portal.telemetry.failures).toEqual([]);
  });
});

describe('an id in a path', () => {
  test.each(Object.entries(NOBODYS_IDS))(
    '(%s) that is not whole, or has anything around it, is nobody’s',
    (name, id) => {
      const read = (given: string): string => pathId({ req: { param: () => given } } as never, name as 'accountId');
      expect(read(id)).toBe(id);
      for (const given of [`x${id}`, `${id}x`, `${id}\n`, id.slice(1), id.slice(0, -1), '']) {
        expect(read(given)).toBe('0');
      }
    },
  );
});

describe('events that API Gateway never sends', () => {
  test.each([
    ['a GET with a body', 401, { body: 'x' }],
    ['a HEAD with a body', 405, { requestContext: { http: { method: 'HEAD' } }, body: 'x' }],
    ['headers that are null', 401, { headers: null }],
    ['a header that is no text', 401, { headers: { 'sec-fetch-site': ['cross-site'] } }],
    [
      'a body that is no text',
      403,
      { rawPath: '/api/sign-out', requestContext: { http: { method: 'POST' } }, body: 5 },
    ],
    ['headers that are none', 403, { headers: { 'a b': 'x', host: 'x\ny', 'sec-fetch-site': 'x' } }],
    ['no host', 401, { headers: {} }],
    ['a path that is none', 404, { rawPath: undefined }],
    ['a path without its beginning', 401, { rawPath: 'api/session' }],
    ['cookies that are none', 401, { cookies: 'x' }],
    ['no context', 405, { requestContext: undefined }],
    ['nothing', 404, undefined],
  ])('(%s) get an answer in the envelope, and a line in the log', async (_what, expected, changed) => {
    const { status, headers } = await portal.sendEvent(changed);
    const requestId = headers['x-service-request-id'];
    expect([status, requestId]).toEqual([expected, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const isWhole = changed !== undefined && !('requestContext' in changed);
    const apiRequestId = isWhole ? 'api-gateway-request-id' : '';
    expect(portal.telemetry.requests.at(-1)).toMatchObject({ requestId, apiRequestId, status });
  });
});

describe('cookies', () => {
  test('among the headers, where API Gateway never has them, are none', async () => {
    const cookies = ['first=1', ...browser.jar.list(), 'last=1'];
    expect((await portal.send({ path: '/api/session', cookies })).status).toBe(200);
    const headers = { Cookie: cookies.join('; ') };
    expect(await codeOf({ path: '/api/session', headers })).toEqual([401, 'NOT_SIGNED_IN']);
  });
});

describe('the store', () => {
  test('that is away is a 503 with when to try again', async () => {
    const away = testPortal(trustingProvider);
    away.client.middlewareStack.add(
      () => () => Promise.reject(Object.assign(new Error('away'), { name: 'TimeoutError' })),
      { step: 'finalizeRequest', name: 'away' },
    );
    const answer = await away.send({ path: '/api/session', cookies: browser.jar.list() });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(away.telemetry.failures).toHaveLength(1);
    expect(away.telemetry.metrics).toEqual([]);
  });

  test('that answers what it never does is a 500, and the log says why', async () => {
    const broken = testPortal(trustingProvider);
    const { nowMs } = broken.clock;
    broken.client.middlewareStack.add(
      () => () => {
        broken.clock.nowMs = nowMs + 24;
        return Promise.reject(new Error('a defect'));
      },
      { step: 'initialize', name: 'broken' },
    );
    const answer = await broken.send({ path: '/api/session', cookies: browser.jar.list() });
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(broken.telemetry.failures).toEqual([new Error('a defect')]);
    expect(broken.telemetry.requests).toMatchObject([{ status: 500, code: 'INTERNAL_ERROR', durationMs: 24 }]);
    // This metric causes a rollback of a deployment.
    expect(broken.telemetry.metrics).toEqual(['InternalErrors']);
  });
});
