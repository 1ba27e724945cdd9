/** How much of a limit is left, and when it starts again. */
export interface Limit {
  /** How much there is in all. */
  readonly limit: number;
  /** How much of it is left. */
  readonly remaining: number;
  /** When it begins again. */
  readonly resetsAt: Date;
}

/** The last second of the year 9999. */
const LAST_EPOCH_SECOND = 253_402_300_799;

/** The limit of the three headers that begin so; null where they are absent or cannot be read. */
export function limitOf(headers: Headers, prefix: 'X-RateLimit' | 'X-Service-Quota'): Limit | null {
  const values = ['Limit', 'Remaining', 'Reset'].map((part) => headers.get(`${prefix}-${part}`) ?? '');
  if (!values.every((value) => /^\d{1,15}$/.test(value))) return null;
  const [limit = 0, remaining = 0, reset = 0] = values.map(Number);
  return reset > LAST_EPOCH_SECOND ? null : { limit, remaining, resetsAt: new Date(1_000 * reset) };
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** What `Retry-After` asks to wait, in seconds or until a date; 0 where it is absent or cannot be read. */
export function retryAfterMsOf(headers: Headers): number {
  const value = headers.get('Retry-After') ?? '';
  if (/^\d+$/.test(value)) return 1_000 * Number(value);
  return HTTP_DATE.test(value) ? Math.max(0, Date.parse(value) - Date.now()) || 0 : 0;
}
