import type { Attempt, NoticesDependencies } from '../dependencies.ts';
import type { WebhookMessage } from '../message.ts';

/** Makes one delivery, and puts it into the queue again where it failed and is tried later. */
export const onDelivery = (
  _dependencies: NoticesDependencies,
  _message: WebhookMessage,
  _attempt: Attempt,
): Promise<void> => Promise.resolve();
