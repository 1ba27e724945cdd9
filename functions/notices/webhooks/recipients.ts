import type { AccountStore, StoredItem } from '../../accounts/account-store.ts';
import type { WebhookMessage } from '../message.ts';
import type { Notice } from '../notice.ts';

/** The ids of the account's endpoints that are on and want notices of this type. */
export const endpointsFor = (_store: AccountStore, _notice: Notice): Promise<readonly string[]> => Promise.resolve([]);

/**
 * What to send for a new item of a delivery: a test or a repeat that somebody asked for by hand. Undefined: the item only
 * records what a delivery came to.
 */
export const askedDelivery = (_item: StoredItem): WebhookMessage | undefined => undefined;
