import { MS_PER_SECOND, type Clock } from '../../functions/core/clock.ts';

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
