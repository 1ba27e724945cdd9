import { describe, expect, test } from '@jest/globals';
import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  TransactionCanceledException,
  TransactionConflictException,
  type CancellationReason,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { itemKey } from '../../functions/shared/store/items.ts';
import { unknownKey } from '../support/keys.ts';
import { MAX_JITTER, mockedGateway, PROJECT_ID, type MockedGateway } from '../support/mocked-gateway.ts';

const $metadata = {};
const NONE = { Code: 'None' };
const CONFLICT = { Code: 'TransactionConflict' };
const FAILED = { Code: 'ConditionalCheckFailed' };
const cancelled = (...CancellationReasons: CancellationReason[]) =>
  new TransactionCanceledException({ message: 'cancelled', $metadata, CancellationReasons });
const serviceError = (name: string, httpStatusCode = 400) =>
  new DynamoDBServiceException({
    name,
    message: `${name}: internal text`,
    $fault: 'client',
    $metadata: { httpStatusCode },
  });
const conditionFailed = (item?: object) =>
  new ConditionalCheckFailedException({ message: 'failed', $metadata, ...(item && { Item: marshall(item) }) });

const under = (key: string, body: object = {}) => ({ headers: { 'idempotency-key': key }, body });
const REPLAYED = 'x-service-idempotency-replayed';

/** The replay record that an earlier request with this body would have left. */
async function duplicatesRecord(body: object): Promise<Record<string, unknown>> {
  const duplicate = mockedGateway();
  await duplicate.ping(under('idempotency-key-k', body));
  return duplicate.settlements()[0]?.TransactItems?.[2]?.Put?.Item ?? {};
}

describe('a settlement in conflict', () => {
  test('is tried again under a new token with the same content, and each delay is jittered up to its bound', async () => {
    const gateway = mockedGateway();
    gateway.store
      .on(TransactWriteCommand)
      .rejectsOnce(cancelled(CONFLICT, NONE))
      .rejectsOnce(cancelled(NONE, CONFLICT))
      .resolves({});
    expect((await gateway.ping()).status).toBe(200);
    const [first, second, third] = gateway.settlements();
    expect(new Set([first, second, third].map((input) => input?.ClientRequestToken)).size).toBe(3);
    expect(second?.TransactItems).toEqual(first?.TransactItems);
    expect(third?.TransactItems).toEqual(first?.TransactItems);
    expect(gateway.store.commandCalls(BatchGetCommand)).toHaveLength(1);
    expect(gateway.sleeps).toEqual([10 * MAX_JITTER, 20 * MAX_JITTER]);
  });

  test('is given up when there is no time for another attempt, and counted: 503, to be retried after a second', async () => {
    const gateway = mockedGateway();
    gateway.store.on(TransactWriteCommand).rejects(cancelled(CONFLICT, NONE));
    const response = await gateway.ping();
    expect(response).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { code: 'SERVICE_UNAVAILABLE' },
    });
    expect(gateway.settlements()).toHaveLength(gateway.sleeps.length + 1);
    expect(gateway.sleeps.slice(0, 6)).toEqual([10, 20, 40, 80, 160, 200].map((ms) => ms * MAX_JITTER));
    // The last of four seconds is for an attempt that runs until its own timeout.
    const sleptMs = gateway.sleeps.reduce((sum, ms) => sum + ms, 0);
    expect([sleptMs <= 3_000, sleptMs + 200 * MAX_JITTER > 3_000]).toEqual([true, true]);
    expect(gateway.store.commandCalls(PutCommand)).toHaveLength(0);
    expect(gateway.telemetry.metrics).toEqual(['TransactionsGivenUp']);
  });

  test('ends with the deadline of the request', async () => {
    const gateway = mockedGateway();
    gateway.store.on(TransactWriteCommand).callsFake(() => {
      gateway.deadline.abort();
      throw cancelled(CONFLICT, NONE);
    });
    expect((await gateway.ping()).body.code).toBe('SERVICE_UNAVAILABLE');
    expect(gateway.settlements()).toHaveLength(1);
    expect(gateway.telemetry.metrics).toEqual([]);
  });
});

