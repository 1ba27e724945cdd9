// The SDK's, which Node itself loads.
import outside from 'node:console';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  DescribeTableCommand,
  DynamoDBClient,
  TransactionCanceledException,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
  type DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { StoreUnavailableError } from '../../functions/core/errors.ts';
import { createClient, documentClient, storeError } from '../../functions/store/client.ts';
import { speakPlainJson } from '../../functions/store/plain-json.ts';
import { localAddress } from '../../local/settings.ts';
import { CODE_POINT } from '../support/code-points.ts';

interface Sent {
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}
interface Answer {
  readonly statusCode?: number;
  readonly body?: string | Readable;
}

const textOf = (sent?: { readonly body?: Uint8Array }): string => new TextDecoder().decode(sent?.body);

/** The client of the gateway, and the SDK's as it comes: each sends to a list and gets this answer. */
function twoClients({ statusCode = 200, body = '{}' }: Answer = {}, address: DynamoDBClientConfig = localAddress(1)) {
  const make = (create: (config: DynamoDBClientConfig) => DynamoDBClient) => {
    const sent: Sent[] = [];
    const handle = (request: Sent) => {
      sent.push(request);
      const headers = { 'x-amzn-requestid': 'id' };
      const stream = typeof body === 'string' ? Readable.from([Buffer.from(body)]) : body;
      return Promise.resolve({ response: { statusCode, headers, body: stream } });
    };
    const requestHandler = { handle } as DynamoDBClientConfig['requestHandler'] & object;
    return { sent, client: documentClient(create({ ...address, requestHandler, maxAttempts: 1 })) };
  };
  return { ours: make(createClient), theirs: make((config) => new DynamoDBClient(config)) };
}

/** Never `constructor`, which the SDK asks a map for. */
const attribute = fc.string().map((name) => `#${name}`);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: CODE_POINT }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    fc.array(tie('any').filter((one) => one !== undefined)),
    fc.dictionary(attribute, tie('any')),
    fc.uniqueArray(fc.string(), { minLength: 1 }).map((all) => new Set(all)),
  ),
})).any;
const item = fc.dictionary(attribute, value) as fc.Arbitrary<Record<string, unknown>>;
const TableName = 'T';
const ClientRequestToken = 'token';

/** How often the SDK itself has walked through a call to write and to read it. */
function walksOf({ config }: Pick<DynamoDBDocumentClient, 'config'>) {
  type Walk = (...asked: unknown[]) => unknown;
  const protocol = config.protocol as unknown as Record<'serializeRequest' | 'deserializeResponse', Walk>;
  const written = jest.spyOn(protocol, 'serializeRequest');
  const read = jest.spyOn(protocol, 'deserializeResponse');
  return () => ({ written: written.mock.calls.length, read: read.mock.calls.length });
}

/** Each call about items, with one in it. */
const CALLS = {
  put: (Item: Record<string, unknown>) => new PutCommand({ TableName, Item, ConditionExpression: 'a' }),
  update: (values: Record<string, unknown>) =>
    new UpdateCommand({ TableName, Key: { pk: 'p' }, UpdateExpression: 'SET', ExpressionAttributeValues: values }),
  batch: (Key: Record<string, unknown>) => new BatchGetCommand({ RequestItems: { T: { Keys: [Key] } } }),
  get: (Key: Record<string, unknown>) => new TransactGetCommand({ TransactItems: [{ Get: { TableName, Key } }] }),
  write: (Item: Record<string, unknown>) =>
    new TransactWriteCommand({ ClientRequestToken, TransactItems: [{ Put: { TableName, Item } }] }),
  getOne: (Key: Record<string, unknown>) => new GetCommand({ TableName, Key, ConsistentRead: true }),
  remove: (Key: Record<string, unknown>) => new DeleteCommand({ TableName, Key, ReturnValues: 'ALL_OLD' }),
  query: (values: Record<string, unknown>) =>
    new QueryCommand({
      ...{ TableName, KeyConditionExpression: 'pk = :a', ExpressionAttributeValues: values },
      ...{ ExclusiveStartKey: { pk: 'p' }, ScanIndexForward: false, Limit: 3 },
    }),
  writeMany: (Item: Record<string, unknown>) =>
    new BatchWriteCommand({ RequestItems: { T: [{ PutRequest: { Item } }] } }),
};

