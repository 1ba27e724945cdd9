import type { StoredDelivery } from '../../accounts/deliveries.ts';
import type { WebhookMessage } from '../message.ts';

/**
 * The message of a delivery whose item was inserted. Undefined: nobody asked for it; it is the record of a delivery
 * that is already being sent.
 */
export const askedDelivery = ({
  accountId,
  endpointId,
  deliveryId,
  source,
  isAsked,
}: StoredDelivery): WebhookMessage | undefined =>
  isAsked === true ? { kind: 'webhook', source: { accountId, sk: source }, endpointId, deliveryId } : undefined;