describe('a throttled item of a settlement', () => {
  test.each(['ThrottlingError', 'ProvisionedThroughputExceeded'])('(%s) is tried again', async (Code) => {
    const gateway = mockedGateway();
    gateway.store.on(TransactWriteCommand).rejectsOnce(cancelled(NONE, { Code })).resolves({});
    expect((await gateway.ping()).status).toBe(200);
  });

  test.each([
    ['TransactionsThrottled', [NONE, { Code: 'ThrottlingError' }]],
    ['TransactionsGivenUp', [CONFLICT, { Code: 'ThrottlingError' }]],
  ])('is counted apart from conflicts when it is given up: %s', async (metric, reasons) => {
    const gateway = mockedGateway();
    gateway.store.on(TransactWriteCommand).rejects(cancelled(...reasons));
    expect((await gateway.ping()).status).toBe(503);
    expect(gateway.telemetry.metrics).toEqual([metric]);
  });
});

describe('an admission that meets the transaction of a rotation', () => {
  const conflict = new TransactionConflictException({ message: 'conflict', $metadata });

  test('is tried again', async () => {
    const gateway = mockedGateway();
    gateway.store
      .on(UpdateCommand)
      .rejectsOnce(conflict)
      .resolves({ Attributes: { keyId: 'key_1', rpm: 60 } });
    expect((await gateway.ping()).status).toBe(200);
    expect(gateway.sleeps).toEqual([10 * MAX_JITTER]);
  });

  test('is given up when there is no time for another attempt: 503', async () => {
    const gateway = mockedGateway();
    gateway.store.on(UpdateCommand).rejects(conflict);
    expect((await gateway.ping()).status).toBe(503);
    expect(gateway.store.commandCalls(UpdateCommand)).toHaveLength(gateway.sleeps.length + 1);
    expect(gateway.telemetry.metrics).toEqual(['TransactionsGivenUp']);
  });
});

describe('a rate window that moves under a request, again and again,', () => {
  test('is given up after five attempts: 503', async () => {
    const gateway = mockedGateway();
    const key = { keyId: 'key_1', mode: 'test', scopes: new Set(['sandbox:invoke']), status: 'active', rpm: 60 };
    gateway.store.on(UpdateCommand).rejects(conditionFailed({ ...key, window: 0 }));
    expect((await gateway.ping()).status).toBe(503);
    expect(gateway.store.commandCalls(UpdateCommand)).toHaveLength(5);
    expect(gateway.settlements()).toHaveLength(0);
  });
});

describe('every call of a request', () => {
  test('ends with its deadline', async () => {
    const gateway = mockedGateway({ quotaLimit: 1, quotaUsed: 1 });
    gateway.store.on(TransactGetCommand).resolves({ Responses: [{}] });
    await gateway.ping(under('idempotency-key-k'));
    const rich = mockedGateway();
    await rich.ping();
    const signals = [gateway, rich].map(({ store, deadline }) =>
      store
        .calls()
        .map(
          ({ args }) => (args as unknown as [unknown, { abortSignal: AbortSignal }])[1].abortSignal === deadline.signal,
        ),
    );
    expect(signals).toEqual([
      [true, true, true, true],
      [true, true, true],
    ]);
  });
});

describe('the reasons of a cancelled settlement', () => {
  test('our own event is there: an earlier attempt was committed, the request succeeded and is no replay', async () => {
    const gateway = mockedGateway();
    const record = await duplicatesRecord({});
    gateway.store.on(TransactWriteCommand).rejects(cancelled(FAILED, FAILED, { ...FAILED, Item: marshall(record) }));
    const response = await gateway.ping(under('idempotency-key-k'));
    expect(response.status).toBe(200);
    expect(response.headers).not.toHaveProperty(REPLAYED);
    expect(gateway.store.commandCalls(PutCommand)).toHaveLength(0);
  });

  test('the quota is used up while a duplicate still holds the record: not a refusal, but another try', async () => {
    const gateway = mockedGateway({ quotaLimit: 1 });
    const record = await duplicatesRecord({});
    gateway.store
      .on(TransactWriteCommand)
      .rejectsOnce(cancelled(FAILED, NONE, CONFLICT))
      .rejects(cancelled(FAILED, NONE, { ...FAILED, Item: marshall(record) }));
    expect((await gateway.ping(under('idempotency-key-k'))).headers[REPLAYED]).toBe('true');
  });

  test('something else: a defect, and no more is tried', async () => {
    const gateway = mockedGateway();
    gateway.store
      .on(TransactWriteCommand)
      .rejects(cancelled({ Code: 'ValidationError', Message: 'internal text' }, NONE));
    const response = await gateway.ping();
    expect(response).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR' } });
    expect(response.text).not.toContain('internal text');
    expect(gateway.settlements()).toHaveLength(1);
  });
});

