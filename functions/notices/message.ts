import type { REPORT } from '../accounts/store/notice-items.ts';
import type { NoticeSource } from './notice.ts';

/**
 * One mail to send, or an account with work, or other work: ids only. Address, text and validity are read when it is
 * sent. So a queue holds no personal data, and what has become invalid is not sent.
 */
export type Message = MailMessage | WebhookMessage | EarlierWebhookMessage | LeftKeysMessage | DailyMessage;

/** What the queue of daily work holds. Until a day after a deployment, the webhook queue may hold the first, too. */
export type DailyMessage = ExpiringMessage | ChargedMessage | LedgerMessage;

/** A message goes back into its queue at most this often. A delivery waits 8 hours at most, which are 32 such hops. */
export const MAX_HOPS = 250;

interface Hops {
  /** How often the message was put back into its queue; absent: never. */
  readonly hops?: number;
}

export interface MailMessage {
  readonly kind: 'mail';
  readonly source: NoticeSource;
  /** A member of the account: an invited person or an owner. Or a person, such as a removed member. */
  readonly to: { readonly memberId: string } | { readonly userId: string };
}

/** An account whose deliveries wait. Which ones, the item of its backlog says. */
export interface WebhookMessage extends Hops {
  readonly kind: 'webhook';
  readonly source: { readonly accountId: string; readonly sk: 'BACKLOG' };
  /** The time for which the backlog promised this message. Absent: something has joined. */
  readonly wakeMs?: number;
}

/** What version 0.1.0 sent. Such messages are in a queue for a day after a deployment. */
export interface EarlierWebhookMessage extends Hops {
  readonly kind: 'webhook';
  readonly source: NoticeSource;
  readonly endpointId: string;
  readonly deliveryId: string;
}

/** What ends on a day, in one partition, for the daily run. */
export interface ExpiringMessage extends Hops {
  readonly kind: 'accounts';
  /** For the version before, which may get it during a deployment: it checks no account, and marks a part as ended. */
  readonly accountIds: readonly [];
  readonly part: 0;
  readonly source: { readonly accountId: 'run'; readonly sk: string };
  /** The UTC day of the run, `YYYY-MM-DD`. */
  readonly day: string;
  /** The first of the days whose notices it makes. The day of the run is the last. */
  readonly since: string;
  /** The UTC day of the ends, and the partition. Absent: from the version before. */
  readonly ends?: string;
  readonly shard: string;
  /** What comes up to and with this was checked. */
  readonly after?: string;
}

/** What was charged on a day, in one partition, for the daily run. */
export interface ChargedMessage extends Hops {
  readonly kind: 'charged';
  readonly source: { readonly accountId: 'run'; readonly sk: string };
  /** The UTC day of the run, and that of the charges. */
  readonly day: string;
  readonly chargedOn: string;
  readonly shard: string;
  /** What comes up to and with this was handed out. */
  readonly after?: string;
}

/** A ledger to be verified, by the item that says that it was charged. Its group is the project. */
export interface LedgerMessage {
  readonly kind: 'ledger';
  readonly source: { readonly accountId: string; readonly sk: string };
  readonly chargedOn: string;
}

/** Keys that a report has left to be ended, by the item that lists them. */
export interface LeftKeysMessage extends Hops {
  readonly kind: 'leftKeys';
  readonly source: { readonly accountId: typeof REPORT; readonly sk: string };
}

/**
 * A queue of messages: delivery is at least once and unordered, and accounts are treated fairly. Rejects when it could
 * not take one of them. The caller then repeats the whole step, so some messages may be sent twice.
 */
export interface Queue {
  /** @param delaySeconds 0 to 900 */
  send: (messages: readonly Message[], delaySeconds?: number) => Promise<void>;
}
