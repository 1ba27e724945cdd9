import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import type { Shell } from '../cli/shell.ts';

/** The parts of a stream that the progress uses. */
interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Counts the events, and shows their number. */
export interface EventMeter {
  /** The same events; each one is counted when it is read. */
  counted<T>(events: AsyncIterable<T>): AsyncGenerator<T>;
  /** Counts this many more; 0 only updates the display. */
  add(events: number): void;
  /** The number of events so far. */
  count(): number;
  /** Clears the line for other output. */
  clear(): void;
}

/** Events between two updates of the display. */
const STRIDE = 1_000;

/**
 * Shows a count on one line of a terminal, and nothing elsewhere.
 *
 * @param beside further text of that line
 */
export function eventMeter(terminal: Terminal, beside = () => ''): EventMeter {
  let count = 0;
  const redraw = (): void => {
    if (terminal.isTTY) terminal.write(`\r\u001b[K${count} events${beside()}`);
  };
  return {
    async *counted(events) {
      for await (const event of events) {
        if (++count % STRIDE === 0) redraw();
        yield event;
      }
    },
    add: (events) => {
      count += events;
      redraw();
    },
    count: () => count,
    clear: () => {
      if (terminal.isTTY) terminal.write('\r\u001b[K');
    },
  };
}

const NAME = 'showReading';

/**
 * Runs work that reads many usage events before it prints anything, and shows on a terminal how many were read.
 *
 * @param beside further text of that line; `step` checks whether to show it
 */
export async function showReading<T>(
  { client, tables }: AccountStore,
  { stderr }: Pick<Shell, 'stderr'>,
  work: (step: () => void) => Promise<T>,
  beside?: () => string,
): Promise<T> {
  const meter = eventMeter(stderr, beside);
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { ScannedCount = 0 } = result.output as { ScannedCount?: number };
      if ((args.input as { TableName?: string }).TableName === tables.usage) meter.add(ScannedCount);
      return result;
    },
    { step: 'initialize', name: NAME },
  );
  try {
    return await work(() => meter.add(0));
  } finally {
    client.middlewareStack.remove(NAME);
    meter.clear();
  }
}

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
