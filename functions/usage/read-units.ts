import type { DynamoDBDocumentClient, QueryCommandOutput } from '@aws-sdk/lib-dynamodb';

/**
 * Counts the read units that the single reads and queries of a client take from now on, as the engine reports them. The
 * result says how many there are so far. A read that failed is not counted.
 */
export function countReadUnits(client: DynamoDBDocumentClient): () => number {
  let readUnits = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      readUnits += (result.output as QueryCommandOutput).ConsumedCapacity?.CapacityUnits ?? 0;
      return result;
    },
    { step: 'initialize', name: 'countReadUnits' },
  );
  return () => readUnits;
}
