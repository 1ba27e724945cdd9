import { setImmediate } from 'node:timers/promises';

/** Time that passes only while everybody waits for it: hours of it take no longer than what is done in them. */
export function virtualTime() {
  /** The first to be woken first. */
  const waiting: { readonly atMs: number; readonly wake: () => void }[] = [];
  let nowMs = 0;
  return {
    now: () => nowMs,
    sleep: (ms: number): Promise<void> =>
      new Promise((wake) => {
        const atMs = nowMs + ms;
        waiting.splice(waiting.findLastIndex((other) => other.atMs <= atMs) + 1, 0, { atMs, wake });
      }),
    /** Lets time pass until nobody waits for it. */
    pass: async (): Promise<void> => {
      for (;;) {
        // Whoever was woken goes on to their next wait first.
        await setImmediate();
        const next = waiting.shift();
        if (!next) return;
        nowMs = next.atMs;
        next.wake();
      }
    },
  };
}
