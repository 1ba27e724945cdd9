import { setTimeout as sleep } from 'node:timers/promises';
import { ConditionalCheckFailedException, type ConsumedCapacity, type DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What a client sent since it was last asked. */
export interface Traffic {
  readonly calls: number;
  /** Calls that went out while no other was in flight: those that had to wait for one another. */
  readonly roundTrips: number;
}

/** Makes every call of a client take longer, as over a distance, and counts them, each attempt on its own. */
export function putAtDistance(client: DynamoDBClient, delayMs: number): () => Traffic {
  let traffic = { calls: 0, roundTrips: 0 };
  let inFlight = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      traffic.calls++;
      if (inFlight++ === 0) traffic.roundTrips++;
      try {
        if (delayMs > 0) await sleep(delayMs);
        return await next(args);
      } finally {
        inFlight--;
      }
    },
    // The last before the transport.
    { step: 'deserialize', priority: 'low', name: 'putAtDistance' },
  );
  return () => {
    const taken = traffic;
    traffic = { calls: 0, roundTrips: 0 };
    return taken;
  };
}

/** Request units, as DynamoDB bills them on demand. */
export interface Units {
  readonly write: number;
  readonly read: number;
}

const READS = /^(BatchGetItem|GetItem|Query|TransactGetItems)Command$/;

/** Adds up what the calls of a client consume as the engine reports it: the units since it was last asked. */
export function countUnits(client: DynamoDBClient): () => Units {
  let units = { write: 0, read: 0 };
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
        try {
          const result = await next(args);
          const { ConsumedCapacity } = result.output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] };
          if (!ConsumedCapacity) throw new Error(`${commandName} came without its capacity`);
          for (const { CapacityUnits = NaN } of [ConsumedCapacity].flat()) {
            units[READS.test(commandName) ? 'read' : 'write'] += CapacityUnits;
          }
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
  return () => {
    const taken = units;
    units = { write: 0, read: 0 };
    return taken;
  };
}
