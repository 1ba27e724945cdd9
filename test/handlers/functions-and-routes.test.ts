import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { meteredOperation } from '../../functions/shared/request/operation.ts';
import { healthChain } from '../../functions/gateway/health-chain.ts';
import { meteredChain } from '../../functions/gateway/metered-chain.ts';
import type { RequestStore } from '../../functions/shared/request/request-store.ts';
import { LOCAL_KEY_TAG_SECRETS } from '../../local/settings.ts';
import { TEST_ROUTES } from '../support/test-operation.ts';
import { mockedGateway } from '../support/mocked-gateway.ts';
import { httpEvent } from '../support/http.ts';
import { testClock, testTelemetry } from '../support/reports.ts';
import { testDeadline } from '../support/deadline.ts';

const dependencies = {
  clock: testClock(),
  randomBytes,
  startDeadline: testDeadline,
  telemetry: testTelemetry(),
  allowedOrigins: [],
};
const status = async (handler: unknown, event: unknown): Promise<unknown> =>
  (await (handler as (event: unknown, context: object) => Promise<{ statusCode: number }>)(event, {})).statusCode;

describe('each function serves its own routes', () => {
  const health = healthChain(dependencies);
  const { handler: metered } = mockedGateway();

  test.each(TEST_ROUTES)('and not those of the other: $method $path', async ({ method, path, function: owner }) => {
    const event = httpEvent({ method, path, headers: { 'access-control-request-method': 'POST' } });
    const other = owner === 'health' ? metered : health;
    expect(await status(other, event)).toBe(404);
  });

  test('but either tells which methods a path takes', async () => {
    const event = httpEvent({ method: 'PUT', path: '/api/v1/sandbox/ping' });
    expect([await status(health, event), await status(metered, event)]).toEqual([405, 405]);
  });

  test('and a request that only claims to be a preflight executes nothing', async () => {
    const gateway = mockedGateway();
    const event = {
      ...httpEvent({ method: 'POST', path: '/api/v1/sandbox/ping' }),
      routeKey: 'OPTIONS /api/v1/sandbox/ping',
    };
    expect(await status(gateway.handler, event)).toBe(404);
    expect(gateway.store.calls()).toHaveLength(0);
  });
});

test('a key without the scope of an operation learns which scope it needs', async () => {
  const requires = { mode: 'test', scope: 'sandbox:translate' } as const;
  const operation = meteredOperation({
    name: 'test.translate',
    method: 'POST',
    path: '/api/v1/sandbox/translate',
    requires,
    units: 2,
    body: {},
    execute: () => ({ body: {} }),
  });
  const asked: unknown[] = [];
  const store = {
    admit: (_hash: string, required: unknown) => {
      asked.push(required);
      return Promise.resolve({ outcome: 'refused', code: 'INSUFFICIENT_SCOPE', keyId: 'key_1' });
    },
    readSnapshot: () => Promise.resolve({ active: true, quotaLimit: 1, quotaUsed: 0, replay: undefined }),
    appendEventOncePerMinute: () => Promise.resolve(),
  } as unknown as RequestStore;
  const handler = meteredChain({
    ...dependencies,
    keyTagSecrets: LOCAL_KEY_TAG_SECRETS,
    store,
    quotaPeriod: 'month',
    operations: [operation],
  });
  const event = {
    ...httpEvent({ method: 'POST', path: operation.path, headers: { authorization: `Bearer ${mockedGateway().key}` } }),
    routeKey: `POST ${operation.path}`,
  };
  const { headers, body } = (await handler(event, {} as never)) as { headers: Record<string, string>; body: string };
  expect(asked).toEqual([requires]);
  expect(headers['WWW-Authenticate']).toBe(
    'Bearer realm="sandbox-gateway", error="insufficient_scope", scope="sandbox:translate"',
  );
  expect(JSON.parse(body)).toMatchObject({
    code: 'INSUFFICIENT_SCOPE',
    detail: 'This API key lacks the scope sandbox:translate.',
  });
});
