import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { available, listed } from '../store/client.ts';
import { callOptions, type Store } from '../store/items.ts';

/** What one call of a query read, of the 1 MB that a call looks at. */
export interface ItemPage<T> {
  readonly items: readonly T[];
  /** Sort key of the last item that was looked at; undefined: the query came to its end. */
  readonly upTo: string | undefined;
}

/** A query page by page as it is taken, within the reader's deadline. */
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
