import { describe, expect, test } from '@jest/globals';
import { expectProblem, expectSuccess, quotaHeaders, rateHeaders } from '../support/expectations.ts';
import { gatewayWithTenant, testGateway } from '../support/gateway.ts';
import { triple } from '../support/test-operation.ts';
import { MINUTE_END_EPOCH_SECONDS, MONTH_END_EPOCH_SECONDS } from '../support/times.ts';
import { meanwhile } from '../support/visits.ts';

const READY = { mode: 'sandbox', message: 'Sandbox gateway is ready.' };
const { path } = triple;
const under = (idempotencyKey: string, body: unknown = {}) => ({
  path,
  headers: { 'idempotency-key': idempotencyKey },
  body,
});
const remaining = ({ headers }: { headers: Readonly<Record<string, string>> }) => headers['x-service-quota-remaining'];

describe('an operation of three units', () => {
  test('charges three, and records them with its name and its token counts', async () => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant({ quotaLimit: 10 });
    const response = await gateway.ping(key, { path, body: { words: 5, clientRequestId: 'order-7' } });
    expectSuccess(response, READY, {
      ...rateHeaders(60, 59, MINUTE_END_EPOCH_SECONDS),
      ...quotaHeaders(10, 7, MONTH_END_EPOCH_SECONDS),
    });
    expect(await gateway.events(projectId)).toEqual([
      {
        requestId: response.body.requestId,
        projectId,
        keyId,
        event: 'request_succeeded',
        operation: 'test.triple',
        status: 200,
        code: null,
        units: 3,
        period: '2030-01',
        latencyMs: 0,
        inputTokens: 5,
        outputTokens: 10,
        totalTokens: 15,
        clientRequestId: 'order-7',
        occurredAt: '2030-01-15T10:00:30.000Z',
        originalRequestId: null,
        detail: null,
        userAgent: null,
        sourceAddress: null,
        idempotencyTag: null,
      },
    ]);
    expect(gateway.telemetry.requests).toMatchObject([{ routeKey: 'POST /api/v1/sandbox/triple', units: 3 }]);
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 3, ledgerUnits: 3 });
  });

  test('runs for each of ten identical requests at once, is charged once, and answers nine from the record', async () => {
    let runs = 0;
    const allRun = Promise.withResolvers<undefined>();
    const counted = {
      ...triple,
      execute: async (...request: Parameters<typeof triple.execute>) => {
        if (++runs === 10) allRun.resolve(undefined);
        await allRun.promise;
        return triple.execute(...request);
      },
    };
    const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: 5 }, { operations: [counted] });
    const answers = await Promise.all(Array.from({ length: 10 }, () => gateway.ping(key, under('idempotency-key-k'))));
    const replayed = answers.filter(({ headers }) => headers['x-service-idempotency-replayed'] === 'true');
    expect([answers.map(({ status }) => status), replayed.length]).toEqual([Array(10).fill(200), 9]);
    // One that lost the race knows that the winner's units were charged.
    expect(new Set(answers.map(remaining))).toEqual(new Set(['2']));
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 3, ledgerUnits: 3 });
    // Later it runs no more.
    await gateway.ping(key, under('idempotency-key-k'));
    expect(runs).toBe(10);
  });

  test('knows its request, and ends its calls with it', async () => {
    const calls: unknown[] = [];
    const called = {
      ...triple,
      execute: (...[input, { requestId, deadline }]: Parameters<typeof triple.execute>) => {
        calls.push({ requestId, isOver: deadline.aborted, leftMs: deadline.leftMs() });
        return triple.execute(input, { requestId, deadline });
      },
    };
    const { gateway, key } = await gatewayWithTenant({}, { operations: [called] });
    const { requestId } = (await gateway.ping(key, { path })).body;
    expect(calls).toEqual([{ requestId, isOver: false, leftMs: expect.any(Number) as unknown }]);
  });

  test('has members of its own in its body, and says what is wrong with them', async () => {
    const { gateway, key } = await gatewayWithTenant();
    for (const [words, detail] of [
      ['many', 'words must be a number.'],
      [100, 'words must be at most 99.'],
    ]) {
      const { body } = await gateway.ping(key, { path, body: { words } });
      expect(body).toMatchObject({ code: 'INVALID_REQUEST', detail });
    }
  });

  test('is replayed for 0 units and without token counts', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: 3 });
    await gateway.ping(key, under('idempotency-key-k'));
    const replay = await gateway.ping(key, under('idempotency-key-k'));
    expect(replay).toMatchObject({ status: 200, headers: { 'x-service-idempotency-replayed': 'true' } });
    expect(remaining(replay)).toBe('0');
    expect((await gateway.events(projectId)).find(({ event }) => event === 'idempotency_replay')).toMatchObject({
      units: 0,
      inputTokens: null,
      outputTokens: null,
      totalTokens: null,
    });
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 3, ledgerUnits: 3 });
  });

  test('shares no replay with a ping under the same Idempotency-Key', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    await gateway.ping(key, under('idempotency-key-k'));
    const ping = await gateway.ping(key, { headers: { 'idempotency-key': 'idempotency-key-k' }, body: {} });
    expect(ping.headers).not.toHaveProperty('x-service-idempotency-replayed');
    expect(await gateway.quotaUsed(projectId)).toBe(4);
  });
});

describe('a project with fewer units left than an operation costs', () => {
  test('is refused, charged nothing and shown what is left; a cheaper operation still goes through', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: 5 });
    expect(remaining(await gateway.ping(key, { path }))).toBe('2');
    const refused = await gateway.ping(key, { path });
    expectProblem(refused, 'QUOTA_EXCEEDED', {
      'retry-after': String(MONTH_END_EPOCH_SECONDS - Date.UTC(2030, 0, 15, 10, 0, 30) / 1_000),
      ...rateHeaders(60, 58, MINUTE_END_EPOCH_SECONDS),
      ...quotaHeaders(5, 2, MONTH_END_EPOCH_SECONDS),
    });
    expect(refused.body.detail).toBe(
      'The project has fewer request units left in this period than this operation needs. The next period begins on 2030-02-01 at 00:00 UTC.',
    );
    expect(remaining(await gateway.ping(key))).toBe('1');
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 4, ledgerUnits: 4 });
  });

  test('makes no counter when its whole limit is less than the cost', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: 2 });
    expect(remaining(await gateway.ping(key, under('idempotency-key-k')))).toBe('2');
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 0, ledgerUnits: 0 });
  });

  test('learns what is left when another request took the units first', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: 4 });
    const { request, arrange } = meanwhile('TransactWriteItems', { path }, async () => [
      await gateway.ping(key, { path }),
    ]);
    const late = testGateway();
    arrange(late.client);
    const refused = await late.ping(key, request);
    expect(refused.body.code).toBe('QUOTA_EXCEEDED');
    expect(remaining(refused)).toBe('1');
    // Its handler ran before the refusal.
    expect((await gateway.events(projectId)).find(({ code }) => code === 'QUOTA_EXCEEDED')).toMatchObject({
      inputTokens: null,
      outputTokens: null,
      totalTokens: null,
    });
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 3, ledgerUnits: 3 });
  });
});
