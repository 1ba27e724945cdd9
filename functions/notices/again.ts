import type { NoticesDependencies } from './dependencies.ts';
import { reportSkipped } from './failures.ts';
import { MAX_HOPS, type Message } from './message.ts';

/**
 * Puts a message back into its queue, to come again later. Lambda allows the function such loops, so this is their
 * bound: after {@link MAX_HOPS} the message is left out, in the log and in a metric.
 * @param delaySeconds 0 to 900
 */
export async function sendAgain(
  { queues, telemetry }: Pick<NoticesDependencies, 'queues' | 'telemetry'>,
  message: Message,
  delaySeconds: number,
): Promise<void> {
  const { hops = 0, kind } = message;
  const source = { accountId: message.source.accountId, sk: message.source.sk };
  if (hops >= MAX_HOPS) {
    reportSkipped(telemetry, 'a message that came back too often', { kind, ...source }, new Error('too many hops'));
    return;
  }
  const queue = kind === 'mail' ? queues.mail : queues.webhooks;
  await queue.send([{ ...message, hops: hops + 1 }], delaySeconds);
}
