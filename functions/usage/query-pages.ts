import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { available, listed } from '../store/client.ts';
import { callOptions, type Store } from '../store/items.ts';

/** The result of one call of a query, which reads up to 1 MB. */
export interface ItemPage<T> {
  readonly items: readonly T[];
  /** Sort key of the last item that was read; undefined: the query is complete. */
  readonly upTo: string | undefined;
}

/** A query page by page, within the reader's deadline. The next page is read when the iteration needs it. */
export async function* queryPages<T>(reader: Store, query: QueryCommandInput): AsyncGenerator<ItemPage<T>> {
  let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
  do {
    const command = new QueryCommand({ ...query, ExclusiveStartKey });
    const page = await available(reader.client.send(command, callOptions(reader)));
    const { LastEvaluatedKey } = page;
    ExclusiveStartKey = LastEvaluatedKey;
    yield { items: listed(page) as T[], upTo: LastEvaluatedKey?.sk as string | undefined };
  } while (ExclusiveStartKey);
}
