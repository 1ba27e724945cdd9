import type { StoredDelivery } from '../../accounts/endpoints/deliveries.ts';
import type { WebhookMessage } from '../message.ts';

/**
 * The message of a requested delivery whose item was inserted. Undefined: nobody requested it, so its message is in the
 * queue already.
 */
export const askedDelivery = ({
  accountId,
  endpointId,
  deliveryId,
  source,
  isAsked,
}: StoredDelivery): WebhookMessage | undefined =>
  isAsked === true ? { kind: 'webhook', source: { accountId, sk: source }, endpointId, deliveryId } : undefined;
