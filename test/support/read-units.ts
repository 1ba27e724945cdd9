import { randomUUID } from 'node:crypto';
import type { createClient } from '../../functions/shared/store/client.ts';
import type { TestPortal } from './portal.ts';
import { putEvents } from './stored-events.ts';
import { MINUTE_MS } from './times.ts';
import { someEvent } from './usage-events.ts';

/** The reads that requests caused in the database. */
export interface ReadUnits {
  /** As the engine reports them. */
  units: number;
  /** The names of the calls, including writes. */
  readonly calls: string[];
}

const READS = /^(BatchGetItem|GetItem|Query|Scan|TransactGetItems)Command$/;
interface Consumed {
  readonly CapacityUnits?: number;
}

/** Counts the read units and the calls of a client, until its `recordReadUnits` is removed. */
export function recordReadUnits(client: ReturnType<typeof createClient>): ReadUnits {
  const record: ReadUnits = { units: 0, calls: [] };
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        record.calls.push(commandName.replace(/Command$/, ''));
        if (!READS.test(commandName)) return next(args);
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
        const { ConsumedCapacity = [] } = result.output as { ConsumedCapacity?: Consumed | Consumed[] };
        for (const { CapacityUnits = 0 } of [ConsumedCapacity].flat()) record.units += CapacityUnits;
        return result;
      },
    { step: 'initialize', name: 'recordReadUnits' },
  );
  return record;
}

/** The reads that a request causes in the database. */
export async function readUnitsOf<T>(
  portal: Pick<TestPortal, 'client'>,
  ask: () => Promise<T>,
): Promise<ReadUnits & { readonly answer: T }> {
  const record = recordReadUnits(portal.client);
  const answer = await ask().finally(() => portal.client.middlewareStack.remove('recordReadUnits'));
  return { ...record, answer };
}

/**
 * Puts events into a project, one a second, the newest a minute ago. 3,600 events are more than 1 MB, the limit of one
 * call.
 */
export const putManyEvents = (
  { store, clock }: Pick<TestPortal, 'store' | 'clock'>,
  projectId: string,
  keyId: string,
  count: number,
): Promise<void> =>
  putEvents(
    store,
    Array.from({ length: count }, (_, i) => {
      const occurredAt = new Date(clock.nowMs - MINUTE_MS - i * 1_000).toISOString();
      return someEvent({ projectId, keyId, requestId: randomUUID(), occurredAt });
    }),
  );
