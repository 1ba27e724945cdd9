import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { updateProject } from '../../functions/accounts/projects/projects.ts';
import { replayId } from '../../functions/shared/request/metered-request.ts';
import type { Units } from '../../functions/shared/request/operation.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { assertBooks } from '../support/books.ts';
import { recordCalls } from '../support/database.ts';
import { endlessDeadline } from '../support/deadline.ts';
import { expectProblem, quotaHeaders, rateHeaders } from '../support/expectations.ts';
import { gatewayWithTenant, tenant, testGateway, type TenantOptions, type TestGateway } from '../support/gateway.ts';
import type { TestResponse } from '../support/http.ts';
import { TEST_OPERATIONS, upTo } from '../support/test-operation.ts';
import { MINUTE_END_EPOCH_SECONDS, MONTH_END_EPOCH_SECONDS } from '../support/times.ts';
import { meanwhile } from '../support/visits.ts';

const { path } = upTo;
const MOST = 5;
/** A request that costs so many units. */
const costing = (cost: unknown, idempotencyKey?: string) => ({
  path,
  body: { cost },
  ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
});
const left = ({ headers }: TestResponse) => Number(headers['x-service-quota-remaining']);
const balanced = (units: number) => ({ consistent: true, quotaUsed: units, ledgerUnits: units });
/** A gateway whose execution always costs this; with `units`: as another version of it may define the operation. */
const gatewayOf = (told: number, units: Units = upTo.units) => {
  const execute = async (...asked: Parameters<typeof upTo.execute>) => ({
    ...(await upTo.execute(...asked)),
    units: told,
  });
  return testGateway({ operations: [{ ...upTo, units, execute }] });
};
const removeUnits = ({ store }: TestGateway, projectId: string, idempotencyKey: string) =>
  store.client.send(
    new UpdateCommand({
      TableName: store.tables.gateway,
      Key: itemKey.replay(projectId, replayId(upTo, idempotencyKey)),
      UpdateExpression: 'REMOVE #units',
      ConditionExpression: 'attribute_exists(#units)',
      ExpressionAttributeNames: { '#units': 'units' },
    }),
  );

describe('an operation whose result tells its units', () => {
  test.each([1, 2, MOST])('is charged %i of at most 5, in the calls of a ping', async (cost) => {
    const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: 10 });
    const calls = recordCalls(gateway.client);
    const answer = await gateway.ping(key, costing(cost));
    expect([answer.status, left(answer)]).toEqual([200, 10 - cost]);
    expect([calls.commands, calls.roundTrips]).toEqual([['UpdateItem', 'BatchGetItem', 'TransactWriteItems'], 2]);
    expect(await gateway.events(projectId)).toMatchObject([{ units: cost, inputTokens: cost, operation: 'test.upTo' }]);
    expect(gateway.telemetry.requests).toMatchObject([{ units: cost }]);
    expect(gateway.telemetry.requests[0]?.uncharged).toBeUndefined();
    expect(await gateway.verify(projectId)).toEqual(balanced(cost));
  });

  test.each([0, -1, 6, 1.5, 1e16])('that tells %d is a defect: 500, and nothing is charged', async (cost) => {
    const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: 10 });
    const answer = await gateway.ping(key, costing(cost, 'idempotency-key-k'));
    expectProblem(answer, 'INTERNAL_ERROR', {
      ...rateHeaders(60, 59, MINUTE_END_EPOCH_SECONDS),
      ...quotaHeaders(10, 10, MONTH_END_EPOCH_SECONDS),
    });
    expect(gateway.telemetry.metrics).toEqual(['InternalErrors']);
    expect(await gateway.events(projectId)).toEqual([]);
    expect(await gateway.verify(projectId)).toEqual(balanced(0));
    // Nothing is stored under its Idempotency-Key.
    expect((await gateway.ping(key, costing(1, 'idempotency-key-k'))).status).toBe(200);
  });

  test('or tells none, or no number, is one, too', async () => {
    for (const units of [undefined, null, '2', NaN]) {
      const told = { ...upTo, execute: () => ({ body: {}, units: units as number }) };
      const { gateway, key, projectId } = await gatewayWithTenant({}, { operations: [told] });
      expect((await gateway.ping(key, { path })).status).toBe(500);
      expect(await gateway.verify(projectId)).toEqual(balanced(0));
    }
  });

  test('needs its most to be left, of the project and of the key, and is not executed before', async () => {
    for (const limit of [{ quotaLimit: 4 }, { unitsLimit: 4 }]) {
      const { gateway, key, projectId } = await gatewayWithTenant(limit);
      for (const request of [costing(1), costing(1, 'idempotency-key-k')]) {
        const refused = await gateway.ping(key, request);
        expect([refused.status, left(refused)]).toEqual([429, 4]);
        expect(refused.body.detail).toMatch(
          / has fewer request units left in this period than this operation needs\. /,
        );
      }
      expect(gateway.telemetry.metrics).toEqual([]);
      expect(await gateway.verify(projectId)).toEqual(balanced(0));
    }
  });

  test('is replayed for nothing, and says what is left after its own units', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: MOST });
    const answers: TestResponse[] = [];
    while (answers.length < 3) answers.push(await gateway.ping(key, costing(1, 'idempotency-key-k')));
    expect(answers.map((answer) => [answer.status, left(answer)])).toEqual(Array(3).fill([200, 4]));
    expect(await gateway.verify(projectId)).toEqual(balanced(1));
  });

  test('as one whose answer is to be lost, is charged what it told', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    const { status } = await gateway.ping(key, { path, body: { cost: 4, simulate: 'ANSWER_LOST' } });
    expect([status, await gateway.verify(projectId)]).toEqual([503, balanced(4)]);
  });
});

