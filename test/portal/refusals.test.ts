import { beforeAll, describe, expect, test } from '@jest/globals';
import { pathId } from '../../functions/portal/paths.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { portalOperations } from '../support/portal-contract.ts';
import { PORTAL, testPortal, type PortalRequest, type TestBrowser, type TestPortal } from '../support/portal.ts';

let portal: TestPortal;
let browser: TestBrowser;
beforeAll(async () => {
  portal = testPortal(trustingProvider);
  browser = portal.browser();
  await browser.signIn('ada@example.com');
});

const IDS: Readonly<Record<string, string>> = {
  accountId: 'acc_4fS0pQ2mXz81LkWd',
  projectId: 'L3F3EM36hg2T',
  keyId: 'key_9aBcD3fGhJ5kLmN7',
  endpointId: 'ept_Hn5jR2wK8cY1vQ6s',
  tokenId: 'tok_Yt7bN2wK8cQ1vH5s',
  deliveryId: 'dlv_0UzL8kQ2Rm4tXc7b',
  memberId: 'mem_Zx8cV6bN4mQ2wE0r',
  requestId: '01b92504-8230-7a78-958c-786de2921d1b',
  sessionId: 'ses_Zx8cV6bN4mQ2wE0r',
};
const operations = portalOperations
  .filter(({ isOpen }) => !isOpen)
  .map(({ method, path }) => ({ method, path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => IDS[name] ?? '') }));
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

  test.each([
    ['HEAD', '/api/session', 'GET'],
    ['POST', '/api/session', 'GET'],
    ['HEAD', '/api/sign-in', 'GET'],
    ['HEAD', '/api/sign-in/callback', 'GET'],
    ['OPTIONS', '/api/accounts', 'POST'],
    ['TRACE', '/api/accounts', 'POST'],
    ['GET', `/api/accounts/${IDS.accountId}`, 'PATCH, DELETE'],
    ['PUT', `/api/accounts/${IDS.accountId}/members`, 'GET, POST'],
  ])('%s %s is told what the path takes', async (method, path, allow) => {
    const { status, headers, text } = await portal.send({ method, path });
    expect([status, headers.allow, text === '']).toEqual([405, allow, method === 'HEAD']);
  });
});

describe.each(operations)('$method $path', ({ method, path }) => {
  test('is refused without a session', async () => {
    expect(await codeOf({ method, path, headers: OWN_PAGE })).toEqual([401, 'NOT_SIGNED_IN']);
  });
});

describe.each(reads)('$method $path', ({ method, path }) => {
  test.each(['cross-site', 'same-site', 'anything new'])(
    'is refused to a page of another origin (%s)',
    async (site) => {
      const request = { method, path, headers: { 'sec-fetch-site': site } };
      expect(await codeOf(request)).toEqual([403, 'CROSS_SITE_REQUEST']);
      expect(await signedIn(request)).toEqual([403, 'CROSS_SITE_REQUEST']);
    },
  );

  test.each(['same-origin', 'none', undefined])(
    'is answered to the own page, the address bar and programs (%s)',
    async (site) => {
      const [status] = (await signedIn({ method, path, headers: { 'sec-fetch-site': site } })) as [number];
      expect([200, 404]).toContain(status);
    },
  );
});

