import { randomBytes, randomUUID } from 'node:crypto';
import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { StoreUnavailableError } from '../../functions/shared/http/errors.ts';
import { requestIdAt } from '../../functions/shared/ids.ts';
import { periodAt } from '../../functions/shared/time.ts';
import type { Units } from '../../functions/shared/request/operation.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { oncePerMinuteKey, itemKey } from '../../functions/shared/store/items.ts';
import { verifyLedger } from '../../functions/usage/checks/verification.ts';
import { booksByHand, itemsPerPage } from '../support/books-by-hand.ts';
import { putItem, recordCalls } from '../support/database.ts';
import { tenant, testGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import { NOW_MS } from '../support/times.ts';

const JANUARY = periodAt(NOW_MS, 'month');
/** Items that the gateway never writes, in the ledger of a project with two charged requests. */
let projectId: string;
let charged: [UsageEvent, UsageEvent];
let books: ReturnType<typeof booksByHand>;
const { store } = testGateway();
const verify = (options: Parameters<typeof verifyLedger>[3] = {}) => verifyLedger(store, projectId, JANUARY, options);
const sortKeyOf = ({ occurredAt, requestId }: UsageEvent): string => `${occurredAt}#${requestId}`;
/** Puts a charge under an id of the gateway, which names its time. */
const putOwn = (occurredAt = '2030-01-15T10:00:30.000Z') =>
  books.putEvent({ requestId: requestIdAt(Date.parse(occurredAt), randomBytes), occurredAt });
const sound = { consistent: true, quotaUsed: 2, ledgerUnits: 2 };

beforeEach(async () => {
  ({ projectId } = await tenant({ store }));
  books = booksByHand(store, projectId);
  charged = [await putOwn(), await putOwn('2030-01-16T00:00:00.000Z')];
  await books.putCounter(2);
  expect(await verify()).toEqual(sound);
});

/** The expected result for one irregular event with this sort key. */
const irregular = (sortKey: string, problem: string, found: unknown) => ({
  irregularEvents: { count: 1, examples: [{ sortKey, problem, found }] },
});
const atUnits = (units: number) => ({ quotaUsed: units, ledgerUnits: units });
const apart = (by: number) => ({ ledgerUnits: 2 + by, difference: { atLeast: by, atMost: by } });
const LATER = '2030-01-20T00:00:00.000Z';
/** Puts what is changed of a charge in the place of another. */
async function instead(of: UsageEvent, change: Partial<UsageEvent>, stored?: object): Promise<UsageEvent> {
  await books.deleteEvent(of);
  return books.putEvent({ ...charged[0], ...change }, { ...stored });
}
/** An event, how it is put, and what is found of it; with the counter that fits, if it is not 2. */
type Row = readonly [
  what: string,
  put: () => Promise<UsageEvent>,
  problem: string,
  found: (event: UsageEvent) => unknown,
  more?: { readonly counter?: number; readonly expected?: object; readonly deep?: true; readonly sk?: string },
];
const ofFirst = () => sortKeyOf(charged[0]);
const noTime = (occurredAt: string, deep?: true): Row => [
  `of the time ${occurredAt}, which is none that the gateway writes`,
  () => books.putEvent({ occurredAt }),
  'key',
  sortKeyOf,
  { counter: 3, ...(deep && { deep }) },
];
const ofPeriod = (period: string, occurredAt = '2030-01-15T10:00:30.000Z'): Row => [
  `of the period ${period}`,
  () => books.putEvent({ period, occurredAt }),
  'period',
  () => period,
];
const ROWS: readonly Row[] = [
  [
    'written twice under another time',
    () => books.putEvent({ requestId: charged[0].requestId, occurredAt: LATER }),
    'key',
    ofFirst,
    { expected: apart(1) },
  ],
  [
    'written twice in the place of another, which leaves the sum as it was',
    () => instead(charged[1], { occurredAt: charged[1].occurredAt }),
    'key',
    ofFirst,
  ],
  ['moved to another time, in its key and in itself', () => instead(charged[0], { occurredAt: LATER }), 'key', ofFirst],
  [
    'whose key names another time',
    () => instead(charged[0], {}, { sk: '2030-01-20' }),
    'key',
    ofFirst,
    { sk: '2030-01-20' },
  ],
  noTime('2030-01-15T10:00:30Z'),
  noTime('yesterday', true),
  ['without a period', () => books.putEvent({}, { period: undefined }), 'period', () => 'nothing'],
  [
    'whose request id is no text',
    () => books.putEvent({ units: 0, event: 'idempotency_replay' }, { requestId: 7, sk: '2030-01-15#7' }),
    'key',
    () => '2030-01-15T10:00:30.000Z#7',
    { sk: '2030-01-15#7' },
  ],
  [
    'of another project',
    () => books.putEvent({ ...charged[0], projectId: 'Project00000' }, { pk: projectId }),
    'key',
    () => `Project00000 ${ofFirst()}`,
  ],
  ['of 0 units that is a charge', () => books.putEvent({ units: 0 }), 'units', () => 0],
  ofPeriod('2030-02'),
  ofPeriod('2030-01-15'),
  ofPeriod('2030-01-01', '2030-01-01T00:00:00.000Z'),
  ofPeriod('x', '2030-01-31T23:59:59.999Z'),
  [
    'of the period in another one, which a deep look finds',
    () => books.putEvent({ occurredAt: '2029-07-01T00:00:00.000Z' }),
    'period',
    () => '2030-01',
    { deep: true, expected: apart(1) },
  ],
  [
    'under a key that is no time, which a deep look finds',
    () => books.putEvent({}, { sk: '~' }),
    'key',
    sortKeyOf,
    { counter: 3, deep: true, sk: '~' },
  ],
];

describe('the ledger is not consistent', () => {
  test('with an event that was removed', async () => {
    await books.deleteEvent(charged[0]);
    expect(await verify()).toEqual({ ...sound, consistent: false, ...apart(-1) });
  });

  test.each(ROWS)('with an event %s', async (_what, put, problem, found, more = {}) => {
    const { counter = 2, expected, sk, ...options } = more;
    const event = await put();
    await books.putCounter(counter);
    expect(await verify(options)).toEqual({
      consistent: false,
      ...atUnits(counter),
      ...expected,
      ...irregular(sk ?? sortKeyOf(event), problem, found(event)),
    });
  });

  test('with a charge under the key of its minute’s refusals, and with a refusal under a key of its own making', async () => {
    const event = books.event();
    const { sk } = oncePerMinuteKey(event);
    await books.putEvent(event, { sk });
    await books.putCounter(3);
    const charge = { consistent: false, ...atUnits(3), ...irregular(sk, 'key', sortKeyOf(event)) };
    expect(await verify()).toEqual(charge);
    await instead(charged[0], { event: 'quota_rejected', units: 0 }, { sk: `${sortKeyOf(charged[0])}#` });
    await books.putCounter(2);
    expect(await verify()).toMatchObject({ irregularEvents: { count: 2 } });
  });

  test('with an event of very long texts, which are shown as far as they fit a terminal', async () => {
    const [requestId, period] = ['r'.repeat(500), 'p'.repeat(500)];
    const event = await books.putEvent({ requestId, period });
    const found = { sortKey: sortKeyOf(event).slice(0, 240), problem: 'period', found: period.slice(0, 120) };
    expect(await verify()).toMatchObject({ irregularEvents: { count: 1, examples: [found] } });
  });

  test('with a pair of events that cancel each other out', async () => {
    await books.putEvent({ units: 5 });
    await books.putEvent({ units: -5 });
    expect(await verify()).toMatchObject({
      ...sound,
      consistent: false,
      irregularEvents: {
        count: 2,
        examples: expect.arrayContaining([
          { sortKey: expect.any(String), problem: 'units', found: 5 },
          { sortKey: expect.any(String), problem: 'units', found: -5 },
        ]),
      },
    });
  });

  test.each([
    ['text', '05-5111', '05-5111'],
    ['a list', ['1'], '["1"]'],
    ['half a unit', 0.5, 0.5],
    ['more than can be counted', BigInt(1e20), 1e20],
  ])('with units that are %s: they are not added up', async (_, units, found) => {
    const event = await books.putEvent({}, { units });
    const verified = await verify();
    // The end of the run reads all tables again, and its reader refuses such a number.
    await books.deleteEvent(event);
    expect(verified).toEqual({ ...sound, consistent: false, ...irregular(sortKeyOf(event), 'units', found) });
  });

  test.each(['rate_limit_rejected', 'idempotency_replay', 'of_no_kind'])('with units for %s', async (event) => {
    await books.putEvent({}, { event });
    await books.putCounter(3);
    expect(await verify()).toMatchObject({ consistent: false, irregularEvents: { count: 1 } });
  });

  test.each(['05', -1, 0.5])('with a counter of %j', async (units) => {
    await books.putCounter(units);
    await expect(verify()).rejects.toThrow(`The counter of project ${projectId} for 2030-01 holds no number of units.`);
  });

  test('with shards of which one is of another layout, as in a copy that lost the end of single items: it holds nothing', async () => {
    const counter = { ...itemKey.quota(projectId, JANUARY.id), units: 10, generation: 2, shards: 2, limit: 10 };
    const shards = [2, 1].map((generation, index) => ({
      ...itemKey.quotaShard(projectId, JANUARY.id, index),
      left: 4,
      generation,
    }));
    for (const Item of [counter, ...shards]) await putItem(store, Item);
    expect(await verify()).toMatchObject({ consistent: false, quotaUsed: 6 });
  });
});

describe('the ledger is consistent', () => {
  test('with events of every kind, one a minute of refusals before admission among them', async () => {
    for (const event of [
      'idempotency_replay',
      'rate_limit_rejected',
      'quota_rejected',
      'idempotency_conflict',
    ] as const)
      await books.putEvent({ event, units: 0 });
    const refused = books.event({ event: 'request_rejected', code: 'API_KEY_REVOKED', status: 401, units: 0 });
    await books.putEvent(refused, { ...oncePerMinuteKey(refused) });
    expect(await verify()).toEqual(sound);
  });

  test('with events of other months and days, each in its own', async () => {
    await books.putEvent({ occurredAt: '2029-07-01T00:00:00.000Z', period: '2029-07' });
    await books.putEvent({ occurredAt: '2029-08-01T00:00:00.000Z', period: '2029-08-01' });
    await books.putEvent({ occurredAt: '2030-02-01T00:00:00.000Z', period: '2030-02' });
    expect(await verify()).toEqual(sound);
    expect(await verify({ deep: true })).toEqual(sound);
  });

  test('when each operation has its units, or no more than its most, and one that nobody knows any number', async () => {
    const unitsOf = new Map<string, Units>([
      ['sandbox.ping', 1],
      ['sandbox.three', 3],
      ['sandbox.upToFive', { most: 5 }],
    ]);
    await books.putEvent({ operation: 'sandbox.three', units: 3 });
    await books.putEvent({ operation: 'sandbox.upToFive', units: 1 });
    await books.putEvent({ operation: 'sandbox.upToFive', units: 5 });
    await books.putEvent({ operation: 'sandbox.retired', units: 7 });
    await books.putCounter(18);
    expect(await verify({ unitsOf })).toEqual({ consistent: true, quotaUsed: 18, ledgerUnits: 18 });
    await books.putEvent({ operation: 'sandbox.three', units: 1 });
    await books.putEvent({ operation: 'sandbox.retired', units: -1 });
    for (const units of [0, 6, 1.5]) await books.putEvent({ operation: 'sandbox.upToFive', units });
    expect(await verify({ unitsOf })).toMatchObject({ consistent: false, irregularEvents: { count: 5 } });
  });
});

describe('a verification', () => {
  test.each([false, true])('reads what was written before, from either end in turn (deep: %s)', async (deep) => {
    const own = testGateway();
    const { commands, inputs } = recordCalls(own.operatorClient);
    before(own, 'QueryCommand', () => books.charge(), 6);
    expect(await verifyLedger(own.store, projectId, JANUARY, { deep })).toMatchObject({ consistent: true });
    const reads = (inputs as QueryCommandInput[]).filter((_, i) => /^(Get|Query|Scan)/.test(commands[i] ?? ''));
    expect(reads.filter(({ ConsistentRead }) => ConsistentRead !== true)).toEqual([]);
    const ofEvents = reads.filter(({ TableName }) => TableName === store.tables.usage);
    const ends = ofEvents.map(({ ScanIndexForward }) => ScanIndexForward);
    expect(ends.length).toBeGreaterThan(2);
    expect(ends).toEqual(ends.map((_, look) => look % 2 === 0));
  });

  test.each([{}, { Responses: [] }])(
    'takes a transaction that came back with %j for no answer, not for a counter that is not there',
    async (answer) => {
      const own = testGateway();
      own.store.client.middlewareStack.add(
        (next, { commandName }) =>
          (args) =>
            commandName === 'TransactGetItemsCommand'
              ? Promise.resolve({ response: {}, output: { ...answer, $metadata: {} } })
              : next(args),
        { step: 'initialize', name: 'noAnswer' },
      );
      const noAnswer = new StoreUnavailableError('a transaction came back without its items');
      await expect(verifyLedger(own.store, projectId, JANUARY)).rejects.toEqual(noAnswer);
    },
  );
});

test('of many irregular events ten are shown, page after page, and how many there are', async () => {
  for (let i = 0; i < 12; i++) await books.putEvent({ units: 2, requestId: randomUUID() });
  itemsPerPage(store, 3);
  const { irregularEvents } = await verify();
  expect(irregularEvents?.count).toBe(12);
  expect(irregularEvents?.examples).toHaveLength(10);
});
