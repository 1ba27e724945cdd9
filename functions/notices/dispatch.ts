import type { EventBridgeEvent, DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { endLeftKeys } from '../accounts/keys/leaked-keys.ts';
import { MS_PER_HOUR } from '../shared/time.ts';
import { NOTICES_METRICS } from '../shared/names.ts';
import { isTransient } from './failures.ts';
import { SCHEDULE_INPUT } from './names.ts';
import type { Failures, NoticesDependencies, TimeLeft } from './dependencies.ts';
import { onMailEvent } from './mail/mail-events.ts';
import { onMail } from './mail/send-mail.ts';
import type { Message } from './message.ts';
import { onRecords } from './stream/records.ts';
import { onSchedule } from './daily/daily-run.ts';
import { onExpiring } from './daily/expiring.ts';
import { onCharged, onLedger } from './daily/ledgers.ts';
import { onBacklog } from './webhooks/drain.ts';

/**
 * An event of the notices function: records of the table's stream, messages of a queue, its schedule, or an event of
 * SES.
 */
export type NoticesEvent =
  | { readonly Records: readonly (DynamoDBRecord | SQSRecord)[] }
  | typeof SCHEDULE_INPUT
  | EventBridgeEvent<string, unknown>;

export type NoticesHandler = (event: NoticesEvent, timeLeft: TimeLeft) => Promise<Failures>;

/** Events of the SES configuration set, from EventBridge. */
const SES_SOURCE = 'aws.ses';
const NONE: Failures = { batchItemFailures: [] };

/**
 * Handles any event of the notices function. Rejects for an unknown event, and when the work of the schedule failed.
 */
export const noticesHandler =
  (dependencies: NoticesDependencies): NoticesHandler =>
  async (event, timeLeft) => {
    if ('Records' in event) {
      const messages = event.Records.filter((record) => 'messageId' in record);
      if (messages.length > 0) return onMessages(dependencies, messages, timeLeft);
      return onRecords(dependencies, event.Records);
    }
    if (event.source === SCHEDULE_INPUT.source) await onSchedule(dependencies, timeLeft);
    else if (event.source === SES_SOURCE && 'detail' in event) await onMailEvent(dependencies, event.detail);
    else throw new Error('the notices function does not know this event');
    return NONE;
  };

/** Handles each message of a queue by itself, so the failure of one delays no other. */
async function onMessages(
  dependencies: NoticesDependencies,
  records: readonly SQSRecord[],
  timeLeft: TimeLeft,
): Promise<Failures> {
  const { store, telemetry } = dependencies;
  const batchItemFailures = [];
  for (const { messageId, body, attributes } of records) {
    try {
      const message = JSON.parse(body) as Message;
      if (message.kind === 'mail') await onMail(dependencies, message);
      else if (message.kind === 'accounts') await onExpiring(dependencies, message, timeLeft);
      else if (message.kind === 'charged') await onCharged(dependencies, message, timeLeft);
      else if (message.kind === 'ledger') await onLedger(dependencies, message, timeLeft);
      else if (message.kind === 'leftKeys') await endLeftKeys(store, message.source.sk);
      else await onBacklog(dependencies, message);
    } catch (error) {
      telemetry.warn('a message failed and is tried again', { messageId }, error);
      telemetry.count(NOTICES_METRICS.failures);
      if (!isTransient(error)) telemetry.count(NOTICES_METRICS.batchesFailed);
      // SQS leaves a message that failed three times out of its metric of age.
      const ageMs = store.clock.now() - Number(attributes.SentTimestamp);
      if (ageMs >= MS_PER_HOUR) telemetry.count(NOTICES_METRICS.messagesStuck);
      batchItemFailures.push({ itemIdentifier: messageId });
    }
  }
  return { batchItemFailures };
}
