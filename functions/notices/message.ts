import type { REPORT } from '../accounts/store/notice-items.ts';
import type { NoticeSource } from './notice.ts';

/**
 * One mail or one delivery to make, or other work: ids only. Address, text and validity are read when it is sent. So a queue holds no
 * personal data, and a message that has become invalid is not sent.
 */
export type Message = MailMessage | WebhookMessage | ExpiringMessage | LeftKeysMessage;

/** A message goes back into its queue at most this often. A delivery's nine attempts need about 100 of these hops. */
export const MAX_HOPS = 250;

interface Hops {
  /** How often the message was put back into its queue; absent: never. */
  readonly hops?: number;
}

export interface MailMessage extends Hops {
  readonly kind: 'mail';
  readonly source: NoticeSource;
  /** A member of the account: an invited person or an owner. Or a person, such as a removed member. */
  readonly to: { readonly memberId: string } | { readonly userId: string };
}

export interface WebhookMessage extends Hops {
  readonly kind: 'webhook';
  readonly source: NoticeSource;
  readonly endpointId: string;
  /**
   * The id of the delivery in the endpoint's list. A repeat by hand has another id. The `webhook-id` is that of the
   * notice.
   */
  readonly deliveryId: string;
}

/** What ends on a day, in one partition, for the daily run. Its group is the run, so deliveries of accounts come first. */
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
