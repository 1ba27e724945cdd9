import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';

const ITEMS_PER_BATCH = 25;
const WRITERS = 8;
const SECONDS_PER_DAY = 86_400;
/** Refusals of a key or a project. Of one key at most one event a minute and code is stored. */
export const THINNED: ReadonlySet<unknown> = new Set([
  'API_KEY_REVOKED',
  'API_KEY_EXPIRED',
  'API_KEY_PAUSED',
  'INSUFFICIENT_SCOPE',
  'KEY_MODE_MISMATCH',
  'PROJECT_SUSPENDED',
]);

/**
 * Puts events as the gateway does: a refusal before admission is at the start of its minute, and the last of several
 * replaces the others.
 */
export async function putEvents(
  { client, tables }: Pick<AccountStore, 'client' | 'tables'>,
  events: readonly UsageEvent[],
): Promise<void> {
  const items = new Map(events.map((event) => [sortKeyOf(event), itemOf(event)]));
  await putAll(client, tables.usage, [...items.values()]);
}

/** Puts any number of items into the Gateway table. */
export const putItems = ({ client, tables }: Pick<AccountStore, 'client' | 'tables'>, items: readonly object[]) =>
  putAll(client, tables.gateway, items);

async function putAll(client: AccountStore['client'], table: string, items: readonly object[]): Promise<void> {
  const puts = items.map((Item) => ({ PutRequest: { Item } }));
  const batches = Array.from({ length: Math.ceil(puts.length / ITEMS_PER_BATCH) }, (_, i) =>
    puts.slice(i * ITEMS_PER_BATCH, (i + 1) * ITEMS_PER_BATCH),
  );
  const write = async (): Promise<void> => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      const { UnprocessedItems = {} } = await client.send(new BatchWriteCommand({ RequestItems: { [table]: batch } }));
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

type Placed = Pick<UsageEvent, 'occurredAt' | 'requestId' | 'keyId' | 'code' | 'simulated'>;
const sortKeyOf = ({ occurredAt, requestId, keyId, code, simulated }: Placed): string =>
  THINNED.has(code) && !simulated
    ? `${occurredAt.slice(0, 16)}:00.000Z#${keyId}#${code}`
    : `${occurredAt}#${requestId}`;
