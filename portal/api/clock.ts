/** The portal's clock less that of this device, in milliseconds. Undefined: no answer has told it yet. */
let differenceMs: number | undefined;

/**
 * The portal's time, in epoch milliseconds: ages, ranges and ends go by it, as this device's clock may be wrong. Throws
 * before the first answer, as no range may be asked for then.
 */
export function nowMs(): number {
  if (differenceMs === undefined) throw new Error('No answer has told the time yet.');
  return deviceMs() + differenceMs;
}

/** The present UTC day, such as `2026-11-21`: for the names of files. */
export const today = (): string => new Date(nowMs()).toISOString().slice(0, 'YYYY-MM-DD'.length);

/** The time of this device: for spans that begin and end in this page. */
export const deviceMs = (): number => Date.now();

/**
 * Notes what an answer says of the time. It was written after the request was sent and before it came, so the
 * difference is moved no further than that demands. Without a word, as from a function older than this page, it stays.
 */
export function noteTime({ headers }: Pick<Response, 'headers'>, sentAtMs: number): void {
  const toldMs = Date.parse(headers.get('X-Service-Time') ?? '');
  if (Number.isNaN(toldMs)) {
    differenceMs ??= 0;
    return;
  }
  const leastMs = toldMs - deviceMs();
  differenceMs = Math.min(toldMs - sentAtMs, Math.max(leastMs, differenceMs ?? leastMs));
}
