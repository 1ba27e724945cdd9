import { isoTime } from '../functions/shared/time.ts';
import type { Pages } from './http-server.ts';

/** Path of the clock of `npm start`, on the gateway's port. No stage has it. */
export const CLOCK_PATH = '/clock';
/**
 * By how many milliseconds a `POST` moves it. A web page cannot send this header to another origin without a preflight,
 * and the gateway allows it to none.
 */
export const CLOCK_HEADER = 'x-sandbox-clock';
/** The longest move: the years of the ledger have four digits. */
const MAX_MS = 100 * 366 * 86_400_000;

const realNow = Date.now.bind(Date);
let movedMs = 0;

/** Moves the clock of this thread forward: everything that asks `Date.now`. Timers are as they were. */
export function moveClock(byMs: number): void {
  movedMs += byMs;
  Date.now = () => realNow() + movedMs;
}

/** What the clock of `npm start` answers. */
export interface ClockState {
  readonly now: string;
  /** How far it is ahead of the machine's. */
  readonly movedMs: number;
}
const state = (): ClockState => ({ now: isoTime(Date.now()), movedMs });

/** The status of a move that would write times to come into what outlives this process. */
export const FIXED_STATUS = 409;

/**
 * The clock of `npm start` over HTTP: `GET` reads it, and `POST` moves it forward. It never goes back, since a ledger
 * does not either.
 *
 * @param isMovable whether the database is this process's own, and in memory: else what is stored outlives the clock
 */
export function clockPages(isMovable: boolean, onMoved: (byMs: number) => void): Pages {
  return ({ url, method, headers }) => {
    if (url !== CLOCK_PATH) return undefined;
    if (headers[CLOCK_HEADER] === undefined || headers.origin !== undefined) return answered(403);
    const byMs = method === 'POST' ? Number(headers[CLOCK_HEADER]) : 0;
    if (!Number.isSafeInteger(byMs) || byMs < 0 || movedMs + byMs > MAX_MS) return answered(400);
    if (byMs > 0 && !isMovable) return answered(FIXED_STATUS);
    moveClock(byMs);
    onMoved(byMs);
    return answered(200);
  };
}

const answered = (statusCode: number) =>
  Promise.resolve({
    statusCode,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify(statusCode === 200 ? state() : { ok: false }),
  });
