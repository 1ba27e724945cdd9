import type { NoticeSource } from './notice.ts';

/**
 * One mail or one delivery to make: ids only. Address, text and whether it still holds are read when it is sent, so
 * nothing personal is in a queue, and what was withdrawn meanwhile is not sent.
 */
export type Message = MailMessage | WebhookMessage;

export interface MailMessage {
  readonly kind: 'mail';
  readonly source: NoticeSource;
  /** A member of the account: who is invited, or an owner. Or a person, such as one who was removed. */
  readonly to: { readonly memberId: string } | { readonly userId: string };
}

export interface WebhookMessage {
  readonly kind: 'webhook';
  readonly source: NoticeSource;
  readonly endpointId: string;
  /** The id of the delivery in the endpoint's list; a repeat by hand has another. The `webhook-id` is the notice's. */
  readonly deliveryId: string;
}

/**
 * Where messages wait until they are sent, at least once and in no order. Fair between accounts. Rejects when it could
 * not take one of them: whoever asked does it again, and some of the messages may be sent twice.
 */
export interface Queue {
  /** @param delaySeconds 0 to 900 */
  send: (messages: readonly Message[], delaySeconds?: number) => Promise<void>;
}
