import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { AccountStore } from '../../functions/accounts/account-store.ts';
import type { UsageEvent } from '../../functions/shared/rules/usage/usage-event.ts';

const ITEMS_PER_BATCH = 25;
const WRITERS = 8;
const SECONDS_PER_DAY = 86_400;
/** Refusals before admission: at most one event a minute is stored. */
const THINNED: readonly unknown[] = ['API_KEY_REVOKED', 'API_KEY_EXPIRED', 'INSUFFICIENT_SCOPE'];

/**
 * Puts events as the gateway does: a refusal before admission is at the start of its minute, and the last of several
 * replaces the others.
 */
export async function putEvents(
  { client, tables }: Pick<AccountStore, 'client' | 'tables'>,
  events: readonly UsageEvent[],
): Promise<void> {
  const items = new Map(events.map((event) => [sortKeyOf(event), itemOf(event)]));
  const puts = [...items.values()].map((Item) => ({ PutRequest: { Item } }));
  const batches = Array.from({ length: Math.ceil(puts.length / ITEMS_PER_BATCH) }, (_, i) =>
    puts.slice(i * ITEMS_PER_BATCH, (i + 1) * ITEMS_PER_BATCH),
  );
  const write = async (): Promise<void> => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      const { UnprocessedItems = {} } = await client.send(
        new BatchWriteCommand({ RequestItems: { [tables.usage]: batch } }),
      );
      if (Object.keys(UnprocessedItems).length > 0) throw new Error('the engine left items unprocessed');
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

const itemOf = ({ originalRequestId, detail, userAgent, sourceAddress, ...event }: UsageEvent) => ({
  ...event,
  ...(originalRequestId !== null && { originalRequestId }),
  ...(detail !== null && { detail }),
  ...(userAgent !== null && { userAgent }),
  ...(sourceAddress !== null && { sourceAddress }),
  pk: event.projectId,
  sk: sortKeyOf(event),
  ttl: Math.floor(Date.parse(event.occurredAt) / 1_000) + (event.units > 0 ? 400 : 30) * SECONDS_PER_DAY,
});

const sortKeyOf = ({
  occurredAt,
  requestId,
  keyId,
  code,
}: Pick<UsageEvent, 'occurredAt' | 'requestId' | 'keyId' | 'code'>): string =>
  THINNED.includes(code) ? `${occurredAt.slice(0, 16)}:00.000Z#${keyId}#${code}` : `${occurredAt}#${requestId}`;