describe('a settlement of a quota in shards', () => {
  const PERIOD = '2030-01';
  const SHARD_KEYS = Array.from({ length: 32 }, (_, index) => itemKey.quotaShard(PROJECT_ID, PERIOD, index));
  /** The stored counter and shards, each shard with 30 units left; nothing for 0 shards. */
  const layout = (count: number) => {
    const counter = { ...itemKey.quota(PROJECT_ID, PERIOD), units: 100, generation: 1, shards: 3, limit: 100 };
    const shards = SHARD_KEYS.slice(0, count).map((key) => ({ ...key, left: 30, generation: 1 }));
    return count === 0 ? [] : [counter, ...shards];
  };
  /** A gateway that reads these layouts one after another, each by its number of shards, or 0 for none yet. */
  const sharded = (...reads: readonly number[]) => {
    const gateway = mockedGateway();
    const [project] = gateway.snapshot.Responses.Gateway;
    gateway.store.on(BatchGetCommand).resolves({ Responses: { Gateway: [{ ...project, shards: 3 }] } });
    const query = gateway.store.on(QueryCommand);
    for (const count of reads) query.resolvesOnce({ Items: layout(count) });
    return gateway;
  };
  /** The first item of the quota in each settlement: a shard, or the counter. */
  const written = ({ settlements }: MockedGateway) =>
    settlements().map(({ TransactItems }) => (TransactItems?.[0]?.Update?.Key as { sk: string }).sk);
  const [COUNTER, ...SHARDS] = ['', '#00', '#01', '#02'].map((end) => `QUOTA#${PERIOD}${end}`);

  test('that others hold a shard of goes to the others at once, and to any of them after a pause', async () => {
    const gateway = sharded(3);
    const settling = gateway.store.on(TransactWriteCommand);
    for (let n = 0; n < 4; n++) settling.rejectsOnce(cancelled(CONFLICT, NONE));
    settling.resolves({});
    expect((await gateway.ping()).status).toBe(200);
    expect(written(gateway)).toEqual([1, 2, 0, 1, 2].map((index) => SHARDS[index]));
    expect(gateway.sleeps).toEqual([10 * MAX_JITTER]);
  });

  test('that meets others at the cap of its key waits: another shard would not help', async () => {
    const gateway = sharded(3);
    gateway.store.on(UpdateCommand).resolves({ Attributes: { keyId: 'key_1', rpm: 60, unitsLimit: 9 } });
    const settling = gateway.store.on(TransactWriteCommand);
    for (let n = 0; n < 2; n++) settling.rejectsOnce(cancelled(CONFLICT, NONE, CONFLICT));
    settling.resolves({});
    expect((await gateway.ping()).status).toBe(200);
    expect(gateway.sleeps).toEqual([10 * MAX_JITTER, 20 * MAX_JITTER]);
  });

  test('that finds its shard changed reads them again, and tries again at once', async () => {
    const gateway = sharded(3, 0);
    gateway.store.on(TransactWriteCommand).rejectsOnce(cancelled(FAILED, NONE)).resolves({});
    expect((await gateway.ping()).status).toBe(200);
    expect(written(gateway)).toEqual([SHARDS[1], COUNTER]);
    expect(gateway.sleeps).toEqual([]);
  });

  test('that makes them while another does reads, after a pause, what the other made', async () => {
    const gateway = sharded(0, 3);
    gateway.store
      .on(TransactWriteCommand)
      .rejectsOnce(cancelled(CONFLICT, NONE, NONE))
      .resolves({});
    expect((await gateway.ping()).status).toBe(200);
    expect(written(gateway)).toEqual([COUNTER, SHARDS[1]]);
    expect(gateway.sleeps).toEqual([10 * MAX_JITTER]);
  });

  describe('that finds items of two layouts', () => {
    const ALL = [itemKey.quota(PROJECT_ID, PERIOD), ...SHARD_KEYS];
    /** A gateway whose query runs during a new layout: it finds the earlier shards, with nothing left. */
    const between = () => {
      const gateway = sharded();
      const older = layout(3).map((item) => ('left' in item ? { ...item, left: 0, generation: 0 } : item));
      gateway.store.on(QueryCommand).resolvesOnce({ Items: older });
      return { gateway, get: gateway.store.on(TransactGetCommand) };
    };

    test('reads all that there can be in one transaction, which is repeated as long as it conflicts', async () => {
      const { gateway, get } = between();
      const Responses = ALL.map((_, place) => ({ Item: layout(3)[place] }));
      get.rejectsOnce(cancelled(CONFLICT)).resolves({ Responses });
      expect((await gateway.ping()).status).toBe(200);
      expect(written(gateway)).toEqual([SHARDS[1]]);
      const reads = gateway.store.commandCalls(TransactGetCommand).map(({ args }) => args[0].input);
      const TransactItems = ALL.map((Key) => ({ Get: { TableName: 'Gateway', Key } }));
      expect(reads).toEqual([{ TransactItems }, { TransactItems }]);
      expect(gateway.sleeps).toEqual([10 * MAX_JITTER]);
      const calls = gateway.store.calls().map(({ args }) => args as unknown as [unknown, { abortSignal: AbortSignal }]);
      for (const [, { abortSignal }] of calls) expect(abortSignal).toBe(gateway.deadline.signal);
    });

    test('is answered 503 when the transaction has no answer', async () => {
      const { gateway, get } = between();
      get.resolves({});
      expect((await gateway.ping()).status).toBe(503);
      expect(gateway.settlements()).toHaveLength(0);
    });
  });

  test('of which the query came back in part is answered 503: what is missing is not taken for absent', async () => {
    const gateway = sharded();
    const Items = layout(3);
    gateway.store.on(QueryCommand).resolves({ Items, LastEvaluatedKey: itemKey.quotaShard(PROJECT_ID, PERIOD, 2) });
    expect((await gateway.ping()).status).toBe(503);
    expect(gateway.settlements()).toHaveLength(0);
  });
});

