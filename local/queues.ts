import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { MESSAGES_AT_ONCE } from '../functions/notices/names.ts';
import { close, listen } from './listening.ts';
import { LOOPBACK } from './settings.ts';

type Kind = keyof typeof MESSAGES_AT_ONCE;
/** After that a message is given up. In a stage it is tried for a day. */
const MAX_RECEIVED = 8;
/** Shorter than in SQS, since a person waits for it. */
const PAUSE_MS = 5_000;
const MS_PER_SECOND = 1_000;
/** The only supported call, in the JSON protocol of SQS. No web page can send this header to another origin. */
const SEND_BATCH = 'AmazonSQS.SendMessageBatch';

/** How the function handles the messages of a queue. */
export type SqsHandler = (event: SQSEvent) => Promise<SQSBatchResponse | undefined>;

/** Queues instead of SQS, in memory, listening. */
export interface LocalQueues {
  readonly urls: Readonly<Record<Kind, string>>;
  /** Gives the messages whose time has come since the clock was moved. */
  giveDue(): void;
  /** Drops the waiting messages. Resolves when none is in progress any more. */
  stop(): Promise<void>;
}

interface Batch {
  readonly QueueUrl: string;
  readonly Entries: readonly {
    readonly Id: string;
    readonly MessageBody: string;
    readonly MessageGroupId: string;
    readonly DelaySeconds?: number;
  }[];
}

/** A waiting message, and its group. */
interface Queued {
  readonly group: string;
  readonly body: string;
  /** How often it was given to the function; 0 at first. */
  readonly received: number;
}

/** A queue in memory. A message that failed waits, and is given up after some tries. */
function queueOf(kind: Kind, handler: SqsHandler) {
  const waiting: Queued[] = [];
  /** The waiting messages of each timer, with their time. */
  const timers = new Map<NodeJS.Timeout, { readonly message: Queued; readonly dueMs: number }>();
  const running = new Set<Promise<void>>();
  let isStopped = false;
  const add = (message: Queued, delayMs: number): void => {
    if (isStopped) return;
    if (delayMs === 0) {
      waiting.push(message);
      fill();
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      add(message, 0);
    }, delayMs);
    timers.set(timer, { message, dueMs: Date.now() + delayMs });
  };
  const giveDue = (): void => {
    for (const [timer, { message, dueMs }] of timers) {
      if (dueMs > Date.now()) continue;
      clearTimeout(timer);
      timers.delete(timer);
      add(message, 0);
    }
  };
  const serve = async (message: Queued): Promise<void> => {
    const given = { ...message, received: message.received + 1 };
    if (await isDone(handler, sqsRecord(kind, given)).catch(() => false)) return;
    if (given.received < MAX_RECEIVED) add(given, PAUSE_MS);
    else process.stderr.write(`A message is given up after ${MAX_RECEIVED} tries: ${given.body}\n`);
  };
  const fill = (): void => {
    while (running.size < MESSAGES_AT_ONCE[kind]) {
      const next = waiting.shift();
      if (next === undefined) return;
      const served = serve(next).finally(() => {
        running.delete(served);
        fill();
      });
      running.add(served);
    }
  };
  const stop = async (): Promise<void> => {
    isStopped = true;
    for (const timer of timers.keys()) clearTimeout(timer);
    waiting.length = 0;
    await Promise.all(running);
  };
  return { add, giveDue, stop };
}

/** Starts the queues of mails, webhooks and daily work on a free port of the loopback interface. */
export async function startQueues(handler: SqsHandler): Promise<LocalQueues> {
  const kinds = Object.keys(MESSAGES_AT_ONCE) as Kind[];
  const each = <T>(of: (kind: Kind) => T) =>
    Object.fromEntries(kinds.map((kind) => [kind, of(kind)])) as Record<Kind, T>;
  const queues = each((kind) => queueOf(kind, handler));
  const secretPath = randomBytes(16).toString('hex');
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.writeHead(400).end());
  });
  const origin = `http://${LOOPBACK}:${await listen(server, 0)}`;
  const urls = each((kind) => `${origin}/${secretPath}/${kind}`);

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers['x-amz-target'] !== SEND_BATCH || request.headers.origin !== undefined) {
      response.writeHead(403).end();
      return;
    }
    const { QueueUrl, Entries } = (await json(request)) as Batch;
    const kind = kinds.find((name) => urls[name] === QueueUrl);
    if (kind === undefined) throw new Error('no such queue');
    const Successful = Entries.map(({ Id, MessageBody, MessageGroupId, DelaySeconds = 0 }) => {
      queues[kind].add({ group: MessageGroupId, body: MessageBody, received: 0 }, DelaySeconds * MS_PER_SECOND);
      return { Id, MessageId: randomUUID(), MD5OfMessageBody: md5(MessageBody) };
    });
    response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify({ Successful }));
  };

  return {
    urls,
    giveDue: () => {
      for (const queue of Object.values(queues)) queue.giveDue();
    },
    stop: async () => {
      await Promise.all([close(server), ...Object.values(queues).map((queue) => queue.stop())]);
    },
  };
}

async function isDone(handler: SqsHandler, record: SQSRecord): Promise<boolean> {
  const response = await handler({ Records: [record] });
  return !response?.batchItemFailures.some(({ itemIdentifier }) => itemIdentifier === record.messageId);
}

/** The record as an event source mapping gives it to a function. */
function sqsRecord(kind: Kind, { group, body, received }: Queued): SQSRecord {
  const now = String(Date.now());
  return {
    messageId: randomUUID(),
    receiptHandle: 'local',
    body,
    attributes: {
      ApproximateReceiveCount: String(received),
      SentTimestamp: now,
      SenderId: 'local',
      ApproximateFirstReceiveTimestamp: now,
      MessageGroupId: group,
    },
    messageAttributes: {},
    md5OfBody: md5(body),
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${kind}`,
    awsRegion: 'us-east-1',
  };
}

/** The SDK compares it with the body that it sent. */
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
