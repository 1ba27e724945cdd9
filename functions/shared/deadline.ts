/** The deadline of a request. It aborts the request's calls, and says how much time is left. */
export interface Deadline extends AbortSignal {
  /** Milliseconds until it aborts; 0 or less after that. */
  readonly leftMs: () => number;
}

/** The result of some work. Rejects at the deadline; the work itself is not stopped. */
export async function before<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const end = (): void => {
    reject(new Error('it took longer than the request has'));
  };
  if (deadline.aborted) end();
  deadline.addEventListener('abort', end);
  try {
    return await Promise.race([work, over]);
  } finally {
    deadline.removeEventListener('abort', end);
  }
}
