import { Readable } from 'node:stream';
import { DynamoDBServiceException, ListTablesCommand, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { StoreUnavailableError } from '../../functions/shared/http/errors.ts';
import { createClient, documentClient, listed, storeError, warmUp } from '../../functions/shared/store/client.ts';
import { queryPages } from '../../functions/usage/events/pages.ts';
import { localAddress } from '../../local/settings.ts';

test('a call never waits for long: a second to connect, a second to answer, three attempts', async () => {
  const client = createClient(localAddress(1));
  const { requestHandler, maxAttempts } = client.config;
  // The handler reads its settings at its first use. The call is aborted: a call that never connects would leave a
  // timer running for a second, which keeps jest's worker from ending.
  await client.send(new ListTablesCommand(), { abortSignal: AbortSignal.abort() }).catch(() => undefined);
  expect((requestHandler as unknown as { httpHandlerConfigs(): object }).httpHandlerConfigs()).toMatchObject({
    connectionTimeout: 1_000,
    requestTimeout: 1_000,
    throwOnRequestTimeout: true,
  });
  expect(await maxAttempts()).toBe(3);
  client.destroy();
});

test.each([undefined, null, {}])('a query that came back with %j for its items has no answer', (Items) => {
  expect(() => listed({ Items } as { Items?: [] })).toThrow(StoreUnavailableError);
  expect(listed({ Items: [] })).toEqual([]);
});

interface CallOptions {
  readonly abortSignal?: AbortSignal;
  readonly requestTimeout?: number;
}

/** A client with all calls handled here. */
const clientTo = (handle: (request: { body: Uint8Array }, options: CallOptions) => Promise<never>) =>
  createClient({ ...localAddress(1), requestHandler: { handle } as DynamoDBClientConfig['requestHandler'] & object });

test('an attribute without a value is not written', async () => {
  const bodies: string[] = [];
  const client = clientTo(({ body }) => {
    bodies.push(new TextDecoder().decode(body));
    return Promise.reject(new Error('no network in this test'));
  });
  const Item = { pk: 'p', sk: 's', expiresAtMs: undefined, limits: { rpm: undefined } };
  await expect(documentClient(client).send(new PutCommand({ TableName: 'T', Item }))).rejects.toThrow('no network');
  expect(JSON.parse(bodies[0] ?? '')).toEqual({
    TableName: 'T',
    Item: { pk: { S: 'p' }, sk: { S: 's' }, limits: { M: {} } },
  });
});

test('the admin CLI waits longer for a page of events than a request waits for anything', async () => {
  const timeouts: (number | undefined)[] = [];
  const client = clientTo((_request, { requestTimeout }) => {
    timeouts.push(requestTimeout);
    return Promise.reject(new Error('no network in this test'));
  });
  const pages = queryPages({ client: documentClient(client) }, { TableName: 'Usage' });
  await expect(pages.next()).rejects.toThrow(StoreUnavailableError);
  expect(timeouts).toEqual([10_000]);
});

test('a start does not wait for a store that is silent', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const client = clientTo((_request, { abortSignal }) => {
    signals.push(abortSignal);
    return new Promise((_resolve, reject) => {
      const fail = () => {
        reject(new Error('aborted'));
      };
      if (abortSignal) abortSignal.addEventListener('abort', fail);
      else fail();
    });
  });
  await warmUp(documentClient(client), 'Gateway');
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
});

describe('a call that failed', () => {
  const refused = (name: string, httpStatusCode: number) =>
    new DynamoDBServiceException({ name, $fault: 'client', $metadata: { httpStatusCode }, message: 'no' });

  test.each([
    'InternalServerError',
    'ProvisionedThroughputExceededException',
    'ResourceNotFoundException',
    'ThrottlingException',
    'TransactionConflictException',
  ])('by %s may succeed later, whatever its status', (name) => {
    const error = refused(name, 400);
    expect(storeError(error)).toMatchObject({ constructor: StoreUnavailableError, cause: error });
  });

  test.each([
    ['a refusal', refused('ValidationException', 400)],
    ['a defect', new Error('a defect')],
    ...[undefined, null, 'text', 7].map((thrown) => [String(thrown), thrown] as const),
  ])('by %s stays what it is', (_what, error) => {
    expect(storeError(error)).toBe(error);
  });

  test.each([
    ['cannot be read', Readable.from([Buffer.from('<html>')])],
    ['is cut short', Readable.from([Buffer.from('{"Item":')])],
    [
      'breaks off',
      new Readable({
        read() {
          this.destroy(new Error('aborted'));
        },
      }),
    ],
  ])('in that its answer %s may succeed later', async (_what, body) => {
    const response = { statusCode: 200, headers: {}, body };
    const client = documentClient(clientTo(() => Promise.resolve({ response } as never)));
    const call = client.send(new GetCommand({ TableName: 'T', Key: { pk: 'p', sk: 's' } }));
    expect(await call.catch(storeError)).toBeInstanceOf(StoreUnavailableError);
  });
});
