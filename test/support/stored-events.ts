import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { ControlPlane } from '../../functions/accounts/control-plane.ts';
import type { UsageEvent } from '../../functions/core/usage-event.ts';

const ITEMS_PER_BATCH = 25;
const SECONDS_PER_DAY = 86_400;
/** Refusals before admission: their events are kept once a minute. */
export const THINNED_CODES = ['API_KEY_REVOKED', 'API_KEY_EXPIRED', 'INSUFFICIENT_SCOPE'] as const;
const THINNED: readonly unknown[] = THINNED_CODES;

/** Puts events as the gateway does: refusals before admission at the start of their minute, of several the last. */
export async function putEvents(
  { client, tables }: Pick<ControlPlane, 'client' | 'tables'>,
  events: readonly UsageEvent[],
): Promise<void> {
  const items = new Map(events.map((event) => [sortKeyOf(event), itemOf(event)]));
  const puts = [...items.values()].map((Item) => ({ PutRequest: { Item } }));
  for (let i = 0; i < puts.length; i += ITEMS_PER_BATCH) {
    const RequestItems = { [tables.usage]: puts.slice(i, i + ITEMS_PER_BATCH) };
    const { UnprocessedItems = {} } = await client.send(new BatchWriteCommand({ RequestItems }));
    if (Object.keys(UnprocessedItems).length > 0) throw new Error('the engine left items unprocessed');
  }
}

const itemOf = (event: UsageEvent) => ({
  ...event,
  pk: event.projectId,
  sk: sortKeyOf(event),
  ttl: Math.floor(Date.parse(event.occurredAt) / 1_000) + (event.units > 0 ? 400 : 30) * SECONDS_PER_DAY,
});

const sortKeyOf = ({ occurredAt, requestId, keyId, code }: UsageEvent): string =>
  THINNED.includes(code) ? `${occurredAt.slice(0, 16)}:00.000Z#${keyId}#${code}` : `${occurredAt}#${requestId}`;