describe('a call about items', () => {
  test.each(Object.entries(CALLS))('says what the SDK would say: %s', async (_name, command) => {
    await fc.assert(
      fc.asyncProperty(item, async (content) => {
        const { ours, theirs } = twoClients();
        for (const { client } of [ours, theirs]) await client.send(command(content) as PutCommand);
        const [our, their] = [ours.sent[0], theirs.sent[0]].map((sent) => ({ ...sent, headers: undefined }));
        expect(JSON.parse(textOf(our))).toEqual(JSON.parse(textOf(their)));
        expect({ ...our, body: undefined }).toEqual({ ...their, body: undefined });
        for (const name of ['content-type', 'host', 'x-amz-target']) {
          expect(ours.sent[0]?.headers[name]).toBe(theirs.sent[0]?.headers[name]);
        }
      }),
      { numRuns: 15 },
    );
  });

  test('goes to AWS where the SDK would send it', async () => {
    const { ours, theirs } = twoClients(
      {},
      { ...localAddress(1), endpoint: 'https://dynamodb.us-east-1.amazonaws.com' },
    );
    for (const { client } of [ours, theirs]) await client.send(CALLS.put({ pk: 'p' }));
    const [our, their] = [ours.sent[0], theirs.sent[0]].map((sent) => ({
      ...sent,
      headers: undefined,
      body: undefined,
    }));
    expect(our).toEqual(their);
    expect(ours.sent[0]?.headers.host).toBe('dynamodb.us-east-1.amazonaws.com');
  });

  test.each(Object.entries(CALLS))(
    'takes none of the SDK’s time to be written and read: %s',
    async (_name, command) => {
      const { ours } = twoClients();
      const bySdk = walksOf(ours.client);
      await ours.client.send(command({ a: 'b' }) as PutCommand);
      expect(bySdk()).toEqual({ written: 0, read: 0 });
    },
  );

  test.each<[keyof typeof CALLS, (one: object) => object]>([
    ['update', (one) => ({ Attributes: one })],
    ['getOne', (one) => ({ Item: one })],
    ['query', (one) => ({ Items: [one, {}], LastEvaluatedKey: one, Count: 2, ScannedCount: 7 })],
    ['batch', (one) => ({ Responses: { T: [one] }, UnprocessedKeys: { T: { Keys: [one] } } })],
    ['get', (one) => ({ Responses: [{ Item: one }, {}] })],
    ['writeMany', (one) => ({ UnprocessedItems: { T: [{ PutRequest: { Item: one } }] } })],
  ])('is told what the SDK would tell: %s', async (name, answer) => {
    await fc.assert(
      fc.asyncProperty(item, async (content) => {
        const stored = marshall(content, { removeUndefinedValues: true });
        const body = JSON.stringify({ ...answer(stored), ConsumedCapacity: { TableName, CapacityUnits: 0.5 } });
        const { ours, theirs } = twoClients({ body });
        const [our, their] = await Promise.all(
          [ours, theirs].map(({ client }) => client.send(CALLS[name]({ ':a': 1 }) as UpdateCommand)),
        );
        expect({ ...our, $metadata: undefined }).toEqual({ ...their, $metadata: undefined });
        expect(our?.$metadata).toMatchObject({ httpStatusCode: 200, requestId: 'id', attempts: 1 });
      }),
      { numRuns: 10 },
    );
  });

  test('that is refused throws the SDK’s error, with all that it says', async () => {
    const reasons = [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item: { units: { N: '7' } } }];
    const body = JSON.stringify({
      __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
      Message: 'cancelled',
      CancellationReasons: reasons,
    });
    const { ours } = twoClients({ statusCode: 400, body });
    const error: unknown = await ours.client.send(CALLS.write({ pk: 'p' })).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TransactionCanceledException);
    expect(error).toMatchObject({ CancellationReasons: reasons, $metadata: { httpStatusCode: 400 } });
  });

  test.each([
    ['cannot be read', '<html>'],
    ['is cut short', '{"Attributes":'],
    ['is empty', ''],
    [
      'breaks off',
      new Readable({
        read() {
          this.destroy(new Error('aborted'));
        },
      }),
    ],
  ])('has no answer when that %s', async (_what, body) => {
    const { ours } = twoClients({ body });
    const error = await ours.client.send(CALLS.update({ ':a': 1 })).catch((thrown: unknown) => storeError(thrown));
    expect(error).toBeInstanceOf(StoreUnavailableError);
  });
});

