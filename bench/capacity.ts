import { ConditionalCheckFailedException, type ConsumedCapacity, type DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Request units, as DynamoDB bills them on demand. */
export interface Units {
  write: number;
  read: number;
}

const READS: ReadonlySet<string | undefined> = new Set([
  'BatchGetItemCommand',
  'GetItemCommand',
  'QueryCommand',
  'TransactGetItemsCommand',
]);

/** Adds up, from now on, what the calls of a client consume as the engine reports it. */
export function countUnits(client: DynamoDBClient): Units {
  const units: Units = { write: 0, read: 0 };
  client.middlewareStack.add(
    (next, context) => async (args) => {
      Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
      const kind = READS.has(context.commandName) ? 'read' : 'write';
      try {
        const result = await next(args);
        const { ConsumedCapacity: consumed } = result.output as {
          ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[];
        };
        if (consumed === undefined) throw new Error(`${context.commandName} came without its capacity`);
        for (const { CapacityUnits = NaN } of [consumed].flat()) units[kind] += CapacityUnits;
        return result;
      } catch (error) {
        // An error does not tell its capacity. A failed condition costs a write unit for each KB of the item that is
        // there, and one where there is none (AWS, "DynamoDB write operations"); none here has more than one.
        if (error instanceof ConditionalCheckFailedException) units.write += 1;
        throw error;
      }
    },
    // The innermost of its step: the input is the engine's own, not the document client's.
    { step: 'serialize', priority: 'high', name: 'countUnits' },
  );
  return units;
}
