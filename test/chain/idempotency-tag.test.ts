import { createHash } from 'node:crypto';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { readKeyTagSecrets } from '../../functions/shared/credentials/api-key.ts';
import { replayId } from '../../functions/shared/request/metered-request.ts';
import { ping } from '../../functions/gateway/operations/ping.ts';
import { eventKey, itemKey } from '../../functions/shared/store/items.ts';
import { LOCAL_KEY_TAG_SECRETS } from '../../local/settings.ts';
import { compareTags } from '../../portal/requests/charged-again.ts';
import { storeCap } from '../support/caps.ts';
import { gatewayWithTenant, tenant, testGateway, type TestGateway } from '../support/gateway.ts';
import { httpEvent } from '../support/http.ts';
import { triple } from '../support/test-operation.ts';
import { DAY_MS } from '../support/times.ts';

const under = (idempotencyKey: string, body: unknown = {}) => ({
  headers: { 'idempotency-key': idempotencyKey },
  body,
});
/** The tags of a project's events, oldest first. */
const tagsOf = async (gateway: TestGateway, projectId: string) =>
  (await gateway.events(projectId)).map(({ idempotencyTag }) => idempotencyTag);

test('each event keeps the tag of its Idempotency-Key, whatever became of the request, and null without one', async () => {
  const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: 2 });
  const statuses = [];
  for (const request of [under('k'), under('k'), under('k', { a: 1 }), under('k', '[]'), under('other'), {}]) {
    gateway.clock.nowMs += 1;
    statuses.push((await gateway.ping(key, request)).status);
  }
  gateway.clock.nowMs += 1;
  statuses.push((await gateway.ping(key, under('k', { simulate: 'RATE_LIMIT_EXCEEDED' }))).status);
  expect(statuses).toEqual([200, 200, 409, 400, 200, 429, 409]);
  const tags = await tagsOf(gateway, projectId);
  const [first, , , , other] = tags;
  expect(first).toMatch(/^[0-9a-f]{8}$/);
  expect(tags).toEqual([first, first, first, first, other, null, first]);
  expect(compareTags(first, other)).toBe('different');
});

test('the tag is of one project and of a secret: nobody else can compute or compare it', async () => {
  const { gateway, key, projectId } = await gatewayWithTenant();
  const neighbour = await tenant(gateway);
  await gateway.ping(key, under('k'));
  await gateway.ping(neighbour.key, under('k'));
  const [[tag], [ofNeighbour]] = [await tagsOf(gateway, projectId), await tagsOf(gateway, neighbour.projectId)];
  expect(tag).not.toBe(ofNeighbour);
  for (const text of ['k', `${projectId}k`, `${projectId}\nk`]) {
    expect(createHash('sha256').update(text).digest('hex')).not.toContain(String(tag).slice(3));
  }
});

test('a change of the secret leaves replays with the tag of their original, and makes others unknown, not different', async () => {
  const NEW = readKeyTagSecrets('NEW', 'b'.repeat(64))[0];
  const { gateway, key, projectId } = await gatewayWithTenant();
  const { clock } = gateway;
  const changed = testGateway({ clock, keyTagSecrets: [NEW, ...LOCAL_KEY_TAG_SECRETS] });
  await gateway.ping(key, under('k'));
  for (const body of [{}, { a: 1 }]) {
    clock.nowMs += 1;
    await changed.ping(key, under('k', body));
  }
  clock.nowMs += 1;
  await changed.ping(key, under('other'));
  clock.nowMs += DAY_MS;
  await changed.ping(key, under('k'));
  const [original, replay, conflict, other, again] = await tagsOf(gateway, projectId);
  expect([replay, conflict]).toEqual([original, original]);
  expect([compareTags(original, other), compareTags(original, again)]).toEqual(['unknown', 'unknown']);
  expect(compareTags(other, again)).toBe('different');
});

test('a record of a version that kept no tag is replayed under the tag of the repeat', async () => {
  const { gateway, key, projectId } = await gatewayWithTenant();
  await gateway.ping(key, under('k'));
  const { client, tables } = gateway.store;
  const [event] = await gateway.events(projectId);
  if (!event) throw new Error('there is no event');
  for (const [TableName, Key] of [
    [tables.gateway, itemKey.replay(projectId, replayId(ping, 'k'))],
    [tables.usage, eventKey(event)],
  ] as const) {
    const remove = {
      UpdateExpression: 'REMOVE idempotencyTag',
      ConditionExpression: 'attribute_exists(idempotencyTag)',
    };
    await client.send(new UpdateCommand({ TableName, Key, ...remove }));
  }
  gateway.clock.nowMs += 1;
  expect((await gateway.ping(key, under('k'))).status).toBe(200);
  const [old, replay] = await gateway.events(projectId);
  expect(old).not.toHaveProperty('idempotencyTag');
  expect(replay?.idempotencyTag).toBe(event.idempotencyTag);
});

/** The bytes of an item by DynamoDB's rule: names and texts in UTF-8, numbers by their digits, null and true one each. */
const bytesOf = (item: object): number =>
  Object.entries(item).reduce((sum, [name, value]) => {
    const digits = Math.ceil(String(value).length / 2) + 1;
    return (
      sum +
      name.length +
      (typeof value === 'string' ? Buffer.byteLength(value) : typeof value === 'number' ? digits : 1)
    );
  }, 0);

test.each([
  ['capId', ''],
  ['cap', '.o'],
])(
  'the longest event that was charged fits into one write unit, with its tag, its %s and all that is kept of the caller',
  async (cap, suffix) => {
    const longest = {
      ...triple,
      name: 'sandbox.longest-name',
      units: { most: 1e9 },
      execute: () => ({ body: {}, units: 999_999_999, tokens: { input: 4_999_999, output: 4_999_999 } }),
    };
    const { gateway, key, keyId, projectId } = await gatewayWithTenant(
      { unitsLimit: 1e9, quotaLimit: 1e9 },
      { operations: [longest], sourceAddresses: 'full', quotaPeriod: 'day' },
    );
    await storeCap(gateway.store, key, 1e9, keyId + suffix);
    const body = { clientRequestId: '😀'.repeat(128), simulate: 'ANSWER_LOST' };
    const request = httpEvent({
      method: 'POST',
      path: longest.path,
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...{ 'idempotency-key': 'k', 'user-agent': 'x'.repeat(100) },
      },
      body,
    });
    request.requestContext.http.sourceIp = '2001:0db8:abcd:1234:5678:9abc:def0:1234';
    await gateway.handle(request);
    const [event] = await gateway.events(projectId);
    if (!event) throw new Error('there is no event');
    expect(event).toMatchObject({
      units: 999_999_999,
      simulated: true,
      userAgent: 'x'.repeat(14),
      totalTokens: 9_999_998,
    });
    const { Item = {} } = await gateway.store.client.send(
      new GetCommand({ TableName: gateway.store.tables.usage, Key: eventKey(event) }),
    );
    expect(Object.keys(Item)).toEqual(expect.arrayContaining(['idempotencyTag', cap, 'sourceAddress', 'ttl']));
    expect(bytesOf(Item)).toBeLessThanOrEqual(1_024);
  },
);
