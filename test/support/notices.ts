import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeEach } from '@jest/globals';
import type { AttributeValue, DynamoDBRecord, SQSRecord } from 'aws-lambda';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { NOTICE_SAMPLES } from '../../functions/notices/webhooks/samples.ts';
import type { NoticesDependencies } from '../../functions/notices/dependencies.ts';
import { DELIVERY_PREFIX } from '../../functions/accounts/store/notice-items.ts';
import type { StoredDelivery } from '../../functions/accounts/endpoints/deliveries.ts';
import { noticesHandler, type NoticesHandler } from '../../functions/notices/dispatch.ts';
import type { DailyMessage, LeftKeysMessage, MailMessage, Message, Queue } from '../../functions/notices/message.ts';
import type { Notice } from '../../functions/notices/notice.ts';
import { readNotice } from '../../functions/notices/read-notice.ts';
import { STREAM_FILTERS } from '../../functions/notices/names.ts';
import { letThrough } from '../../local/stream.ts';
import { ownTables } from './books-by-hand.ts';
import { testDatabase } from './database.ts';
import { PORTAL_ORIGIN, type TestGateway } from './gateway.ts';
import { itemsOf } from './people.ts';
import { testClock } from './reports.ts';
import { noteOutput } from './secrets/journal.ts';

/**
 * An instance of the notices function on the real engine, with the permissions of its role, and with queues that keep
 * what they are given. It writes to the tables of the given store with a client of its own.
 */
export function testNotices(
  { store }: Pick<TestGateway, 'store'>,
  more: Partial<Omit<NoticesDependencies, 'store'>> = {},
) {
  const { client, documents } = testDatabase('notices');
  const mails: MailMessage[] = [];
  const wakes: Message[] = [];
  const warnings: string[] = [];
  const metrics: string[] = [];
  const leftOut: object[] = [];
  const note = (details: object): void => {
    noteOutput('the log of the notices', JSON.stringify(details), []);
  };
  const runs: DailyMessage[] = [];
  const leftKeys: LeftKeysMessage[] = [];
  const keeping = (kept: object[]): Queue => ({
    send: (messages) => {
      leftKeys.push(...messages.filter((one) => one.kind === 'leftKeys'));
      kept.push(...messages.filter((one) => one.kind !== 'leftKeys'));
      return Promise.resolve();
    },
  });
  const dependencies: NoticesDependencies = {
    store: { ...store, client: documents, actor: () => Promise.resolve('notices') },
    quotaPeriod: 'month',
    queues: { mail: keeping(mails), webhooks: keeping(wakes), daily: keeping(runs) },
    mailer: { send: () => Promise.resolve({ outcome: 'taken', messageId: 'm1' } as const) },
    deliver: () => Promise.resolve(200),
    keepLeftOut: (_name, event) => {
      leftOut.push(event);
      return Promise.resolve();
    },
    portalOrigin: PORTAL_ORIGIN,
    stage: 'test',
    telemetry: {
      info: (message, details) => {
        note({ message, ...details });
      },
      warn: (message, details) => {
        warnings.push(message);
        note({ message, ...details });
      },
      count: (metric) => {
        metrics.push(metric);
      },
    },
    ...more,
  };
  const handle: NoticesHandler = noticesHandler(dependencies);
  /** Gives a message of daily work, or keys that a report has left. */
  const giveRun = (message: DailyMessage | LeftKeysMessage, timeLeft = () => Infinity) => {
    const attributes = { SentTimestamp: String(store.clock.now()) };
    const record = { messageId: 'r', body: JSON.stringify(message), attributes };
    return handle({ Records: [record as SQSRecord] }, timeLeft);
  };
  /** The deliveries that wait in the accounts that were woken. */
  const deliveries = async (): Promise<StoredDelivery[]> => {
    const accountIds = [...new Set(wakes.map(({ source }) => source.accountId))];
    const items = await Promise.all(accountIds.map((accountId) => itemsOf({ store }, `NOTICES#${accountId}`)));
    return items.flat().filter(({ sk }) => String(sk).startsWith(DELIVERY_PREFIX)) as never;
  };
  const give = (records: readonly DynamoDBRecord[]) => handle({ Records: records }, () => Infinity);
  return {
    client,
    dependencies,
    mails,
    deliveries,
    warnings,
    metrics,
    /** What was left out, as the bucket of failures has it. */
    leftOut,
    /** Gives records of the stream. */
    give,
    /** Follows the stream until it tells nothing new; of new items it is given each record once. */
    follow: async (stream: TableStream): Promise<void> => {
      for (let records = await stream(); records.length > 0; records = (await stream()).filter(isWrittenOnce)) {
        await give(records);
      }
    },
    /** What the run has handed out, and what that has. */
    runs,
    giveRun,
    /** The messages about keys that reports have left. */
    leftKeys,
    /** Does the work of an hour, with all that it hands out. */
    hour: async (timeLeft = () => Infinity): Promise<void> => {
      await handle({ source: 'schedule' }, timeLeft);
      // A message is in its queue until it is done: what a crash leaves there is given to the next instance.
      for (let [next] = runs; next; [next] = runs) {
        const { batchItemFailures } = await giveRun(next);
        if (batchItemFailures.length > 0) throw new Error('a part of the run failed');
        runs.shift();
      }
    },
    /** The notices of all messages so far, without repeats, in the order of their first. */
    told: async (): Promise<Notice[]> => {
      const delivered = (await deliveries()).map(({ accountId, source: sk }) => ({ accountId, sk }));
      const sources = new Map(
        [...mails.map(({ source }) => source), ...delivered].map((source) => [
          `${source.accountId} ${source.sk}`,
          source,
        ]),
      );
      const notices = await Promise.all([...sources.values()].map((source) => readNotice(store, source)));
      for (const notice of notices) if (notice) checkMembers(notice);
      // They are told at the same time, in no order.
      return notices.filter((notice) => notice !== undefined).sort((a, b) => a.at.localeCompare(b.at));
    },
  };
}

