import type { UsageEvent } from '../../functions/core/usage-event.ts';

/** How events become text, some at a time. */
export interface EventFormat {
  /** What stands before the first event, and after the last. */
  readonly head: string;
  readonly tail: string;
  /** The text of some events; `first`: none came before them. */
  readonly rows: (events: readonly UsageEvent[], first: boolean) => string;
  /** Stands for all of it when there are no events. Absent: head and tail do. */
  readonly empty?: string;
}

/** Events in one piece of text: some 100 kB, enough to write at once and little to hold. */
export const EVENTS_PER_PIECE = 250;

/**
 * The text of events, piece by piece as it is taken: no event is asked for before the piece before it was. Nothing comes
 * before the first event was read, so that what fails at once leaves no output.
 */
export async function* textOf(events: AsyncIterable<UsageEvent>, format: EventFormat): AsyncGenerator<string> {
  const { head, rows, tail, empty = head + tail } = format;
  let first = true;
  for await (const some of pieces(events)) {
    yield (first ? head : '') + rows(some, first);
    first = false;
  }
  yield first ? empty : tail;
}

async function* pieces(events: AsyncIterable<UsageEvent>): AsyncGenerator<readonly UsageEvent[]> {
  let piece: UsageEvent[] = [];
  for await (const event of events) {
    piece.push(event);
    if (piece.length < EVENTS_PER_PIECE) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}
