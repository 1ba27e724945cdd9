import type { AccountStore } from '../../accounts/store/account-store.ts';
import type { UsageEvent } from '../../shared/request/usage-event.ts';
import { OTHER_KEYS, type CountedEvent } from './tally.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { isCount } from '../events/irregular-events.ts';
import { eventsWithin } from '../events/log.ts';
import { asking, queryPages, type ItemPage } from '../events/pages.ts';
import { matching } from '../events/recent.ts';

/** The attributes of a stored event that its sums depend on: a third of it. */
const ATTRIBUTES = ['sk', 'keyId', 'event', 'code', 'units', 'latencyMs', 'occurredAt', 'simulated'] as const;
export type StoredCountedEvent = Pick<ItemKey & UsageEvent, (typeof ATTRIBUTES)[number]>;

/**
 * The events from a sort key or a time up to but without a time, oldest first, including the one at that key. Expired
 * events are omitted, also where the table still has them, and events that cannot be counted.
 */
export async function* countedEvents(
  store: AccountStore,
  projectId: string,
  from: string,
  untilMs: number,
  ConsistentRead = true,
): AsyncGenerator<ItemPage<StoredCountedEvent>> {
  const query = { ...eventsWithin(store, projectId, { untilMs }), ConsistentRead };
  const wanted = matching(store, {}, { ...query.ExpressionAttributeValues, ':since': from });
  const pages = queryPages<StoredCountedEvent>(store, asking({ ...query, ...wanted }, ATTRIBUTES));
  for await (const { items, upTo } of pages) yield { items: items.flatMap(countable), upTo };
}

/**
 * The event to count, in a list of one. The list is empty if its units are no number of units; `ledger verify` reports
 * that. Other attributes of a wrong type are no reason to omit a charge: the event then counts for no named key, and as
 * a success if it is charged, else as a refusal.
 */
export function countable<T extends { readonly [name in keyof CountedEvent]?: unknown }>(
  item: T,
): (T & CountedEvent)[] {
  const { keyId, event, code, units, latencyMs } = item;
  if (!isCount(units)) return [];
  const charged = units > 0 ? 'request_succeeded' : 'request_rejected';
  return [
    {
      ...item,
      units,
      keyId: typeof keyId === 'string' ? keyId : OTHER_KEYS,
      event: typeof event === 'string' ? (event as UsageEvent['event']) : charged,
      code: typeof code === 'string' ? (code as UsageEvent['code']) : null,
      latencyMs: typeof latencyMs === 'number' ? latencyMs : 0,
    },
  ];
}
