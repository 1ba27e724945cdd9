import type { AccountStore } from '../accounts/account-store.ts';
import type { UsageEvent } from '../core/usage-event.ts';
import { OTHER_KEYS, type CountedEvent } from '../core/usage-tally.ts';
import { names, type ItemKey } from '../store/items.ts';
import { isCount } from './irregular-events.ts';
import { eventQuery } from './log.ts';
import { queryPages, type ItemPage } from './pages.ts';
import { matching } from './recent.ts';

/** What of a stored event its sums follow from: a third of it. */
const ATTRIBUTES = ['sk', 'keyId', 'event', 'code', 'units', 'latencyMs', 'occurredAt'] as const;
export type StoredCountedEvent = Pick<ItemKey & UsageEvent, (typeof ATTRIBUTES)[number]>;

/**
 * The events from a sort key or a time on, up to but without a time, oldest first, the one at that key included; those
 * that are kept no longer are left out, though the table may have them, and those that cannot be counted.
 */
export async function* countedEvents(
  store: AccountStore,
  projectId: string,
  from: string,
  untilMs: number,
): AsyncGenerator<ItemPage<StoredCountedEvent>> {
  const query = eventQuery(store, projectId, { untilMs });
  const wanted = matching(store, {}, { ...query.ExpressionAttributeValues, ':since': from });
  const pages = queryPages<StoredCountedEvent>(store, {
    ...query,
    ...wanted,
    ProjectionExpression: ATTRIBUTES.map((attribute) => `#${attribute}`).join(','),
    ExpressionAttributeNames: { ...wanted.ExpressionAttributeNames, ...names(...ATTRIBUTES) },
  });
  for await (const { items, upTo } of pages) yield { items: items.flatMap(countable), upTo };
}

/**
 * An event as it is counted, in a list of one; none when its units are no number of units, of which `ledger verify` tells.
 * What else is not of its type is no reason to leave a charge out: it counts for no key by name, and as a success, which
 * alone is charged, or a refusal.
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
