import { setTimeout } from 'node:timers/promises';
import type { Deadline } from '../../functions/shared/deadline.ts';

const REQUEST_MS = 4_000;
const LOOK_MS = 500;
const TICK_MS = 50;

/** A request's deadline in a test without a clock: only reading it takes time. Aborts when its controller does. */
export function testDeadline({ signal } = new AbortController()): Deadline {
  let leftMs = REQUEST_MS;
  return Object.assign(signal, { leftMs: () => (leftMs -= LOOK_MS) });
}

/** A deadline that never comes, for work that is tried again until it succeeds. */
export const endlessDeadline = (): Deadline =>
  Object.assign(new AbortController().signal, { leftMs: () => Number.POSITIVE_INFINITY });

/**
 * Awaits a promise with a limit. Counts only the time in which this process runs, so a busy machine does not matter.
 */
export async function within<T>(ms: number, promised: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = async (): Promise<never> => {
    for (let ranMs = 0; ranMs < ms; ranMs += TICK_MS) await setTimeout(TICK_MS, undefined, over);
    throw new Error(`no answer within ${ms} ms`);
  };
  try {
    return await Promise.race([promised, late()]);
  } finally {
    over.abort();
  }
}