describe('a read that shows the quota used up', () => {
  const usedUp = () => {
    const gateway = mockedGateway({ quotaLimit: 1, quotaUsed: 1 });
    return { gateway, get: gateway.store.on(TransactGetCommand) };
  };

  test('and no record: the record is read once more, for the duplicate that may have spent the last unit', async () => {
    const { gateway, get } = usedUp();
    get.rejectsOnce(cancelled(CONFLICT)).resolves({ Responses: [{ Item: await duplicatesRecord({}) }] });
    expect((await gateway.ping(under('idempotency-key-k'))).headers[REPLAYED]).toBe('true');
    expect(gateway.settlements()).toHaveLength(0);
  });

  test('only when the settlement found the units lent to shards, and spent: the record is read once more, too', async () => {
    const counter = { ...itemKey.quota(PROJECT_ID, '2030-01'), units: 1, generation: 1, shards: 2, limit: 1 };
    const shard = { ...itemKey.quotaShard(PROJECT_ID, '2030-01', 0), left: 0, generation: 1 };
    const Items = [counter, shard, { ...shard, ...itemKey.quotaShard(PROJECT_ID, '2030-01', 1) }];
    const settlement = cancelled({ ...FAILED, Item: marshall(counter) }, NONE, NONE);
    const afterwards = async (record: object) => {
      const gateway = mockedGateway({ quotaLimit: 1 });
      gateway.store.on(TransactWriteCommand).rejects(settlement);
      gateway.store.on(QueryCommand).resolves({ Items });
      gateway.store
        .on(BatchGetCommand)
        .resolvesOnce(gateway.snapshot)
        .resolves({ Responses: { Gateway: [...gateway.snapshot.Responses.Gateway.slice(0, 1), counter] } });
      gateway.store.on(TransactGetCommand).resolves({ Responses: [record] });
      const { status, headers } = await gateway.ping(under('idempotency-key-k'));
      // An older counter could show units that are already spent.
      const read = gateway.store.commandCalls(QueryCommand).map(({ args: [{ input }] }) => input.ConsistentRead);
      expect(new Set(read)).toEqual(new Set([true]));
      return [gateway.settlements().length, status, headers[REPLAYED], headers['x-service-quota-remaining']];
    };
    expect(await afterwards({ Item: await duplicatesRecord({}) })).toEqual([1, 200, 'true', '0']);
    expect(await afterwards({})).toEqual([1, 429, undefined, '0']);
  });
});