describe('a duplicate that commits first', () => {
  /** What a request sees as left that finds the record of another when it settles, and what is left. */
  async function race(
    options: TenantOptions,
    own: ReturnType<typeof testGateway>,
    first: (gateway: TestGateway, key: string, projectId: string) => Promise<TestResponse>,
  ) {
    const { gateway, key, projectId } = await gatewayWithTenant(options);
    const { request, arrange } = meanwhile('TransactWriteItems', costing(5, 'k'), async () => [
      await first(gateway, key, projectId),
    ]);
    arrange(own.client);
    const answer = await own.ping(key, request);
    return { told: left(answer), is: left(await gateway.ping(key, { body: 'no' })), answer };
  }
  test.each([{ quotaLimit: 100 }, { quotaLimit: 100, shards: 3 }, { unitsLimit: 100 }])(
    'for another price is told with its own units: %j',
    async (options) => {
      const { told, is, answer } = await race(options, gatewayOf(5), (_, key) =>
        gatewayOf(1).ping(key, costing(5, 'k')),
      );
      expect(answer.headers['x-service-idempotency-replayed']).toBe('true');
      expect([told, is]).toEqual([99, 99]);
    },
  );

  test('by a version that stores no units is told with those of the operation, at most', async () => {
    const { told, is } = await race({ quotaLimit: 100 }, gatewayOf(5), async (gateway, key, projectId) => {
      const answer = await gatewayOf(1).ping(key, costing(5, 'k'));
      await removeUnits(gateway, projectId, 'k');
      return answer;
    });
    expect([told, is]).toEqual([95, 99]);
  });

  test('by a version with another price is told with the price that it paid', async () => {
    const { told, is } = await race({ quotaLimit: 100 }, gatewayOf(3, 3), (_, key) =>
      gatewayOf(2, 2).ping(key, costing(5, 'k')),
    );
    expect([told, is]).toEqual([98, 98]);
  });
});

