import { setTimeout as sleep } from 'node:timers/promises';
import { ConditionalCheckFailedException, type ConsumedCapacity, type DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** How long something took, and what a client sent for it. */
export interface Sample {
  readonly ms: number;
  readonly calls: number;
  /** Calls that went out while no other was in flight: those that had to wait for one another. */
  readonly roundTrips: number;
}

export type Stopwatch = (work: () => Promise<unknown>) => Promise<Sample>;

/** Makes every call of a client take longer, as over a distance. Returns what takes a sample, each attempt a call. */
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
    // The last before the transport.
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

/** Counts what the calls of a client consume as the engine reports it. Returns what tells it of something. */
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
          // An error does not tell its capacity. A failed condition costs a write unit for each KB of the item that is
          // there, and one where there is none (AWS, "DynamoDB write operations"); none here has more than one.
          if (error instanceof ConditionalCheckFailedException) units.write += 1;
          throw error;
        }
      },
    // The innermost of its step: the input is the engine's own, not the document client's.
    { step: 'serialize', priority: 'high', name: 'meter' },
  );
  return async (work) => {
    units = { write: 0, read: 0 };
    await work();
    return { ...units };
  };
}