describe('keys that a batch read leaves unprocessed', () => {
  const UnprocessedKeys = { Gateway: { Keys: [{ pk: `PROJECT#${PROJECT_ID}`, sk: 'PROJECT' }] } };

  test('are asked for again', async () => {
    const gateway = mockedGateway();
    const { Responses } = gateway.snapshot;
    gateway.store.on(BatchGetCommand).resolvesOnce({ Responses: {}, UnprocessedKeys }).resolves({ Responses });
    expect((await gateway.ping()).status).toBe(200);
    expect(gateway.store.commandCalls(BatchGetCommand)[1]?.args[0].input.RequestItems).toEqual({
      Gateway: { ...UnprocessedKeys.Gateway, ConsistentRead: true },
    });
  });

  test('at every attempt are a failure, never an absent item', async () => {
    const gateway = mockedGateway();
    gateway.store.on(BatchGetCommand).resolves({ Responses: {}, UnprocessedKeys });
    expect((await gateway.ping()).status).toBe(503);
    expect(gateway.settlements()).toHaveLength(0);
  });
});

describe('the caps that an instance remembers, so that their counters are read beside the admission,', () => {
  const MOST = 1_000;
  const CAPPED = { Attributes: { keyId: 'key_1', rpm: 60, unitsLimit: 10 } };
  /** Of the last read: project, quota and cap together, or the cap alone. */
  const itemsRead = ({ store }: MockedGateway) =>
    store.commandCalls(BatchGetCommand).at(-1)?.args[0].input.RequestItems?.Gateway?.Keys?.length;
  test('are a thousand; at one more it forgets all, and reads them after the admission again', async () => {
    const gateway = mockedGateway();
    gateway.store.on(UpdateCommand).resolves(CAPPED);
    const another = () => gateway.ping({}, unknownKey(PROJECT_ID));
    await gateway.ping();
    for (let i = 2; i < MOST; i++) await another();
    await gateway.ping();
    expect(itemsRead(gateway)).toBe(3);
    await another();
    await another();
    await gateway.ping();
    expect(itemsRead(gateway)).toBe(1);
  });
});

describe('a project that is not there', () => {
  test('is not served: an absent item must not fail open', async () => {
    const gateway = mockedGateway();
    gateway.store.on(BatchGetCommand).resolves({ Responses: { Gateway: [] } });
    expect((await gateway.ping()).body.code).toBe('PROJECT_SUSPENDED');
  });
});

