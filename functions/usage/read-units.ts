import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Counts the read units that reads, queries and scans of a client take from now on, as the engine reports them. The
 * result returns the count so far. A failed read is not counted.
 */
export function countReadUnits(client: DynamoDBDocumentClient): () => number {
  let readUnits = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const { ConsumedCapacity = [] } = result.output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] };
      // A transaction tells them of each table.
      for (const { CapacityUnits = 0 } of [ConsumedCapacity].flat()) readUnits += CapacityUnits;
      return result;
    },
    { step: 'initialize', name: 'countReadUnits' },
  );
  return () => readUnits;
}