describe.each(changes)('$method $path', ({ method, path }) => {
  test.each<[string, PortalRequest['headers']]>([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: PORTAL }],
    ['a neighbour of the site', { 'sec-fetch-site': 'same-site', origin: PORTAL }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['another origin that begins the same', { origin: `${PORTAL}.evil.example` }],
    ['no origin', { origin: 'null' }],
    ['nowhere', {}],
  ])('is refused from %s', async (_where, headers) => {
    const request = { method, path, headers: { 'content-type': 'application/json', ...headers } };
    expect(await codeOf(request)).toEqual([403, 'CROSS_SITE_REQUEST']);
    expect(await signedIn(request)).toEqual([403, 'CROSS_SITE_REQUEST']);
  });

  test('is taken from the portal’s origin where a client sends no fetch metadata', async () => {
    const headers = { origin: PORTAL, 'content-type': 'text/plain' };
    expect(await signedIn({ method, path, headers })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  test('takes JSON of a bounded size, and says what is wrong before it says what there is', async () => {
    const send = (body: unknown, headers: PortalRequest['headers'] = OWN_PAGE) =>
      signedIn({ method, path, headers, body });
    expect(await send('x'.repeat(16_385), { ...OWN_PAGE, 'content-type': 'text/plain' })).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
    ]);
    expect(await send(undefined, { 'sec-fetch-site': 'same-origin' })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const types = ['text/plain', 'application/jsonx', 'application/x-www-form-urlencoded', ''];
    for (const type of types) {
      expect(await send('{}', { ...OWN_PAGE, 'content-type': type })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
    const malformed = [
      '{',
      '[]',
      'null',
      '"x"',
      '{"a":1,"a":2}',
      '['.repeat(8_000),
      new Uint8Array([0xff]),
      '\ufeff{}',
    ];
    for (const body of malformed) expect(await send(body)).toEqual([400, 'INVALID_REQUEST']);
  });
});

describe('what is wrong with a request is said in words for people:', () => {
  const KEY_RULE = 'The Idempotency-Key header must be 1 to 255 visible ASCII characters.';
  test.each<[string, Omit<PortalRequest, 'path'>, object]>([
    ['nothing of what is asked for', { body: {} }, { field: 'name', detail: 'name is missing.' }],
    [
      'a member of another type',
      { body: { name: 1 } },
      { field: 'name', detail: expect.stringMatching(/^A name has 1/) },
    ],
    ['bytes that are no text', { body: new Uint8Array([0xff]) }, { detail: 'The request body is not valid UTF-8.' }],
    ['a body that is no JSON', { body: '{' }, { detail: 'The request body is not valid JSON.' }],
    [
      'a key for repeats that is none',
      { body: { name: 'N' }, headers: { 'idempotency-key': 'ä' } },
      { field: 'Idempotency-Key', detail: KEY_RULE },
    ],
  ])('%s', async (_what, request, told) => {
    const { status, body } = await browser.request('POST', '/api/accounts', request);
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'INVALID_REQUEST', ...told })]);
  });

  test('a parameter that is there twice', async () => {
    const { body } = await browser.get(`/api/accounts/${IDS.accountId}/audit`, 'limit=1&limit=1');
    expect(body).toMatchObject({ field: 'limit', detail: 'A query parameter is named twice.' });
    // The caller has made the error: it is no failure for the platform team.
    expect(portal.telemetry.failures).toEqual([]);
  });

  test('in bytes as API Gateway sends them, it is what they say', async () => {
    const answer = await browser.request('POST', '/api/accounts', { body: Buffer.from('{"name":""}') });
    expect(answer.body).toMatchObject({ field: 'name' });
  });
});

describe('an id in a path', () => {
  test.each(Object.entries(IDS))('(%s) that is not whole, or has anything around it, is nobody’s', (name, id) => {
    const read = (given: string): string => pathId({ req: { param: () => given } } as never, name as 'accountId');
    expect(read(id)).toBe(id);
    for (const given of [`x${id}`, `${id}x`, `${id}\n`, id.slice(1), id.slice(0, -1), '']) {
      expect(read(given)).toMatch(/^([a-z]{3}_)?[0-]+$/);
    }
  });
});

describe('what belongs to others, and what does not exist,', () => {
  test.each(operations.filter(({ path }) => path.includes('acc_')))(
    'is not found by $method $path',
    async ({ method, path }) => {
      const body = {
        name: 'N',
        email: 'x@example.com',
        role: 'member',
        graceHours: 0,
        idempotencyKey: 'order-7',
        url: 'https://example.com/',
        kinds: ['key.expiring'],
        scopes: ['keys:read'],
        expiresInDays: 1,
      };
      const ask = { method, path, ...(method !== 'GET' && { body }) };
      expect(await signedIn(ask)).toEqual([404, 'NOT_FOUND']);
      // The same for a malformed id of any length.
      for (const id of ['x', 'y'.repeat(3_000), '%00', '..%2f']) {
        expect(await signedIn({ ...ask, path: path.replace(IDS.accountId ?? '', id) })).toEqual([404, 'NOT_FOUND']);
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
