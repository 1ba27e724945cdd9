/** Connections of one client: so many at most are in use at once, and who waits is served in order. */
export class Connections {
  readonly most: number;
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.most = most;
    this.#free = most;
  }

  /** Runs it as soon as a connection is free; rejects if it is aborted before. */
  async use<T>(end: AbortSignal, run: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(end);
    try {
      return await run();
    } finally {
      // A runtime takes a moment to see that it is free: whoever came at once would open another one.
      if (this.#waiting.size > 0) setTimeout(() => this.#leave());
      else this.#free++;
    }
  }

  /** The connection is handed on, so that nobody who comes now is before those who wait. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#free++;
  }

  #turn(end: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(new Error('aborted'));
      };
      const enter = (): void => {
        this.#waiting.delete(enter);
        end.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.add(enter);
      end.addEventListener('abort', leave);
    });
  }
}
