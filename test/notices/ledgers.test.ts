import {
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  UpdateCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { createAccount } from '../../functions/accounts/team/accounts.ts';
import { createProject } from '../../functions/accounts/projects/projects.ts';
import { noticesHandler } from '../../functions/notices/dispatch.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { readItem } from '../../functions/shared/store/tables.ts';
import { periodAt } from '../../functions/shared/time.ts';
import { TooManyEvents } from '../../functions/usage/checks/passes.ts';
import { verifyLedger } from '../../functions/usage/checks/verification.ts';
import { booksByHand } from '../support/books-by-hand.ts';
import { recordCalls } from '../support/database.ts';
import { onOwnTables, recordOf, tableStream, testNotices } from '../support/notices.ts';
import { before } from '../support/overtaking.ts';
import { recordReadUnits } from '../support/read-units.ts';
import { DAY_MS, HOUR_MS, NOW_MS } from '../support/times.ts';

const gateway = onOwnTables();

/** A project with three charges, of which the stream has told. */
async function charged(notices = testNotices(gateway), period = '2030-01') {
  const accountId = await createAccount(gateway.store, { name: 'Test', email: null });
  const projectId = await createProject(gateway.store, { accountId, name: 'P', quotaLimit: 1_000 });
  const books = booksByHand(gateway.store, projectId, period);
  const event = books.event();
  await books.charge(event);
  for (let n = 0; n < 2; n++) await books.charge();
  const stream = tableStream(gateway, [projectId]);
  const tell = async () => notices.give(await stream());
  await tell();
  return { projectId, books, event, tell, counter: () => readItem(gateway.store, itemKey.quota(projectId, period)) };
}
/** Does what the next day's first hour does about ledgers, and returns those that it handed out. */
async function night(notices = testNotices(gateway)) {
  gateway.clock.nowMs += DAY_MS;
  await noticesHandler(notices.dependencies)({ source: 'schedule' }, () => Infinity);
  const handed: string[] = [];
  for (let next = notices.runs.shift(); next; next = notices.runs.shift()) {
    if (next.kind === 'accounts') continue;
    if (next.kind === 'ledger') handed.push(next.source.sk);
    expect(await notices.giveRun(next)).toEqual({ batchItemFailures: [] });
  }
  return handed;
}
/** The message of the ledger of a project that was charged on the first day. */
const ledgerOf = (projectId: string) =>
  ({ kind: 'ledger', source: { accountId: projectId, sk: `${projectId}#2030-01` }, chargedOn: '2030-01-15' }) as const;
const ofLedgers = ({ metrics }: { readonly metrics: readonly string[] }) =>
  metrics.filter((metric) => metric.startsWith('Ledger'));

describe('each night', () => {
  test('the ledgers that were charged the day before are verified, once, and no others', async () => {
    const { projectId, books, tell } = await charged();
    await createProject(gateway.store, { accountId: 'acc_1', name: 'idle', quotaLimit: 1 }).catch(() => undefined);
    const notices = testNotices(gateway);
    expect(await night(notices)).toEqual([`${projectId}#2030-01`]);
    expect(await night(notices)).toEqual([]);
    await books.charge();
    await tell();
    expect(await night(notices)).toEqual([`${projectId}#2030-01`]);
    expect([ofLedgers(notices), notices.warnings]).toEqual([[], []]);
  });

  test('a ledger that differs is reported once, with its project, and not repaired', async () => {
    const { projectId, books, event, counter } = await charged();
    await books.deleteEvent(event);
    const [notices, stored] = [testNotices(gateway), await counter()];
    const said: object[] = [];
    Object.assign(notices.dependencies.telemetry, {
      warn: (message: string, of: object) => said.push({ message, ...of }),
    });
    const writes = recordCalls(notices.client).inputs;
    await night(notices);
    // A message may come twice, and the next run looks at the day again.
    await notices.giveRun(ledgerOf(projectId));
    expect(await night(notices)).toEqual([]);
    expect(ofLedgers(notices)).toEqual(['LedgerDifferences']);
    expect(said).toEqual([
      {
        message: 'a ledger is not consistent',
        ...{ projectId, period: '2030-01', quotaUsed: 3, ledgerUnits: 2 },
        ...{ atLeast: -1, atMost: -1, caps: 0, irregularEvents: 0 },
      },
    ]);
    expect(await counter()).toEqual(stored);
    expect(JSON.stringify(writes)).not.toContain('"ADD');
  });

  test.each<[string, (of: Awaited<ReturnType<typeof charged>>) => Promise<unknown>]>([
    ['a counter without a number', ({ books }) => books.putCounter('many')],
    ['an event that the gateway would not write', ({ books }) => books.putEvent({ units: 0 })],
    ['units without an event', ({ books }) => books.putCounter(4)],
  ])('%s is a difference', async (_what, change) => {
    const made = await charged();
    await change(made);
    const notices = testNotices(gateway);
    await night(notices);
    expect(ofLedgers(notices)).toEqual(['LedgerDifferences']);
  });

  test.each([false, true])(
    'what a cheap read does not show yet is no difference, charged meanwhile: %s',
    async (isBusy) => {
      const { books } = await charged();
      const notices = testNotices(gateway);
      if (isBusy) before(notices.dependencies, 'QueryCommand', () => books.charge(), Infinity);
      let cheap = 0;
      notices.client.middlewareStack.add(
        (next) => async (args) => {
          const result = await next(args);
          const { TableName = '', ConsistentRead } = args.input as QueryCommandInput;
          const { Items } = result.output as { Items?: unknown[] };
          if (!TableName.endsWith('Usage') || !Items || ConsistentRead === true) return result;
          cheap++;
          return { ...result, output: { ...result.output, Items: Items.slice(1) } };
        },
        { step: 'initialize', name: 'behind', priority: 'low' },
      );
      await night(notices);
      expect(cheap).toBeGreaterThan(0);
      expect([ofLedgers(notices), notices.warnings]).toEqual([[], []]);
    },
  );

  test('charges at each of its looks are no difference, and a difference that they hide is found when they end', async () => {
    const { books, event, tell } = await charged();
    const notices = testNotices(gateway);
    let isBusy = true;
    before(notices.dependencies, 'QueryCommand', () => (isBusy ? books.charge() : Promise.resolve()), Infinity);
    await night(notices);
    await books.deleteEvent(event);
    await tell();
    await night(notices);
    expect([ofLedgers(notices), notices.warnings]).toEqual([[], []]);
    isBusy = false;
    await tell();
    await night(notices);
    expect(ofLedgers(notices)).toEqual(['LedgerDifferences']);
  });

  test('a verification that fails is tried again by its queue, and one that dies before its mark reports again', async () => {
    const { projectId, books, event } = await charged();
    await books.deleteEvent(event);
    gateway.clock.nowMs += DAY_MS;
    const give = async (failing?: string) => {
      const notices = testNotices(gateway);
      if (failing !== undefined)
        before(notices.dependencies, failing, () =>
          Promise.reject(Object.assign(new Error(), { name: 'TimeoutError' })),
        );
      const { batchItemFailures } = await notices.giveRun(ledgerOf(projectId));
      return [batchItemFailures.length, ...ofLedgers(notices)];
    };
    expect(await give('QueryCommand')).toEqual([1]);
    expect(await give('UpdateItemCommand')).toEqual([1, 'LedgerDifferences']);
    expect(await give()).toEqual([0, 'LedgerDifferences']);
    expect(await give()).toEqual([0]);
  });

  test.each([
    ['2030-01', Date.UTC(2030, 1, 1, 0, 4)],
    ['2030-01-15', Date.UTC(2030, 0, 16, 0, 4)],
  ])('the last charges of %s that the stream tells of after its end are verified in it', async (period, afterEndMs) => {
    const notices = testNotices(gateway);
    const { projectId, books, event, counter } = await charged(notices, period);
    await night(notices);
    gateway.clock.nowMs = afterEndMs;
    await books.deleteEvent(event);
    await notices.give([recordOf({ ...itemKey.quota(projectId, period), ...((await counter()) as object) }, 'MODIFY')]);
    expect(await night(notices)).toEqual([`${projectId}#${period}`]);
    expect(ofLedgers(notices)).toEqual(['LedgerDifferences']);
  });

  test('a night that was missed is made up for', async () => {
    const { projectId } = await charged();
    await noticesHandler(testNotices(gateway).dependencies)({ source: 'schedule' }, () => Infinity);
    gateway.clock.nowMs += 5 * DAY_MS;
    expect(await night()).toEqual([`${projectId}#2030-01`]);
  });

  test('a period whose events may have expired is left alone', async () => {
    const { projectId, books } = await charged();
    await books.putCounter(7);
    gateway.clock.nowMs = Date.UTC(2030, 2, 6);
    const notices = testNotices(gateway);
    await notices.giveRun(ledgerOf(projectId));
    expect(ofLedgers(notices)).toEqual([]);
  });

  test('a thousand counters of a day are noted once each, and a small ledger takes less than 12 read units', async () => {
    const notices = testNotices(gateway);
    const puts = recordCalls(notices.client).commands;
    const { tell } = await charged(notices);
    for (let n = 0; n < 5; n++) await tell();
    expect(puts.filter((name) => name === 'PutItem')).toHaveLength(1);
    gateway.clock.nowMs += HOUR_MS;
    const { projectId } = await charged(notices);
    gateway.clock.nowMs += DAY_MS;
    const read = recordReadUnits(notices.client);
    await notices.giveRun(ledgerOf(projectId));
    expect(read.units).toBeGreaterThan(5);
    expect(read.units).toBeLessThan(12);
  });
});

test('a ledger of more than five million events is not verified: a metric and the log say so, and it is read no further', async () => {
  const events = { TableName: gateway.store.tables.usage };
  const notices = testNotices(gateway);
  const dynamo = mockClient(DynamoDBDocumentClient);
  try {
    dynamo.on(GetCommand).resolves({ Item: { projectId: 'p', period: '2030-01', units: 1 } });
    dynamo.on(QueryCommand).resolves({ Items: [] });
    dynamo.on(QueryCommand, events).resolves({ Items: new Array<never>(5_000_001), LastEvaluatedKey: { sk: 'z' } });
    await notices.giveRun(ledgerOf('p'));
    expect(dynamo.commandCalls(QueryCommand, events)).toHaveLength(1);
    expect(dynamo.commandCalls(UpdateCommand)).toHaveLength(1);
  } finally {
    dynamo.restore();
  }
  expect(ofLedgers(notices)).toEqual(['LedgersTooLarge']);
  expect(notices.warnings).toEqual(['a ledger has too many events for the nightly verification']);
});

test('up to its most events a verification reads all', async () => {
  const { projectId } = await charged();
  const verify = (mostEvents: number) =>
    verifyLedger(gateway.store, projectId, periodAt(NOW_MS, 'month'), { mostEvents });
  await expect(verify(3)).resolves.toMatchObject({ consistent: true });
  await expect(verify(2)).rejects.toThrow(TooManyEvents);
});