/** In each test of a file, a gateway on tables of its own: the daily run reads partitions that all accounts share. */
export function onOwnTables(): Pick<TestGateway, 'store' | 'clock'> {
  const gateway = {} as { store: AccountStore; clock: TestGateway['clock'] };
  let close: () => void;
  beforeEach(async () => {
    const { client, store } = await ownTables();
    gateway.clock = testClock();
    gateway.store = { ...store, clock: gateway.clock };
    close = () => client.destroy();
  });
  afterEach(() => {
    close();
  });
  return gateway;
}

/** What is sent of a type has the members of its sample. */
function checkMembers({ type, data: { isAgain: _, ...data }, ...notice }: Notice): void {
  const { projectId, keyId, memberId, endpointId, tokenId } = notice;
  const told = JSON.parse(JSON.stringify({ projectId, keyId, memberId, endpointId, tokenId, ...data })) as object;
  const [sent, sample] = [told, NOTICE_SAMPLES[type]].map((members) => Object.keys(members).sort().join(' '));
  if (sent !== sample) throw new Error(`${type} has ${sent}, and its sample ${sample}`);
}

/** The changes since the last call, as the stream of the Gateway table tells them. */
export type TableStream = () => Promise<DynamoDBRecord[]>;

/**
 * The stream of some accounts and projects. An item that is written once is told of once, as an insert; a counter at
 * each call, as a change.
 */
export function tableStream(gateway: Pick<TestGateway, 'store'>, ids: readonly string[]): TableStream {
  const seen = new Set<string>();
  const partitions = ids.flatMap((id) =>
    id.startsWith('acc_') ? [`ACCOUNT#${id}`, `NOTICES#${id}`] : [`PROJECT#${id}`],
  );
  return async () => {
    const items = (await Promise.all(partitions.map((pk) => itemsOf(gateway, pk)))).flat();
    return items.flatMap((item) => {
      const name = `${String(item.pk)} ${String(item.sk)}`;
      const record = recordOf(item, seen.has(name) ? 'MODIFY' : 'INSERT');
      seen.add(name);
      return letThrough([record], [...STREAM_FILTERS.changes, ...STREAM_FILTERS.counters]);
    });
  };
}

let sequence = 0;

/** The record of a change of an item. */
export function recordOf(item: Record<string, unknown>, eventName: 'INSERT' | 'MODIFY'): DynamoDBRecord {
  const image = (values: Record<string, unknown>) =>
    marshall(values, { removeUndefinedValues: true }) as Record<string, AttributeValue>;
  const SequenceNumber = String(++sequence).padStart(12, '0');
  return { eventName, dynamodb: { SequenceNumber, Keys: image({ pk: item.pk, sk: item.sk }), NewImage: image(item) } };
}

const isWrittenOnce = ({ eventName }: DynamoDBRecord): boolean => eventName === 'INSERT';

/** The markers of an account, by their positions. */
export async function markersOf(gateway: { readonly store: AccountStore }, accountId: string) {
  const items = await itemsOf(gateway, `NOTICES#${accountId}`);
  return items.map(({ sk }) => String(sk)).filter((sk) => sk.startsWith('MARK#'));
}

/** The partitions of what ends on the UTC day of a time. */
export const partitionsOfEnds = (atMs: number): string[] =>
  Array.from('0123456789abcdef', (shard) => `EXPIRING#${new Date(atMs).toISOString().slice(0, 10)}#${shard}`);

/** The items of what ends on the UTC day of a time. */
export const endsOn = async (gateway: Pick<TestGateway, 'store'>, atMs: number) =>
  (await Promise.all(partitionsOfEnds(atMs).map((pk) => itemsOf(gateway, pk)))).flat();