test('an SDK that has no such step is noticed when the client is made', () => {
  const client = new DynamoDBClient(localAddress(1));
  client.middlewareStack.remove('deserializerMiddleware');
  expect(() => {
    speakPlainJson(client);
  }).toThrow('the SDK has no deserializerMiddleware');
});

test('a transaction without a token gets one from the SDK', async () => {
  const { ours } = twoClients();
  const bySdk = walksOf(ours.client);
  await ours.client.send(new TransactWriteCommand({ TransactItems: [{ Put: { TableName, Item: { pk: 'p' } } }] }));
  expect(JSON.parse(textOf(ours.sent[0]))).toHaveProperty('ClientRequestToken');
  expect(bySdk()).toEqual({ written: 1, read: 0 });
});

test('any other call stays the SDK’s', async () => {
  const { ours } = twoClients({ body: JSON.stringify({ Table: { CreationDateTime: 1_700_000_000 } }) });
  const bySdk = walksOf(ours.client);
  const { Table } = await ours.client.send(new DescribeTableCommand({ TableName }));
  expect(Table?.CreationDateTime).toEqual(new Date(1_700_000_000_000));
  expect(bySdk()).toEqual({ written: 1, read: 1 });
});

test('a request says how long it is, be it our JSON or the SDK’s', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    request.resume().on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  const client = createClient(localAddress((server.address() as AddressInfo).port));
  await documentClient(client).send(CALLS.put({ pk: 'ü' }));
  await client.send(new DescribeTableCommand({ TableName }));
  client.destroy();
  server.close();
  expect(seen.map((headers) => headers['content-length'])).toEqual([
    String(Buffer.byteLength('{"TableName":"T","Item":{"pk":{"S":"ü"}},"ConditionExpression":"a"}')),
    String('{"TableName":"T"}'.length),
  ]);
  for (const headers of seen) expect(headers).not.toHaveProperty('transfer-encoding');
});

/** The steps of a call, in their order, as the SDK names them. */
async function stepsOf(client: DynamoDBClient): Promise<string[]> {
  const log = jest.spyOn(outside, 'log').mockImplementation(() => undefined);
  client.middlewareStack.identifyOnResolve(true);
  await documentClient(client).send(CALLS.put({ pk: 'p' }));
  const [steps] = log.mock.calls[0] as [string[]];
  log.mockRestore();
  return steps.map((step) => step.replace(/ \(a\.k\.a\. .*\)/, ''));
}

test('the SDK takes the steps that were looked at, and the gateway’s client leaves out these four', async () => {
  const handle = () =>
    Promise.resolve({ response: { statusCode: 200, headers: {}, body: Readable.from([Buffer.from('{}')]) } });
  const config = { ...localAddress(1), requestHandler: { handle } as DynamoDBClientConfig['requestHandler'] & object };
  const leftOut = [
    'loggerMiddleware - initialize',
    'contentLengthMiddleware - build',
    'getUserAgentMiddleware - build',
    'recursionDetectionMiddleware - build',
  ];
  const kept = [
    'DocumentMarshall - before serializerMiddleware',
    'httpAuthSchemeMiddleware - serialize',
    'endpointV2Middleware - serialize',
    'serializerMiddleware - serialize',
    'hostHeaderMiddleware - build',
    'retryMiddleware - finalizeRequest',
    'httpSigningMiddleware - finalizeRequest',
    'DocumentUnmarshall - before deserializerMiddleware',
    'deserializerMiddleware - deserialize',
  ];
  const theirs = await stepsOf(new DynamoDBClient(config));
  expect([...theirs].sort()).toEqual([...leftOut, ...kept].sort());
  expect(theirs.filter((step) => !leftOut.includes(step))).toEqual(await stepsOf(createClient(config)));
});
