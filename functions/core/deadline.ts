/** The end of the time that a request has: aborts its calls, and tells beforehand how long that is. */
export interface Deadline extends AbortSignal {
  /** Milliseconds until it aborts; not above zero once it has. */
  readonly leftMs: () => number;
}

/** What work comes to, if it does before a deadline; rejects at the deadline, and leaves the work to itself. */
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
