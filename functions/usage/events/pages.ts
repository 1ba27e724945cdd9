import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { UsageEvent } from '../../shared/request/usage-event.ts';
import { available, listed } from '../../shared/store/client.ts';
import { names, callOptions, type Store } from '../../shared/store/tables.ts';

/** Events of one page, some 200 kB: a reader holds no more, for any number of events. */
export const EVENTS_PER_PAGE = 500;
/**
 * The longest time for one attempt without a deadline. The CLI may read a million events: one slow page is better than a
 * new start.
 */
const PAGE_TIMEOUT_MS = 10_000;

/** The same query for some attributes of the items. */
export const asking = (query: QueryCommandInput, attributes: readonly string[]): QueryCommandInput => ({
  ...query,
  ProjectionExpression: attributes.map((attribute) => `#${attribute}`).join(','),
  ExpressionAttributeNames: { ...query.ExpressionAttributeNames, ...names(...attributes) },
});

/**
 * The event in an item. The attributes of an item come in any order; those of an event have a fixed one, in JSON too.
 */
export const toEvent = (item: UsageEvent): UsageEvent => ({
  requestId: item.requestId,
  projectId: item.projectId,
  keyId: item.keyId,
  event: item.event,
  operation: item.operation,
  status: item.status,
  code: item.code,
  units: item.units,
  period: item.period,
  latencyMs: item.latencyMs,
  inputTokens: item.inputTokens,
  outputTokens: item.outputTokens,
  totalTokens: item.totalTokens,
  clientRequestId: item.clientRequestId,
  occurredAt: item.occurredAt,
  // They are stored only if they have a value.
  originalRequestId: item.originalRequestId ?? null,
  detail: item.detail ?? null,
  userAgent: item.userAgent ?? null,
  sourceAddress: item.sourceAddress ?? null,
  // Null: there was no key. Absent: nothing is known.
  ...(item.idempotencyTag !== undefined && { idempotencyTag: item.idempotencyTag }),
  ...(item.simulated === true && { simulated: true }),
});

/** The result of one call of a query, which reads up to 1 MB. */
export interface ItemPage<T> {
  readonly items: readonly T[];
  /** Sort key of the last item that was read; undefined: the query is complete. */
  readonly upTo: string | undefined;
}

/** A query page by page, within the reader's deadline. The next page is read when the iteration needs it. */
export async function* queryPages<T>(
  reader: Pick<Store, 'client' | 'deadline'>,
  query: QueryCommandInput,
): AsyncGenerator<ItemPage<T>> {
  const options = reader.deadline ? callOptions(reader) : { requestTimeout: PAGE_TIMEOUT_MS };
  let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
  do {
    const command = new QueryCommand({ ...query, ExclusiveStartKey });
    const page = await available(reader.client.send(command, options));
    const { LastEvaluatedKey } = page;
    ExclusiveStartKey = LastEvaluatedKey;
    yield { items: listed(page) as T[], upTo: LastEvaluatedKey?.sk as string | undefined };
  } while (ExclusiveStartKey);
}
