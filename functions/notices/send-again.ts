import { NOTICES_METRICS } from '../shared/names.ts';
import { MS_PER_SECOND } from '../shared/clock.ts';
import type { NoticesDependencies } from './dependencies.ts';
import { MAX_HOPS, type Message } from './message.ts';

/** The longest delay of a message in a queue, in seconds (AWS, "Amazon SQS delay queues"). */
const MAX_DELAY_SECONDS = 900;

/**
 * Puts a message back into its queue, to come again after the delay, which is rounded up to seconds. After the longest
 * delay of a queue it comes again earlier, and waits again. Lambda allows the function such loops, so this is their
 * bound: after {@link MAX_HOPS} the message is left out, in the log and in a metric.
 */
export async function sendAgain(
  { queues, telemetry }: Pick<NoticesDependencies, 'queues' | 'telemetry'>,
  message: Message,
  delayMs: number,
): Promise<void> {
  const { hops = 0, kind } = message;
  const source = { accountId: message.source.accountId, sk: message.source.sk };
  if (hops >= MAX_HOPS) {
    telemetry.warn('a message came back too often and is left out', { kind, ...source });
    telemetry.count(NOTICES_METRICS.recordsUnreadable);
    return;
  }
  const queue = kind === 'mail' ? queues.mail : queues.webhooks;
  const delaySeconds = Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(delayMs / MS_PER_SECOND)));
  await queue.send([{ ...message, hops: hops + 1 }], delaySeconds);
}
