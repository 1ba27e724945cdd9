import type { ControlPlane } from '../accounts/control-plane.ts';
import type { UsageEvent } from '../core/usage-event.ts';
import type { CountedEvent } from '../core/usage-tally.ts';
import { names, type ItemKey } from '../store/table-items.ts';
import { isCount } from './irregular-events.ts';
import { eventQuery } from './log.ts';
import { queryPages, type ItemPage } from './query-pages.ts';
import { matching } from './recent.ts';

/** What of a stored event its sums follow from: a third of it. */
const ATTRIBUTES = ['sk', 'keyId', 'event', 'code', 'units', 'latencyMs', 'occurredAt'] as const;
export type StoredCountedEvent = Pick<ItemKey & UsageEvent, (typeof ATTRIBUTES)[number]>;

/**
 * The events from a sort key or a time on, up to but without a time, oldest first, the one at that key included; those
 * that are kept no longer are left out, though the table may have them, and those that cannot be counted.
 */
export async function* countedEvents(
  plane: ControlPlane,
  projectId: string,
  from: string,
  untilMs: number,
): AsyncGenerator<ItemPage<StoredCountedEvent>> {
  const query = eventQuery(plane, projectId, { untilMs });
  const wanted = matching(plane, {}, { ...query.ExpressionAttributeValues, ':since': from });
  const pages = queryPages<StoredCountedEvent>(plane, {
    ...query,
    ...wanted,
    ProjectionExpression: ATTRIBUTES.map((attribute) => `#${attribute}`).join(','),
    ExpressionAttributeNames: { ...wanted.ExpressionAttributeNames, ...names(...ATTRIBUTES) },
  });
  for await (const { items, upTo } of pages) yield { items: items.filter(isCountable), upTo };
}

/** Whether a stored event is one that can be counted; what is wrong with others is for `ledger verify` to tell. */
export const isCountable = <T extends Readonly<Record<'keyId' | 'event' | 'code' | 'units', unknown>>>(
  item: T,
): item is T & CountedEvent =>
  typeof item.keyId === 'string' &&
  typeof item.event === 'string' &&
  (item.code === null || typeof item.code === 'string') &&
  isCount(item.units);
