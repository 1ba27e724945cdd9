import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { QueueUnavailableError } from './failures.ts';
import type { Message, Queue } from './message.ts';

/** SQS takes at most ten messages in one call. */
const MAX_BATCH = 10;
/** Of many messages, how many are sent together, in ten calls. */
export const SENT_AT_ONCE = 10 * MAX_BATCH;
/** The longest time for one attempt, of at most three. */
const ATTEMPT_MS = 1_000;
const MAX_ATTEMPTS = 3;

/** A client with short timeouts. It uses the environment's region and credentials. */
export const sqsClient = (): SQSClient =>
  new SQSClient({
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: { connectionTimeout: ATTEMPT_MS, requestTimeout: ATTEMPT_MS, throwOnRequestTimeout: true },
  });

/**
 * A standard queue of SQS that is fair by message group (SQS, "Amazon SQS fair queues"): when an account has many
 * messages, its own wait, and not those of others.
 */
export const sqsQueue = (client: SQSClient, queueUrl: string): Queue => ({
  send: async (messages, delaySeconds = 0) => {
    const batches = Array.from({ length: Math.ceil(messages.length / MAX_BATCH) }, (_, i) =>
      messages.slice(i * MAX_BATCH, (i + 1) * MAX_BATCH),
    );
    // All batches are sent, also when one of them fails.
    const sent = await Promise.allSettled(batches.map((batch) => sendBatch(client, queueUrl, batch, delaySeconds)));
    const failure = sent.find((result) => result.status === 'rejected');
    if (failure) throw new QueueUnavailableError('the queue did not take all messages', { cause: failure.reason });
  },
});

async function sendBatch(
  client: SQSClient,
  QueueUrl: string,
  batch: readonly Message[],
  DelaySeconds: number,
): Promise<void> {
  const Entries = batch.map((message, i) => ({
    Id: String(i),
    MessageBody: JSON.stringify(message),
    MessageGroupId: message.source.accountId,
    DelaySeconds,
  }));
  const { Successful = [], Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  if (Successful.length === batch.length) return;
  const codes = [...new Set(Failed.map(({ Code }) => Code))].join(', ');
  throw new Error(`${batch.length - Successful.length} messages were not taken: ${codes || 'no reason'}`);
}
