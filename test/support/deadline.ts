import type { Deadline } from '../../functions/core/deadline.ts';

const REQUEST_MS = 4_000;
const LOOK_MS = 500;

/** A request's deadline in a test without time: a look at it is all that takes any. Aborts when its controller does. */
export function testDeadline({ signal } = new AbortController()): Deadline {
  let leftMs = REQUEST_MS;
  return Object.assign(signal, { leftMs: () => (leftMs -= LOOK_MS) });
}

/** A deadline that never comes, for what is tried until it does. */
export const endlessDeadline = (): Deadline =>
  Object.assign(new AbortController().signal, { leftMs: () => Number.POSITIVE_INFINITY });
