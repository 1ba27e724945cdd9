import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { expireKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { suspendProject } from '../../functions/accounts/projects/projects.ts';
import { ERRORS } from '../../functions/shared/http/errors.ts';
import {
  ANSWER_LOST,
  SIMULATED_CODES,
  SIMULATIONS,
  type SimulatedCode,
} from '../../functions/shared/request/operation.ts';
import { OPERATIONS } from '../../functions/gateway/operations/index.ts';
import { ping } from '../../functions/gateway/operations/ping.ts';
import { intercept, misbehavingServer } from '../support/faults.ts';
import { gatewayWithTenant, tenant, type TenantOptions, testGateway, type TestGateway } from '../support/gateway.ts';
import type { TestRequest, TestResponse } from '../support/http.ts';
import { MONTH_END_EPOCH_SECONDS, NOW_MS } from '../support/times.ts';

const server = await misbehavingServer();
afterAll(server.close);

type Tenant = Awaited<ReturnType<typeof tenant>>;
type Request = Partial<TestRequest>;
const simulating = (simulate: string, more: object = {}): Request => ({ body: { simulate, ...more } });
const under = (id: string, request: Request = {}): Request => ({ ...request, headers: { 'idempotency-key': id } });

/** The real cause of each refusal: the tenant's options, and the refused request. */
interface Real {
  readonly as?: TenantOptions;
  readonly refuse: (gateway: TestGateway, of: Tenant) => Promise<TestResponse>;
}
/** A ping, after something has happened. */
const after = (before: (gateway: TestGateway, of: Tenant) => unknown, as?: TenantOptions, request?: Request): Real => ({
  ...(as && { as }),
  refuse: async (gateway, of) => {
    await before(gateway, of);
    return gateway.ping(of.key, request);
  },
});
const pinged = (gateway: TestGateway, { key }: Tenant) => gateway.ping(key);
const REAL: Record<SimulatedCode, Real> = {
  API_KEY_REVOKED: after(({ store }, { keyId, projectId }) => revokeKey(store, projectId, keyId)),
  API_KEY_EXPIRED: after(({ store }, { keyId, projectId }) => expireKey(store, projectId, keyId, { inMs: 0 })),
  API_KEY_PAUSED: after(({ store }, { keyId, projectId }) => updateKey(store, projectId, keyId, { paused: true })),
  INSUFFICIENT_SCOPE: after(() => undefined, { scopes: new Set(['sandbox:read']) }),
  PROJECT_SUSPENDED: after(({ store }, { projectId }) => suspendProject(store, projectId)),
  RATE_LIMIT_EXCEEDED: after(
    async (gateway, { key }) => {
      await refused(gateway, key);
      await refused(gateway, key);
    },
    { rpm: 2 },
  ),
  IDEMPOTENCY_CONFLICT: after(
    (gateway, { key }) => gateway.ping(key, under('idempotency-key-k', { body: { clientRequestId: 'other' } })),
    undefined,
    under('idempotency-key-k'),
  ),
  QUOTA_EXCEEDED: after(pinged, { quotaLimit: 1 }),
  KEY_QUOTA_EXCEEDED: after(pinged, { unitsLimit: 1 }),
  INTERNAL_ERROR: after(() => jest.spyOn(ping, 'execute').mockRejectedValueOnce(new RangeError('a defect'))),
  SERVICE_UNAVAILABLE: after(({ client }) =>
    intercept(client, (attempt) =>
      attempt.operation === 'TransactWriteItems' ? server.refuse(attempt) : attempt.send(),
    ),
  ),
};

/** A request that is counted by the rate limit, and not charged. */
const refused = (gateway: TestGateway, key: string) => gateway.ping(key, simulating('INTERNAL_ERROR'));
/** A response without the values that differ in every one. */
function comparable({ status, headers, body }: TestResponse) {
  const { 'x-service-request-id': id, ...others } = headers;
  return { status, headers: others, body: { ...body, requestId: id === body.requestId } };
}
const own = ({ headers }: TestResponse) => headers['x-service-simulated'];

describe('a simulated refusal', () => {
  test.each(SIMULATED_CODES)('%s is the real one, member by member and header by header', async (code) => {
    const { as, refuse } = REAL[code];
    const gateway = testGateway();
    const real = await refuse(gateway, await tenant(gateway, as));

    const simulator = testGateway();
    const { key } = await tenant(simulator, { ...as, scopes: new Set(['sandbox:invoke']) });
    // So that the same is left of the other limits. Of the simulated one there is something.
    if (code === 'IDEMPOTENCY_CONFLICT') await simulator.ping(key);
    if (code === 'KEY_QUOTA_EXCEEDED' || code === 'QUOTA_EXCEEDED') await refused(simulator, key);
    const simulated = await simulator.ping(key, simulating(code));

    expect(own(real)).toBeUndefined();
    const { 'x-service-simulated': mark, ...headers } = comparable(simulated).headers;
    expect(mark).toBe('true');
    expect({ ...comparable(simulated), headers }).toEqual(comparable(real));
    expect(real.status).toBe(ERRORS[code].status);
  });

  test.each(['QUOTA_EXCEEDED', 'KEY_QUOTA_EXCEEDED'] as const)(
    '%s of a limit that there is not names none',
    async (code) => {
      const { gateway, key } = await gatewayWithTenant({ quotaLimit: undefined });
      const { status, headers } = await gateway.ping(key, simulating(code));
      expect(status).toBe(429);
      expect(headers['retry-after']).toBe(String(MONTH_END_EPOCH_SECONDS - NOW_MS / 1_000));
      expect(Object.keys(headers).filter((name) => /quota|^ratelimit/.test(name))).toEqual([]);
    },
  );

  test.each(SIMULATED_CODES)('%s leaves one event of 0 units that says so, and nothing else', async (code) => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    const first = await gateway.ping(key, under('idempotency-key-k', simulating(code)));
    gateway.clock.nowMs++;
    const answers = [first, await gateway.ping(key, under('idempotency-key-k', simulating(code)))];
    // Each has its own event, although real ones of a minute may share one.
    expect(await gateway.events(projectId)).toEqual(
      answers.map(({ body: { requestId, detail } }) =>
        expect.objectContaining({
          requestId,
          code,
          units: 0,
          simulated: true,
          detail,
          originalRequestId: null,
          event: ERRORS[code].event ?? 'request_rejected',
          status: ERRORS[code].status,
        }),
      ),
    );
    expect(await gateway.quotaUsed(projectId)).toBe(0);
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 0, ledgerUnits: 0 });
    // The Idempotency-Key is free for the real request.
    const real = await gateway.ping(key, under('idempotency-key-k'));
    expect([real.status, own(real)]).toEqual([200, undefined]);
  });

  test('counts in the rate limit, and comes after it and after the input', async () => {
    const { gateway, key } = await gatewayWithTenant({ rpm: 2 });
    const first = await gateway.ping(key, simulating('QUOTA_EXCEEDED', { clientRequestId: 7 }));
    expect([first.body.code, own(first)]).toEqual(['INVALID_REQUEST', undefined]);
    const second = await gateway.ping(key, simulating('QUOTA_EXCEEDED'));
    expect([second.headers['x-ratelimit-remaining'], own(second)]).toEqual(['0', 'true']);
    const third = await gateway.ping(key, simulating('QUOTA_EXCEEDED'));
    expect([third.body.code, own(third)]).toEqual(['RATE_LIMIT_EXCEEDED', undefined]);
  });

  test('comes before a used-up quota, and after a success that is stored under its Idempotency-Key', async () => {
    const { gateway, key } = await gatewayWithTenant({ quotaLimit: 1 });
    const lost = under('idempotency-key-k', simulating(ANSWER_LOST));
    await gateway.ping(key, lost);
    expect((await gateway.ping(key, simulating('API_KEY_REVOKED'))).status).toBe(401);
    expect((await gateway.ping(key, lost)).status).toBe(200);
    const other = await gateway.ping(key, under('idempotency-key-k', simulating('API_KEY_REVOKED')));
    expect([other.body.code, own(other)]).toEqual(['IDEMPOTENCY_CONFLICT', undefined]);
  });

  test('is no failure in the log and the metrics: its outcome is simulated, and a 5xx is counted apart', async () => {
    const { gateway, key } = await gatewayWithTenant();
    for (const simulate of SIMULATIONS) await gateway.ping(key, simulating(simulate));
    expect(gateway.telemetry.failures).toEqual([]);
    expect(gateway.telemetry.warnings).toEqual([]);
    expect(gateway.telemetry.requests.map(({ outcome, code, units }) => [outcome, code, units])).toEqual([
      ...SIMULATED_CODES.map((code) => ['simulated', code, 0]),
      ['simulated', 'SERVICE_UNAVAILABLE', 1],
    ]);
    expect(gateway.telemetry.metrics).toEqual(Array(3).fill('SimulatedServerErrors'));
  });
});

