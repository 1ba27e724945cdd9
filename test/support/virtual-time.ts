import { setImmediate } from 'node:timers/promises';

/** Virtual time: it passes only while everybody waits for it, so hours take no longer than the work in them. */
export function virtualTime() {
  /** The earliest first. */
  const waiting: { readonly atMs: number; readonly wake: () => void }[] = [];
  let nowMs = 0;
  return {
    now: () => nowMs,
    sleep: (ms: number): Promise<void> =>
      new Promise((wake) => {
        const atMs = nowMs + ms;
        waiting.splice(waiting.findLastIndex((other) => other.atMs <= atMs) + 1, 0, { atMs, wake });
      }),
    /** Advances the time until nobody waits. */
    pass: async (): Promise<void> => {
      for (;;) {
        // First everybody who was woken continues to their next wait.
        await setImmediate();
        const next = waiting.shift();
        if (!next) return;
        nowMs = next.atMs;
        next.wake();
      }
    },
  };
}
