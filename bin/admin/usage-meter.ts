import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { MS_PER_SECOND, type Clock } from '../../functions/shared/rules/clock.ts';
import type { AccountStore } from '../../functions/accounts/account-store.ts';
import type { Shell } from './shell.ts';

/** The parts of a stream that the progress uses. */
interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Counts the events, and shows their number and speed. */
export interface EventMeter {
  /** The same events; each one is counted when it is read. */
  counted<T>(events: AsyncIterable<T>): AsyncGenerator<T>;
  /** Counts this many more; 0 only updates the display. */
  add(events: number): void;
  /** The number of events so far. */
  count(): number;
  /** Clears the line for other output. */
  clear(): void;
  /** A summary: `1000000 events in 20.0 s (50000 events/s)`. */
  total(): string;
}

/** Events between two reads of the clock. */
const STRIDE = 1_000;
const REDRAW_AFTER_MS = 100;

/**
 * Shows count and rate on one line of a terminal, and nothing elsewhere.
 *
 * @param beside further text of that line
 */
export function eventMeter(clock: Clock, terminal: Terminal, beside = () => ''): EventMeter {
  const startedAtMs = clock.now();
  let count = 0;
  let drawnAtMs = startedAtMs;
  const rate = (nowMs: number): string =>
    `${Math.round((count * MS_PER_SECOND) / Math.max(1, nowMs - startedAtMs))} events/s`;
  const redraw = (): void => {
    const nowMs = clock.now();
    if (nowMs - drawnAtMs < REDRAW_AFTER_MS) return;
    drawnAtMs = nowMs;
    terminal.write(`\r\u001b[K${count} events, ${rate(nowMs)}${beside()}`);
  };
  return {
    async *counted(events) {
      for await (const event of events) {
        count++;
        if (terminal.isTTY && count % STRIDE === 0) redraw();
        yield event;
      }
    },
    add: (events) => {
      count += events;
      if (terminal.isTTY) redraw();
    },
    count: () => count,
    clear: () => {
      if (terminal.isTTY) terminal.write('\r\u001b[K');
    },
    total: () => {
      const nowMs = clock.now();
      return `${count} events in ${((nowMs - startedAtMs) / MS_PER_SECOND).toFixed(1)} s (${rate(nowMs)})`;
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
  { client, tables, clock }: AccountStore,
  { stderr }: Pick<Shell, 'stderr'>,
  work: (step: () => void) => Promise<T>,
  beside?: () => string,
): Promise<T> {
  const meter = eventMeter(clock, stderr, beside);
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