describe('a request whose answer is to be lost', () => {
  test('is charged, stored and answered as the store had been lost, with the limits from before', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    const lost = await gateway.ping(key, under('idempotency-key-k', simulating(ANSWER_LOST)));
    const real = testGateway();
    const unavailable = await REAL.SERVICE_UNAVAILABLE.refuse(real, await tenant(real));
    expect(comparable(lost)).toEqual({
      ...comparable(unavailable),
      headers: { ...comparable(unavailable).headers, 'x-service-simulated': 'true' },
    });
    expect(await gateway.events(projectId)).toEqual([
      expect.objectContaining({
        requestId: lost.body.requestId,
        event: 'request_succeeded',
        status: 200,
        code: null,
        units: 1,
        simulated: true,
      }),
    ]);
    gateway.clock.nowMs++;
    const again = await gateway.ping(key, under('idempotency-key-k', simulating(ANSWER_LOST)));
    expect([again.status, again.headers['x-service-idempotency-replayed'], own(again)]).toEqual([
      200,
      'true',
      undefined,
    ]);
    expect((await gateway.events(projectId))[1]).toMatchObject({
      event: 'idempotency_replay',
      originalRequestId: lost.body.requestId,
    });
    expect((await gateway.events(projectId))[1]).not.toHaveProperty('simulated');
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 1, ledgerUnits: 1 });
  });
});

describe('simulate', () => {
  test.each(['answer_lost', 'NOT_FOUND', '', null, 7, ['ANSWER_LOST']])(
    'is refused with %j, by its name and with its values',
    async (simulate) => {
      const { gateway, key, projectId } = await gatewayWithTenant();
      const { body } = await gateway.ping(key, { body: { simulate } });
      expect(body).toMatchObject({
        code: 'INVALID_REQUEST',
        detail: `simulate must be one of ${SIMULATIONS.join(', ')}.`,
      });
      expect(await gateway.quotaUsed(projectId)).toBe(0);
    },
  );

  test('is part of every operation, and of the request that an Idempotency-Key belongs to', async () => {
    for (const { members } of OPERATIONS) expect(members).toContain('simulate');
    const { gateway, key } = await gatewayWithTenant();
    expect((await gateway.ping(key, under('idempotency-key-k', { body: {} }))).status).toBe(200);
    const other = await gateway.ping(key, under('idempotency-key-k', simulating(ANSWER_LOST)));
    expect([other.body.code, own(other)]).toEqual(['IDEMPOTENCY_CONFLICT', undefined]);
  });
});
