import { expect, test } from '@jest/globals';
import { mockedGateway, PROJECT_ID } from '../support/mocked-gateway.ts';

const PK = `PROJECT#${PROJECT_ID}`;
const QUOTA = { pk: PK, sk: 'QUOTA#2030-01' };
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
