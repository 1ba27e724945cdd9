/** The end of the time that a request has: aborts its calls, and tells beforehand how long that is. */
export interface Deadline extends AbortSignal {
  /** Milliseconds until it aborts; not above zero once it has. */
  readonly leftMs: () => number;
}
