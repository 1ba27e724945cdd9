import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Context, DynamoDBRecord, SQSBatchResponse } from 'aws-lambda';
import type { Failures } from '../functions/notices/dependencies.ts';
import type { NoticesEvent } from '../functions/notices/dispatch.ts';
import { NOTICES_ENVIRONMENT } from '../functions/wiring.ts';
import { SCHEDULE_INPUT, STREAM_FILTERS } from '../functions/notices/wiring.ts';
import { startMailbox } from './mailbox.ts';
import { startQueues } from './queues.ts';
import { portError, type DatabaseAddress, type Environment } from './settings.ts';
import { letThrough } from './stream-filters.ts';
import { openStream, type TableStream } from './stream.ts';

/** The notices function's deployed entry point. */
export type NoticesHandler = (event: NoticesEvent, context: Context) => Promise<Failures>;

/** A mail is to be in the local mailbox within two seconds. */
const POLL_MS = 300;
const MS_PER_HOUR = 3_600_000;
/** The remaining time that the function's context reports, as in AWS. */
const TIMEOUT_MS = 180_000;
/** How often the function gets the same records before one is skipped. The mappings in AWS have bounds of their own. */
const MAX_TRIES = 3;
const PAUSE_MS = 1_000;

/** What runs the notices function on this machine, instead of event source mappings, SQS and a schedule. */
export interface LocalNotices {
  /** The mailbox's page. */
  readonly mailboxOrigin: string;
  /** The variables of the functions. */
  readonly functionEnvironment: Environment;
  /** Begins with the changes that are made from now on. Resolves when every later change will be handled. */
  begin(load: () => Promise<NoticesHandler>, address: DatabaseAddress, gatewayTable: string): Promise<void>;
  /** Handles the changes up to now, and ends. Messages that wait in a queue are dropped. */
  stop(timeoutMs: number): Promise<void>;
}

/** Starts the queues and the mailbox. Throws `SettingsError` when its port is taken. */
export async function startNotices(mailboxPort: number): Promise<LocalNotices> {
  const mailbox = await startMailbox(mailboxPort).catch((error: unknown) => {
    throw portError('MAILBOX_PORT', mailboxPort, error);
  });
  const loaded = Promise.withResolvers<NoticesHandler>();
  const stopping = new AbortController();
  const invoke = async (event: NoticesEvent): Promise<Failures> => (await loaded.promise)(event, contextUntilTimeout());
  const queues = await startQueues((event) => invoke(event) as Promise<SQSBatchResponse>);
  let reading = Promise.resolve();
  let hourly: NodeJS.Timeout | undefined;

  /** It also runs at the start, since a developer's machine is not always on. */
  const runEachHour = (): void => {
    invoke(SCHEDULE_INPUT).catch((error: unknown) => {
      // A stop does not wait for it. The next start continues it.
      if (!stopping.signal.aborted) tell('The hourly run of notices failed')(error);
    });
    hourly = setTimeout(runEachHour, MS_PER_HOUR - (Date.now() % MS_PER_HOUR));
  };

  return {
    mailboxOrigin: mailbox.origin,
    functionEnvironment: {
      ...mailbox.functionEnvironment,
      [NOTICES_ENVIRONMENT.mailQueueUrl]: queues.urls.mail,
      [NOTICES_ENVIRONMENT.webhookQueueUrl]: queues.urls.webhook,
      // The SDK would warn of each call to another address than that of the region.
      AWS_ENDPOINT_URL_SQS: new URL(queues.urls.mail).origin,
    },
    begin: async (load, address, gatewayTable) => {
      const stream = await openStream(address, gatewayTable);
      loaded.resolve(load());
      loaded.promise.catch(tell('The notices function does not start'));
      reading = readUntil(stopping.signal, stream, invoke).finally(() => stream.close());
      runEachHour();
    },
    stop: async (timeoutMs) => {
      stopping.abort();
      clearTimeout(hourly);
      const timeout = new AbortController();
      const ended = reading.then(() => queues.stop()).finally(() => timeout.abort());
      await Promise.race([ended, sleep(timeoutMs, undefined, timeout).catch(() => undefined)]);
      await mailbox.stop();
    },
  };
}

/** Passes changes to the function until the signal, and then once more the changes up to the signal. */
async function readUntil(
  signal: AbortSignal,
  stream: TableStream,
  invoke: (event: NoticesEvent) => Promise<Failures>,
): Promise<void> {
  for (;;) {
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    const isLast = signal.aborted;
    try {
      const records = await stream.read();
      for (const filters of Object.values(STREAM_FILTERS)) {
        await work(letThrough(records, filters), invoke);
      }
    } catch (error) {
      if (!isLast) tell('The stream of the Gateway table cannot be read')(error);
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
    if (isLast) return;
  }
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

const tell =
  (what: string) =>
  (error: unknown): void => {
    process.stderr.write(`${what}: ${inspect(error)}\n`);
  };
