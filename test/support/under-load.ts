/** How pings ended around a change. */
export interface Around<T> {
  /** Answered before the change began. */
  readonly before: readonly T[];
  /** May go either way. */
  readonly meanwhile: readonly T[];
  /** Sent after the change was done. */
  readonly after: readonly T[];
}

interface Load<T> {
  /** Sends the nth ping and resolves with how it ended. */
  readonly send: (n: number) => Promise<T>;
  /** Made in the midst of it. */
  readonly change: () => Promise<unknown>;
}

const IN_FLIGHT = 24;
/** Pings answered before the change begins, and sent after it is done. */
const BEFORE = 48;
const AFTER = 48;

/** Makes a change while so many requests are always in flight, and tells which were sent after it was done. */
export async function underLoad<T>({ send, change }: Load<T>): Promise<Around<T>> {
  const around = { before: [] as T[], meanwhile: [] as T[], after: [] as T[] };
  const warm = Promise.withResolvers<undefined>();
  let phase: keyof typeof around = 'before';
  let sent = 0;
  let answered = 0;
  let toSendAfter = AFTER;
  const sender = async (): Promise<void> => {
    while (phase !== 'after' || toSendAfter-- > 0) {
      const isAfter = phase === 'after';
      const ended = await send(sent++);
      around[isAfter ? 'after' : phase === 'before' ? 'before' : 'meanwhile'].push(ended);
      if (++answered === BEFORE) warm.resolve(undefined);
    }
  };
  const senders = Promise.all(Array.from({ length: IN_FLIGHT }, sender));
  await Promise.race([warm.promise, senders]);
  phase = 'meanwhile';
  await change();
  phase = 'after';
  await senders;
  return around;
}
