/** What each signal ends. It has one listener, since a runtime warns of more than ten as of a leak. */
const ends = new WeakMap<AbortSignal, { readonly all: Set<() => void>; readonly listener: () => void }>();

/** Calls `end` when the signal is aborted, until the function that it gives back is called. */
export function onAbort(signal: AbortSignal | undefined, end: () => void): () => void {
  if (signal === undefined) return () => undefined;
  const all = ends.get(signal)?.all ?? new Set();
  if (all.size === 0) {
    const listener = (): void => all.forEach((each) => each());
    ends.set(signal, { all, listener });
    signal.addEventListener('abort', listener);
  }
  all.add(end);
  return () => {
    all.delete(end);
    const own = ends.get(signal);
    if (all.size > 0 || own?.all !== all) return;
    signal.removeEventListener('abort', own.listener);
    ends.delete(signal);
  };
}

/** Waits; throws the signal's reason as soon as it is aborted. */
export const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      leave();
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    const leave = onAbort(signal, end);
    if (signal?.aborted) end();
  });
