/** A waiting message, and its group. */
export interface Queued {
  readonly group: string;
  readonly body: string;
  /** How often it was given to the worker; 0 at first. */
  readonly received: number;
}

export interface FairQueueOptions {
  /** How many messages are worked on at once. */
  readonly atOnce: number;
  /** How often a message is given to the worker at most. */
  readonly maxReceived: number;
  /** How long a message waits after a failure. */
  readonly pauseMs: number;
  /** Resolves to false, or rejects, if the message must be given again. */
  readonly work: (message: Queued) => Promise<boolean>;
  /** Called with a message whose last attempt failed. */
  readonly onGivenUp: (message: Queued) => void;
}

/**
 * A queue in memory, fair between groups. The next message is from the group with the fewest messages in progress;
 * among such groups, from the one that has waited longest. So a group with a thousand messages does not delay other
 * groups.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** In the order of service. */
  readonly #groups = new Map<string, { waiting: Queued[]; underWay: number }>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  add(message: Queued, delayMs = 0): void {
    if (this.#stopped) return;
    if (delayMs === 0) {
      this.#group(message.group).waiting.push(message);
      this.#fill();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.add(message);
    }, delayMs);
    this.#timers.add(timer);
  }

  /** Drops the waiting messages. Resolves when none is in progress any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#groups.clear();
    await Promise.all(this.#running);
  }

  #group(name: string): { waiting: Queued[]; underWay: number } {
    const group = this.#groups.get(name) ?? { waiting: [], underWay: 0 };
    this.#groups.set(name, group);
    return group;
  }

  #fill(): void {
    while (this.#running.size < this.#options.atOnce) {
      const next = this.#next();
      if (next === undefined) return;
      const running = this.#serve(next).finally(() => {
        this.#running.delete(running);
        this.#fill();
      });
      this.#running.add(running);
    }
  }

  #next(): Queued | undefined {
    const ready = [...this.#groups].filter(([, { waiting }]) => waiting.length > 0);
    const fewest = Math.min(...ready.map(([, { underWay }]) => underWay));
    const found = ready.find(([, { underWay }]) => underWay === fewest);
    if (found === undefined) return undefined;
    const [name, group] = found;
    // It was served last, so it moves to the end.
    this.#groups.delete(name);
    this.#groups.set(name, group);
    return group.waiting.shift();
  }

  async #serve(message: Queued): Promise<void> {
    const group = this.#group(message.group);
    group.underWay++;
    const given = { ...message, received: message.received + 1 };
    const done = await this.#options.work(given).catch(() => false);
    group.underWay--;
    if (group.underWay === 0 && group.waiting.length === 0) this.#groups.delete(message.group);
    if (done) return;
    if (given.received >= this.#options.maxReceived) this.#options.onGivenUp(given);
    else this.add(given, this.#options.pauseMs);
  }
}
