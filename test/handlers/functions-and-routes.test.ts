import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { healthChain } from '../../functions/gateway/health-chain.ts';
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
