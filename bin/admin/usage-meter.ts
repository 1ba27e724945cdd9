import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { MS_PER_SECOND, type Clock } from '../../functions/core/clock.ts';
import type { AccountStore } from '../../functions/accounts/account-store.ts';
import type { Shell } from './shell.ts';

/** The part of a stream that progress is shown on. */
interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Counts the events that pass, and shows how many and how fast. */
export interface EventMeter {
  /** The same events, counted as they are taken. */
  counted<T>(events: AsyncIterable<T>): AsyncGenerator<T>;
  /** Counts so many more; 0: only looks whether there is something new to show. */
  add(events: number): void;
  /** How many events have passed. */
  count(): number;
  /** Clears the line, for what comes after it. */
  clear(): void;
  /** What has passed, in a line: `1000000 events in 20.0 s (50000 events/s)`. */
  total(): string;
}

/** Events between two looks at the clock. */
const STRIDE = 1_000;
const REDRAW_AFTER_MS = 100;

/**
 * Shows count and rate on one line of a terminal; anything else gets nothing of it.
 *
 * @param beside what else there is to tell on that line
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
 * Does what reads usage events for long before it has anything to print, and shows on a terminal how many are read
 * meanwhile.
 *
 * @param beside what else there is to tell on that line; `step` looks whether it is to be shown
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
 * Counts the read units that the reads, queries and scans of a client take from now on, as the engine reports them. The
 * result says how many there are so far. A read that failed is not counted.
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
