/**
 * A thread that does the work of notices, beside the gateway's event loop: what event source mappings, SQS, a schedule
 * and SES do in AWS. Its messages are those of notices.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { BatchGetItemCommand, type AttributeValue, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Context, DynamoDBRecord, SQSBatchResponse } from 'aws-lambda';
import type { Failures } from '../functions/notices/dependencies.ts';
import type { NoticesEvent } from '../functions/notices/dispatch.ts';
import { SCHEDULE_INPUT, STREAM_FILTERS } from '../functions/notices/names.ts';
import { clientPlugins, createClient } from '../functions/shared/store/client.ts';
import { NOTICES_ENVIRONMENT } from '../functions/shared/names.ts';
import { letThrough, tellingOfWrites, writtenBy, type Written } from './stream.ts';
import { moveClock } from './clock.ts';
import { startMailbox } from './mailbox.ts';
import type { FromWorker, ToWorker } from './notices.ts';
import { startQueues } from './queues.ts';

type NoticesHandler = (event: NoticesEvent, context: Context) => Promise<Failures>;

/** A mail is to be in the local mailbox within two seconds. */
const POLL_MS = 300;
const MS_PER_HOUR = 3_600_000;
/** The remaining time that the function's context reports; in AWS daily work has more. */
const TIMEOUT_MS = 180_000;
/** How often the function gets the same records before one is skipped. The mappings in AWS have bounds of their own. */
const MAX_TRIES = 3;
const PAUSE_MS = 1_000;
/** A call of DynamoDB reads at most so many items. */
const MAX_READ = 100;

const say = (message: FromWorker): void => parentPort?.postMessage(message);
const { mailboxPort } = workerData as { readonly mailboxPort: number };
const loaded = Promise.withResolvers<NoticesHandler>();
const stopping = new AbortController();
const invoke = async (event: NoticesEvent): Promise<Failures> => (await loaded.promise)(event, contextUntilTimeout());
/** What was written and is not told yet. An item that was written twice is told once, as it is then. */
const waiting = new Map<string, Written>();
const remember = (written: readonly Written[]): void => {
  for (const one of written) waiting.set(`${one.event} ${one.pk} ${one.sk}`, one);
};
let reading = Promise.resolve();
let hourly: NodeJS.Timeout | undefined;

try {
  const mailbox = await startMailbox(mailboxPort);
  const queues = await startQueues((event) => invoke(event) as Promise<SQSBatchResponse>);
  parentPort?.on('message', (message: ToWorker) => {
    if (message.kind === 'written') remember(message.written);
    else if (message.kind === 'begin') begin(message);
    else if (message.kind === 'clock') {
      moveClock(message.byMs);
      queues.giveDue();
      if (hourly !== undefined) runEachHour();
    } else void stop().finally(() => process.exit());
  });
  const stop = async (): Promise<void> => {
    stopping.abort();
    clearTimeout(hourly);
    await reading;
    await Promise.all([queues.stop(), mailbox.stop()]);
  };
  say({
    kind: 'started',
    mailboxOrigin: mailbox.origin,
    functionEnvironment: {
      ...mailbox.functionEnvironment,
      [NOTICES_ENVIRONMENT.mailQueueUrl]: queues.urls.mail,
      [NOTICES_ENVIRONMENT.webhookQueueUrl]: queues.urls.webhook,
      [NOTICES_ENVIRONMENT.dailyQueueUrl]: queues.urls.daily,
      // The SDK would warn of each call to another address than that of the region.
      AWS_ENDPOINT_URL_SQS: new URL(queues.urls.mail).origin,
    },
  });
} catch (error) {
  const { code = '', message } = error as NodeJS.ErrnoException;
  say({ kind: 'failed', code, message });
}

function begin({ environment, address, gatewayTable }: ToWorker & { readonly kind: 'begin' }): void {
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, environment);
  // The function's own writes, such as a threshold that the hourly run has found.
  clientPlugins.push(tellingOfWrites((call) => remember(writtenBy(call, gatewayTable))));
  loaded.resolve(import('../functions/notices/handler.ts').then(({ handler }) => handler));
  loaded.promise.catch(tell('The notices function does not start'));
  reading = workUntil(stopping.signal, createClient(address), gatewayTable);
  runEachHour();
}

