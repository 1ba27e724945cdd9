import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { healthChain } from '../../functions/gateway/health-chain.ts';
import { expectProblem, expectSuccess, requestIdOf } from '../support/expectations.ts';
import { gatewayWithTenant, LOCAL_DEV_ORIGIN, PORTAL_ORIGIN, testGateway } from '../support/gateway.ts';
import { testClock, testTelemetry } from '../support/reports.ts';
import { httpEvent, invoke, type TestRequest } from '../support/http.ts';
import { testDeadline } from '../support/deadline.ts';
import { specifiedTable, testBySpecification } from '../support/specification.ts';

const telemetry = testTelemetry();
const health = healthChain({
  clock: testClock(),
  randomBytes,
  startDeadline: testDeadline,
  telemetry,
  portalOrigin: PORTAL_ORIGIN,
  allowedOrigins: [PORTAL_ORIGIN, LOCAL_DEV_ORIGIN],
});
const send = (request: TestRequest) => invoke(health, httpEvent(request));

describe('health', () => {
  test('answers as specified, without a key and without limits', async () => {
    const response = await send({ path: '/api/v1/health', body: null });
    expectSuccess(response, { service: 'sandbox-gateway', status: 'available' });
  });

  test('does not look at an Authorization header', async () => {
    const response = await send({ path: '/api/v1/health', headers: { authorization: 'Bearer nonsense' } });
    expect(response.status).toBe(200);
  });
});

describe('what no route matches', () => {
  test.each(['/', '/api/v1', '/api/v1/health/', '/api/v2/health', '/API/v1/health', '/api/v1/sandbox/ping/x'])(
    'is 404 for the path %s, whatever the method',
    async (path) => {
      for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE'])
        expectProblem(await send({ method, path }), 'NOT_FOUND');
    },
  );

  test.each([
    ['/api/v1/health', 'GET, HEAD, OPTIONS', ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/sandbox/ping', 'POST, OPTIONS', ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH']],
  ])('is 405 for another method on %s, with Allow', async (path, allow, methods) => {
    for (const method of methods) expectProblem(await send({ method, path }), 'METHOD_NOT_ALLOWED', { allow });
  });

  test('echoes nothing of the request', async () => {
    const response = await send({
      path: '/<script>alert(1)</script>',
      query: 'q=canary',
      headers: { 'x-canary': 'canary' },
    });
    expect(JSON.stringify(response)).not.toMatch(/script|canary/);
  });
});

describe('across origins', () => {
  const withOrigin = (origin: string) => send({ path: '/api/v1/health', headers: { origin } });

  test.each([PORTAL_ORIGIN, LOCAL_DEV_ORIGIN])('%s may read every response', async (origin) => {
    const preflight = await testGateway().send({
      method: 'OPTIONS',
      path: '/api/v1/sandbox/ping',
      body: null,
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
    expect(preflight).toMatchObject({ status: 204, text: '' });
    requestIdOf(preflight);
    const allowed = [
      preflight,
      await withOrigin(origin),
      await send({ path: '/nowhere', headers: { origin } }),
      await send({ method: 'PUT', path: '/api/v1/health', headers: { origin } }),
      await testGateway().send({ headers: { origin } }),
    ];
    for (const { headers } of allowed) {
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
      expect(headers.vary).toBe('Origin');
    }
  });

  testBySpecification('every response on every path allows exactly what the specification does', async () => {
    const {
      'Allowed origins (exact match only)': origins,
      'Allowed methods': methods,
      'Allowed request headers': requestHeaders,
    } = specifiedTable('CORS');
    expect(origins).toBe('{portal_origin}, {local_dev_origin}');
    for (const path of ['/api/v1/health', '/api/v1/sandbox/ping', '/nowhere']) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS']) {
        const request = { method, path, body: null, headers: { origin: PORTAL_ORIGIN } };
        const isPing = path === '/api/v1/sandbox/ping' && ['POST', 'OPTIONS'].includes(method);
        const { headers } = isPing ? await testGateway().send(request) : await send(request);
        expect(headers).toMatchObject({
          'access-control-allow-methods': methods,
          'access-control-allow-headers': requestHeaders,
        });
      }
    }
  });

  test.each([
    ...['https://PORTAL.example.com', 'https://portal.example.com/', 'https://portal.example.com:443', 'null', '*'],
    ...['http://portal.example.com', 'https://portal.example.com.evil.test', 'https://evil-portal.example.com', ''],
    ...['https://sub.portal.example.com', 'http://localhost:5174', 'http://localhost', 'http://127.0.0.1:5173'],
    ...['https://portal.example.com,https://evil.test', ' https://portal.example.com'],
  ])('%s may not', async (origin) => {
    const preflight = await send({ method: 'OPTIONS', path: '/api/v1/health', headers: { origin } });
    for (const { headers } of [preflight, await withOrigin(origin)]) {
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers.vary).toBe('Origin');
    }
  });

  test('a replay and a refusal by limit are readable too', async () => {
    const { gateway, key } = await gatewayWithTenant({ rpm: 2 });
    const headers = { origin: PORTAL_ORIGIN, 'idempotency-key': 'idempotency-key-k' };
    await gateway.ping(key, { headers });
    const replay = await gateway.ping(key, { headers });
    const limited = await gateway.ping(key, { headers });
    expect(replay.headers).toMatchObject({
      'x-service-idempotency-replayed': 'true',
      'access-control-allow-origin': PORTAL_ORIGIN,
    });
    expect(limited).toMatchObject({ status: 429, headers: { 'access-control-allow-origin': PORTAL_ORIGIN } });
  });
});

describe('an event that is not as API Gateway sends it', () => {
  test.each([
    ['a header', { headers: { authorization: null } }, 'MISSING_API_KEY'],
    ['the body', { body: 0 }, 'INVALID_REQUEST'],
    ['what says how the body is encoded', { isBase64Encoded: 'no' }, 'INVALID_IDEMPOTENCY_KEY'],
  ])('is refused as a request without it when %s is of another type', async (_name, part, code) => {
    const { gateway, key } = await gatewayWithTenant();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': '' };
    const event = { ...httpEvent({ method: 'POST', path: '/api/v1/sandbox/ping', headers }), ...part };
    const response = await gateway.handle(event as never);
    expect(response.body.code).toBe(code);
  });

  test.each([
    ['GET', '/api/v1/health', 200],
    ['PUT', '/api/v1/health', 405],
    ['GET', '/nowhere', 404],
  ])('finds its route by itself when it names none: %s %s', async (method, path, status) => {
    const { routeKey: _route, ...event } = httpEvent({ method, path });
    expect(await invoke(health, event as never)).toMatchObject({ status });
  });

  test('with header names in any case is read', async () => {
    const { gateway, key } = await gatewayWithTenant();
    const response = await gateway.send({
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    });
    expect(response.status).toBe(200);
  });
});
