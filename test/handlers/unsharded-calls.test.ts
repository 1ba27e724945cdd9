import { BatchGetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { mockedGateway, PROJECT_ID } from '../support/mocked-gateway.ts';

const PK = `PROJECT#${PROJECT_ID}`;
const QUOTA = { pk: PK, sk: 'QUOTA#2030-01' };
const CAP = { pk: PK, sk: 'KEYUNITS#2030-01#key_1' };
/** The end of January 2030 and 400 days. */
const TTL = Date.UTC(2030, 1) / 1_000 + 400 * 86_400;

test('a project without shards has one counter, in the calls that it had before there were any', async () => {
  const gateway = mockedGateway({ quotaLimit: 100, quotaUsed: 3 });
  const request = { headers: { 'idempotency-key': 'idempotency-key-a' } };
  expect((await gateway.ping(request)).status).toBe(200);
  expect(gateway.store.calls().map(({ args: [command] }) => command.constructor.name)).toEqual([
    'UpdateCommand',
    'BatchGetCommand',
    'TransactWriteCommand',
  ]);
  const [{ TransactItems = [] } = {}] = gateway.settlements();
  expect(TransactItems.map(Object.keys)).toEqual([['Update'], ['Put'], ['Put']]);
  expect(TransactItems[0]).toEqual({
    Update: {
      TableName: 'Gateway',
      Key: QUOTA,
      UpdateExpression: 'SET #units = if_not_exists(#units, :zero) + :units, #ttl = :ttl',
      ConditionExpression:
        '(attribute_not_exists(#units) OR #units <= :ceiling) AND (attribute_not_exists(#shards) OR #shards = :one)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ExpressionAttributeNames: { '#units': 'units', '#ttl': 'ttl', '#shards': 'shards' },
      ExpressionAttributeValues: { ':zero': 0, ':one': 1, ':units': 1, ':ttl': TTL, ':ceiling': 99 },
    },
  });
  const [, batch] = gateway.store.calls().map(({ args: [command] }) => command.input);
  expect(batch).toEqual({
    RequestItems: {
      Gateway: {
        Keys: [{ pk: PK, sk: 'PROJECT' }, QUOTA, { pk: PK, sk: expect.stringMatching(/^REPLAY#/) }],
        ConsistentRead: true,
      },
    },
  });
});

test('a key with a cap has one item more, in the batch that reads and in the transaction that charges', async () => {
  const gateway = mockedGateway({ quotaLimit: 100, quotaUsed: 3 });
  gateway.store.on(UpdateCommand).resolves({ Attributes: { keyId: 'key_2', rpm: 60, unitsLimit: 9, capId: 'key_1' } });
  const { Responses } = gateway.snapshot;
  gateway.store.on(BatchGetCommand).resolves({ Responses: { Gateway: [...Responses.Gateway, { ...CAP, units: 4 }] } });
  const request = { headers: { 'idempotency-key': 'idempotency-key-a' } };
  await gateway.ping(request);
  gateway.store.resetHistory();
  expect(await gateway.ping(request)).toMatchObject({ status: 200, headers: { 'x-service-quota-remaining': '4' } });

  const [, batch, settlement, ...more] = gateway.store.calls().map(({ args: [command] }) => command.input);
  const { RequestItems } = batch as { RequestItems: { Gateway: { Keys: unknown[] } } };
  expect(RequestItems.Gateway.Keys).toEqual([
    { pk: PK, sk: 'PROJECT' },
    QUOTA,
    { pk: PK, sk: expect.stringMatching(/^REPLAY#/) },
    CAP,
  ]);
  const { TransactItems } = settlement as { TransactItems: object[] };
  expect(TransactItems.map(Object.keys)).toEqual([['Update'], ['Put'], ['Put'], ['Update']]);
  expect(TransactItems[1]).toMatchObject({ Put: { Item: { capId: 'key_1' } } });
  expect(TransactItems[2]).toMatchObject({ Put: { Item: { capId: 'key_1' } } });
  expect(TransactItems[3]).toEqual({
    Update: {
      TableName: 'Gateway',
      Key: CAP,
      UpdateExpression: 'SET #units = if_not_exists(#units, :zero) + :units, #ttl = :ttl',
      ConditionExpression: '(attribute_not_exists(#units) OR #units <= :ceiling)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ExpressionAttributeNames: { '#units': 'units', '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':zero': 0, ':units': 1, ':ttl': TTL, ':ceiling': 8 },
    },
  });
  expect(more).toEqual([]);
});

describe('a charge of a cap by a period of its own is one update of the same item of the same transaction', () => {
  const once = { ...CAP, sk: 'KEYUNITS#once#key_1.o' };
  const added = '#units = if_not_exists(#units, :zero) + :units';
  test.each([
    [
      'by day',
      { pk: PK, sk: 'KEYUNITS#2030-01-15#key_1.d' },
      {},
      `SET ${added}, #ttl = :ttl`,
      '(attribute_not_exists(#units) OR #units <= :ceiling)',
      { ':ttl': TTL - 16 * 86_400 },
    ],
    [
      'by week',
      { pk: PK, sk: 'KEYUNITS#2030-W03#key_1.w' },
      {},
      `SET ${added}, #ttl = :ttl ADD #month :units`,
      '(attribute_not_exists(#units) OR #units <= :ceiling)',
      { ':ttl': TTL - 11 * 86_400 },
    ],
    [
      'once',
      once,
      { 'm2029-12': 1 },
      `SET ${added} ADD #month :units`,
      '(attribute_not_exists(#units) OR #units <= :ceiling) AND (attribute_not_exists(#limit))',
      {},
    ],
    [
      'once, of a budget, with months of which the older is over',
      once,
      { limit: 9, 'm2029-12': 1, 'm2028-11': 1 },
      `SET ${added}, #before = if_not_exists(#before, :zero) + if_not_exists(#oldest, :zero) REMOVE #oldest ADD #month :units`,
      '(attribute_not_exists(#units) OR #units <= :ceiling) AND (#limit = :limit)',
      { ':limit': 9 },
    ],
  ])('%s', async (_, key, more, UpdateExpression, ConditionExpression, values) => {
    const gateway = mockedGateway({ quotaLimit: 100, quotaUsed: 3 });
    const capId = key.sk.slice(key.sk.lastIndexOf('#') + 1);
    gateway.store.on(UpdateCommand).resolves({ Attributes: { keyId: 'key_2', rpm: 60, unitsLimit: 9, capId } });
    const { Responses } = gateway.snapshot;
    const counter = { ...key, units: 4, ...more };
    gateway.store.on(BatchGetCommand).resolves({ Responses: { Gateway: [...Responses.Gateway, counter] } });
    await gateway.ping();
    gateway.store.resetHistory();
    expect((await gateway.ping()).status).toBe(200);
    const calls = gateway.store.calls().map(({ args: [command] }) => command.constructor.name);
    expect(calls).toEqual(['UpdateCommand', 'BatchGetCommand', 'TransactWriteCommand']);
    const [{ TransactItems = [] } = {}] = gateway.settlements();
    expect(TransactItems.map(Object.keys)).toEqual([['Update'], ['Put'], ['Update']]);
    expect(TransactItems[1]?.Put?.Item).toMatchObject({ cap: capId });
    expect(TransactItems[2]?.Update).toMatchObject({ Key: key, UpdateExpression, ConditionExpression });
    const always = { ':zero': 0, ':units': 1, ':ceiling': 8 };
    expect(TransactItems[2]?.Update?.ExpressionAttributeValues).toEqual({ ...always, ...values });
  });
});