/** It also runs at the start, since a developer's machine is not always on. */
function runEachHour(): void {
  clearTimeout(hourly);
  invoke(SCHEDULE_INPUT).catch((error: unknown) => {
    // A stop does not wait for it. The next start continues it.
    if (!stopping.signal.aborted) tell('The hourly run of notices failed')(error);
  });
  hourly = setTimeout(runEachHour, MS_PER_HOUR - (Date.now() % MS_PER_HOUR));
}

/** Passes changes to the function until the signal, and then once more the changes up to the signal. */
async function workUntil(signal: AbortSignal, client: DynamoDBClient, gatewayTable: string): Promise<void> {
  for (;;) {
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    const isLast = signal.aborted;
    const written = [...waiting.values()];
    waiting.clear();
    try {
      for (let from = 0; from < written.length; from += MAX_READ) {
        const records = await recordsOf(client, gatewayTable, written.slice(from, from + MAX_READ));
        for (const filters of Object.values(STREAM_FILTERS)) await work(letThrough(records, filters), invoke);
      }
    } catch (error) {
      if (!isLast) tell('Changes cannot be read')(error);
      remember(written);
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
    if (isLast) return;
  }
}

let sequence = 0;

/** The records of what was written, with the items as they are now; items that are gone have none. */
async function recordsOf(
  client: DynamoDBClient,
  gatewayTable: string,
  written: readonly Written[],
): Promise<DynamoDBRecord[]> {
  const keys = new Map(written.map(({ pk, sk }) => [`${pk} ${sk}`, { pk: { S: pk }, sk: { S: sk } }]));
  const items = new Map<string, Record<string, AttributeValue>>();
  for (let left = [...keys.values()]; left.length > 0;) {
    const RequestItems = { [gatewayTable]: { Keys: left, ConsistentRead: true } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand({ RequestItems }));
    for (const item of Responses?.[gatewayTable] ?? []) items.set(`${item.pk?.S} ${item.sk?.S}`, item);
    left = (UnprocessedKeys?.[gatewayTable]?.Keys ?? []) as typeof left;
  }
  return written.flatMap(({ event: eventName, pk, sk }) => {
    const NewImage = items.get(`${pk} ${sk}`);
    if (NewImage === undefined) return [];
    const Keys = { pk: { S: pk }, sk: { S: sk } };
    const dynamodb = { Keys, NewImage, SequenceNumber: String(++sequence).padStart(12, '0') };
    const ApproximateCreationDateTime = Date.now() / 1_000;
    return [{ eventName, dynamodb: { ...dynamodb, ApproximateCreationDateTime } } as DynamoDBRecord];
  });
}

/**
 * Calls the function as an event source mapping does: again from the first record that failed, and finally without that
 * record.
 */
async function work(
  records: readonly DynamoDBRecord[],
  invoke: (event: NoticesEvent) => Promise<Failures>,
): Promise<void> {
  let left = records;
  for (let tries = 1; left.length > 0; tries++) {
    const failed = await firstFailure(left, invoke);
    if (failed > 0) tries = 1;
    left = left.slice(failed);
    if (left.length === 0) return;
    if (tries < MAX_TRIES) {
      await sleep(PAUSE_MS);
      continue;
    }
    const keys = JSON.stringify(left[0]?.dynamodb?.Keys);
    process.stderr.write(`A change was skipped after ${MAX_TRIES} tries, without a notice: ${keys}\n`);
    left = left.slice(1);
    tries = 0;
  }
}

/** The index of the first record that the function could not handle; the number of records: none. */
async function firstFailure(
  records: readonly DynamoDBRecord[],
  invoke: (event: NoticesEvent) => Promise<Failures>,
): Promise<number> {
  try {
    const { batchItemFailures } = await invoke({ Records: records });
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    const index = records.findIndex(({ dynamodb }) => failed.has(dynamodb?.SequenceNumber ?? ''));
    return index === -1 ? records.length : index;
  } catch {
    return 0;
  }
}

/** The parts of the context that the function uses. */
function contextUntilTimeout(): Context {
  const endsAtMs = performance.now() + TIMEOUT_MS;
  return { getRemainingTimeInMillis: () => endsAtMs - performance.now() } as Context;
}

function tell(what: string): (error: unknown) => void {
  return (error) => process.stderr.write(`${what}: ${inspect(error)}\n`);
}