describe('a store that fails', () => {
  const transient = [
    Object.assign(new Error('socket'), { name: 'TimeoutError' }),
    Object.assign(new Error('connect'), { code: 'ECONNREFUSED', $metadata }),
    Object.assign(new Error('aborted'), { name: 'AbortError' }),
    Object.assign(new SyntaxError('Unexpected token < in JSON'), { $metadata }),
    Object.assign(new Error('no keys'), { name: 'CredentialsProviderError' }),
    ...['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded'].map((name) =>
      serviceError(name),
    ),
    ...['TransactionInProgressException', 'ResourceNotFoundException'].map((name) => serviceError(name)),
    serviceError('InternalServerError', 500),
    serviceError('SomethingNew', 500),
  ];
  const definite = [
    ...[serviceError('ValidationException'), serviceError('AccessDeniedException')],
    new TypeError('a defect of ours: internal text'),
  ];
  const named = (errors: readonly Error[]) =>
    errors.map((error) => [`${error.name} (${error.message})`, error] as const);
  /** Each error in one step, and in the others one of each kind. */
  const steps = [
    ['settlement', TransactWriteCommand, transient, definite],
    ['admission', UpdateCommand, transient.slice(0, 2), definite.slice(0, 1)],
    ['snapshot', BatchGetCommand, transient.slice(0, 2), definite.slice(0, 1)],
  ] as const;

  describe.each(steps)('in the %s', (_step, command, transient, definite) => {
    const fail = async (error: Error) => {
      const gateway = mockedGateway();
      gateway.store.on(command as typeof UpdateCommand).rejects(error);
      return { gateway, response: await gateway.ping() };
    };

    test.each(named(transient))('with %s: 503, to be retried', async (_name, error) => {
      const { gateway, response } = await fail(error);
      expect(response).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        body: { code: 'SERVICE_UNAVAILABLE' },
      });
      expect(gateway.events()).toEqual([]);
      expect(gateway.telemetry.requests).toMatchObject([{ status: 503, code: 'SERVICE_UNAVAILABLE', event: null }]);
      expect(gateway.telemetry.failures).toEqual([error]);
    });

    test.each(named(definite))('with %s: 500, without a word of it', async (_name, error) => {
      const { gateway, response } = await fail(error);
      expect(response).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR' } });
      expect(response.headers).not.toHaveProperty('retry-after');
      expect(response.text).not.toContain('internal text');
      expect(gateway.events()).toEqual([]);
    });
  });

  test('to write the event of a replay: 503, since the replay is not in the ledger', async () => {
    const gateway = mockedGateway({ replay: await duplicatesRecord({}) });
    gateway.store.on(PutCommand).rejects(serviceError('ThrottlingException'));
    expect((await gateway.ping(under('idempotency-key-k'))).status).toBe(503);
  });

  test('to write the event of a refusal: still that refusal, in the log and in a metric', async () => {
    const gateway = mockedGateway();
    gateway.store.on(PutCommand).rejects(serviceError('ThrottlingException'));
    const refused = await gateway.ping({ body: 'no' });
    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(gateway.telemetry.metrics).toEqual(['UsageEventLost']);
    expect(gateway.telemetry.warnings).toHaveLength(1);
    expect(gateway.telemetry.requests).toMatchObject([{ status: 400, event: null }]);
  });

  test('to read the project of an unknown key: 401 all the same', async () => {
    const gateway = mockedGateway();
    gateway.store.on(UpdateCommand).rejects(conditionFailed());
    gateway.store.on(BatchGetCommand).rejects(serviceError('ThrottlingException'));
    const key = unknownKey(PROJECT_ID);
    expect((await gateway.ping({}, key)).body.code).toBe('INVALID_API_KEY');
  });
});

describe('an answer without content', () => {
  test.each([
    ['UpdateItem', UpdateCommand],
    ['BatchGetItem', BatchGetCommand],
  ])('to %s is no answer: 503', async (_name, command) => {
    const gateway = mockedGateway();
    gateway.store.on(command as typeof UpdateCommand).resolves({});
    expect((await gateway.ping()).status).toBe(503);
    expect(gateway.settlements()).toHaveLength(0);
  });

  test.each([
    ['a batch, for its table', BatchGetCommand, { Responses: {} }],
    ['the second look', TransactGetCommand, {}],
    ['the second look, for its item', TransactGetCommand, { Responses: [] }],
  ])('to %s is no absent item: 503, and no refusal', async (_name, command, answer) => {
    const gateway = mockedGateway({ quotaLimit: 1, quotaUsed: 1 });
    gateway.store.on(command as unknown as typeof UpdateCommand).resolves(answer as never);
    expect((await gateway.ping(under('idempotency-key-k'))).status).toBe(503);
    expect(gateway.events()).toEqual([]);
  });
});

describe('the event of a replay in conflict', () => {
  const conflict = new TransactionConflictException({ message: 'conflict', $metadata });

  test('is tried again', async () => {
    const gateway = mockedGateway({ replay: await duplicatesRecord({}) });
    gateway.store.on(PutCommand).rejectsOnce(conflict).resolves({});
    expect((await gateway.ping(under('idempotency-key-k'))).headers[REPLAYED]).toBe('true');
    expect(gateway.sleeps).toEqual([10 * MAX_JITTER]);
  });

  test('is given up when there is no time for another attempt: 503', async () => {
    const gateway = mockedGateway({ replay: await duplicatesRecord({}) });
    gateway.store.on(PutCommand).rejects(conflict);
    expect((await gateway.ping(under('idempotency-key-k'))).status).toBe(503);
    expect(gateway.store.commandCalls(PutCommand)).toHaveLength(gateway.sleeps.length + 1);
  });
});

describe('an event that is there already', () => {
  test('is ours: the SDK repeated a write whose answer was lost', async () => {
    const gateway: MockedGateway = mockedGateway({ replay: await duplicatesRecord({}) });
    gateway.store.on(PutCommand).rejects(conditionFailed());
    expect((await gateway.ping(under('idempotency-key-k'))).headers[REPLAYED]).toBe('true');
  });
});