describe('work that is done when a limit is reached', () => {
  test.each([
    ['QUOTA_EXCEEDED', { quotaLimit: 7 }],
    ['QUOTA_EXCEEDED', { quotaLimit: 7, shards: 2 }],
    ['KEY_QUOTA_EXCEEDED', { unitsLimit: 7 }],
  ])('is not charged: %s, %j; a metric and the tokens in the log line tell of it', async (code, options) => {
    const { gateway, key, projectId } = await gatewayWithTenant(options);
    const late = testGateway();
    const { request, arrange, others } = meanwhile('TransactWriteItems', costing(3, 'k'), async () => [
      await gateway.ping(key, costing(5)),
    ]);
    arrange(late.client);
    const refused = await late.ping(key, request);
    expect([refused.status, refused.body.code, left(refused)]).toEqual([429, code, 2]);
    expect(late.telemetry.metrics).toEqual(['WorkUncharged']);
    expect(late.telemetry.requests).toMatchObject([
      { code, units: 0, uncharged: { units: 3, tokens: { input: 3, output: 0 } } },
    ]);
    await assertBooks(
      gateway,
      projectId,
      [...others, refused].map((response) => ({ response })),
    );
    // A repeat is decided anew.
    await updateProject(gateway.store, projectId, { quota: 100 });
    const again = await gateway.ping(key, costing(3, 'k'));
    expect(again.body.code ?? again.status).toBe(code === 'QUOTA_EXCEEDED' ? 200 : code);
  });

  test('of an operation with one price is told, too, without tokens where it has none', async () => {
    const { gateway, key } = await gatewayWithTenant({ quotaLimit: 1 });
    const late = testGateway();
    meanwhile('TransactWriteItems', {}, async () => [await gateway.ping(key)]).arrange(late.client);
    expect((await late.ping(key)).status).toBe(429);
    expect(late.telemetry.metrics).toEqual(['WorkUncharged']);
    expect(late.telemetry.requests).toMatchObject([{ uncharged: { units: 1, tokens: undefined } }]);
  });
});

const COUNT = 24;
describe(`${COUNT} at once, all executed before any of them settles,`, () => {
  /** All pass the early checks together. */
  async function allAtOnce(options: TenantOptions, costOf: (n: number) => number) {
    let running = 0;
    const allRun = Promise.withResolvers<undefined>();
    const held = {
      ...upTo,
      execute: async (...asked: Parameters<typeof upTo.execute>) => {
        if (++running === COUNT) allRun.resolve(undefined);
        await allRun.promise;
        return upTo.execute(...asked);
      },
    };
    const operations = TEST_OPERATIONS.map((each) => (each.path === path ? held : each));
    const instances = [1, 2, 3].map(() =>
      testGateway({ operations, random: Math.random, startDeadline: endlessDeadline }),
    );
    const [gateway = testGateway()] = instances;
    const { key, projectId } = await tenant(gateway, { rpm: 1_800, ...options });
    const sent = await Promise.all(
      Array.from({ length: COUNT }, async (_, n) => {
        const response = await (instances[n % 3] ?? gateway).ping(key, costing(costOf(n), `k-${n}`));
        return { cost: costOf(n), response };
      }),
    );
    const uncharged = instances.flatMap(({ telemetry }) => telemetry.metrics);
    return { gateway, key, projectId, sent, uncharged };
  }
  const LIMITS = [{ quotaLimit: 23 }, { quotaLimit: 23, shards: 4 }, { unitsLimit: 23 }, { unitsLimit: 23, shards: 4 }];

  test.each(LIMITS)('of two units each take 22 of 23, and the last is left: %j', async (options) => {
    const { gateway, key, projectId, sent, uncharged } = await allAtOnce(options, () => 2);
    expect(sent.filter(({ response }) => response.status === 200)).toHaveLength(11);
    expect(uncharged).toEqual(Array(13).fill('WorkUncharged'));
    const last = await gateway.ping(key);
    expect([last.status, left(last)]).toEqual([200, 0]);
    const units = await assertBooks(gateway, projectId, [
      ...sent.map(({ response }) => ({ response })),
      { response: last },
    ]);
    expect(units).toEqual({ '2030-01': 23 });
  });

  test.each(LIMITS)(
    'of one to five units never take more than 23; who was refused needed more: %j',
    async (options) => {
      const { gateway, projectId, sent, uncharged } = await allAtOnce(options, (n) => 1 + (n % MOST));
      const [charged, refused] = [200, 429].map((status) => sent.filter(({ response }) => response.status === status));
      const total = charged?.reduce((sum, { cost }) => sum + cost, 0) ?? 0;
      expect(total).toBeLessThanOrEqual(23);
      for (const { cost } of refused ?? []) expect(cost).toBeGreaterThan(23 - total);
      expect([charged?.length, uncharged.length]).toEqual([COUNT - (refused?.length ?? 0), refused?.length]);
      expect(await assertBooks(gateway, projectId, sent)).toEqual({ '2030-01': total });
    },
  );
});
