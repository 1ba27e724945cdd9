import { setTimeout as sleep } from 'node:timers/promises';
import { ConditionalCheckFailedException, type ConsumedCapacity, type DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** How long an action took, and what a client sent for it. */
export interface Sample {
  readonly ms: number;
  readonly calls: number;
  /** Calls that started while no other call was in flight: the sequential round trips. */
  readonly roundTrips: number;
}

export type Stopwatch = (work: () => Promise<unknown>) => Promise<Sample>;

/**
 * Delays every call of a client, as a network does. Returns a function that takes a sample; each attempt counts as a
 * call.
 */
export function stopwatch(client: DynamoDBClient, delayMs = 0): Stopwatch {
  let [calls, roundTrips, inFlight] = [0, 0, 0];
  client.middlewareStack.add(
    (next) => async (args) => {
      calls++;
      if (inFlight++ === 0) roundTrips++;
      try {
        if (delayMs > 0) await sleep(delayMs);
        return await next(args);
      } finally {
        inFlight--;
      }
    },
    // The last step before the transport.
    { step: 'deserialize', priority: 'low', name: 'stopwatch' },
  );
  return async (work) => {
    [calls, roundTrips] = [0, 0];
    const startedAt = performance.now();
    await work();
    return { ms: performance.now() - startedAt, calls, roundTrips };
  };
}

/** Request units, as DynamoDB bills them on demand. */
export interface Units {
  readonly write: number;
  readonly read: number;
}

const READS = /^(BatchGetItem|GetItem|Query|TransactGetItems)Command$/;

/**
 * Counts the capacity that the engine reports for the calls of a client. Returns a function that measures an action.
 */
export function meter(client: DynamoDBClient): (work: () => Promise<unknown>) => Promise<Units> {
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
          // An error does not report its capacity. A failed condition costs a write unit for each KB of the item that
          // is there, or one if there is none (AWS, "DynamoDB write operations"). No item here is larger than 1 KB.
          if (error instanceof ConditionalCheckFailedException) units.write += 1;
          throw error;
        }
      },
    // The innermost middleware of its step. Here the input is the engine's and not the document client's.
    { step: 'serialize', priority: 'high', name: 'meter' },
  );
  return async (work) => {
    units = { write: 0, read: 0 };
    await work();
    return { ...units };
  };
}
