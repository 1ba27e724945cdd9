import { NOTICES_METRICS } from '../shared/names.ts';
import { MS_PER_MINUTE, MS_PER_SECOND } from '../shared/time.ts';
import type { NoticesDependencies } from './dependencies.ts';
import { MAX_HOPS, type LedgerMessage, type MailMessage, type Message } from './message.ts';

/** The longest delay of a message in a queue (AWS, "Amazon SQS delay queues"). */
export const MAX_DELAY_MS = 15 * MS_PER_MINUTE;

/**
 * Puts a message back into its queue, to come again after the delay, which is rounded up to seconds. After the longest
 * delay of a queue it comes again earlier, and waits again. Lambda allows the function such loops, so this is their
 * bound: after {@link MAX_HOPS} the message is left out, in the log and in a metric, which pages nobody.
 *
 * @returns false: it was left out
 */
export async function sendAgain(
  { queues, telemetry }: Pick<NoticesDependencies, 'queues' | 'telemetry'>,
  message: Exclude<Message, MailMessage | LedgerMessage>,
  delayMs: number,
): Promise<boolean> {
  const { hops = 0, kind } = message;
  const source = { accountId: message.source.accountId, sk: message.source.sk };
  if (hops >= MAX_HOPS) {
    telemetry.warn('a message came back too often and is left out', { kind, ...source });
    telemetry.count(NOTICES_METRICS.hopsUsedUp);
    return false;
  }
  const delaySeconds = Math.ceil(Math.min(MAX_DELAY_MS, Math.max(0, delayMs)) / MS_PER_SECOND);
  const queue = kind === 'accounts' || kind === 'charged' ? queues.daily : queues.webhooks;
  await queue.send([{ ...message, hops: hops + 1 }], delaySeconds);
  return true;
}
