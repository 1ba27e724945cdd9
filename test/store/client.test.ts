import { DynamoDBServiceException, ListTablesCommand, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, jest, test } from '@jest/globals';
import { StoreUnavailableError } from '../../functions/core/errors.ts';
import { createClient, documentClient, listed, storeError, warmUp } from '../../functions/store/client.ts';
import { usagePages } from '../../functions/usage/pages.ts';
import { localAddress } from '../../local/settings.ts';

test('a call never waits for long: a second to connect, a second to answer, three attempts', async () => {
  const client = createClient(localAddress(1));
  const { requestHandler, maxAttempts } = client.config;
  // The handler reads its own settings when it is first used. Not by a call that is refused: of one that never connected
  // it leaves the timer running for its second, which keeps jest's worker from ending.
  await client.send(new ListTablesCommand(), { abortSignal: AbortSignal.abort() }).catch(() => undefined);
  expect((requestHandler as unknown as { httpHandlerConfigs(): object }).httpHandlerConfigs()).toMatchObject({
    connectionTimeout: 1_000,
    requestTimeout: 1_000,
    throwOnRequestTimeout: true,
  });
  expect(await maxAttempts()).toBe(3);
  client.destroy();
});

test('the SDK hands neither what is sent nor what comes back to a log, also of a call that fails', async () => {
  const log = { debug: jest.fn(), info: jest.fn(), warn: jest.fn(), error: jest.fn() };
  const client = createClient({
    ...localAddress(1),
    logger: log,
    requestHandler: { handle: () => Promise.reject(new Error('no network in this test')) },
  });
  const command = new ListTablesCommand({ ExclusiveStartTableName: 'what-is-sent' });
  await expect(client.send(command)).rejects.toThrow('no network');
  // It tells which settings it looked for.
  expect(log.debug).toHaveBeenCalled();
  expect(JSON.stringify(Object.values(log).map(({ mock }) => mock.calls))).not.toContain('what-is-sent');
});

test.each([undefined, null, {}])('a query that came back with %j for its items has no answer', (Items) => {
  expect(() => listed({ Items } as { Items?: [] })).toThrow(StoreUnavailableError);
  expect(listed({ Items: [] })).toEqual([]);
});

interface CallOptions {
  readonly abortSignal?: AbortSignal;
  readonly requestTimeout?: number;
}

/** A client whose calls go nowhere but here. */
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

test('an operator waits longer for a page of events than a request waits for anything', async () => {
  const timeouts: (number | undefined)[] = [];
  const client = clientTo((_request, { requestTimeout }) => {
    timeouts.push(requestTimeout);
    return Promise.reject(new Error('no network in this test'));
  });
  const pages = usagePages(documentClient(client), { TableName: 'Usage' });
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
    'LimitExceededException',
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'ResourceNotFoundException',
    'ServiceUnavailable',
    'ThrottlingException',
    'TransactionConflictException',
    'TransactionInProgressException',
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
});
