import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '../../functions/shared/time.ts';
import { AGENTS, type Lane } from './lane.ts';

/** Days of requests before now. */
const DAYS = 29;
/** How long before now the demo account was made. */
export const DEMO_AGE_MS = (DAYS + 1) * MS_PER_DAY;
/** Hours of a day, in UTC, in which there are requests before the last 24 hours. */
const WORKING_HOURS = [8, 11, 15];
const CONFLICTING = '{"clientRequestId":"b"}';

/** Hours with requests, oldest first; `nth` counts them, for variety. */
export function hoursUntil(nowMs: number): { readonly atMs: number; readonly nth: number }[] {
  const firstDay = Math.ceil((nowMs - DAYS * MS_PER_DAY) / MS_PER_DAY);
  const lastDay = Math.floor(nowMs / MS_PER_DAY);
  const days = Array.from({ length: lastDay - firstDay + 1 }, (_, i) => firstDay + i);
  const earlier = days
    .flatMap((day) => WORKING_HOURS.map((hour) => day * MS_PER_DAY + hour * MS_PER_HOUR))
    .filter((atMs) => atMs < nowMs - 26 * MS_PER_HOUR);
  const latest = Array.from({ length: 24 }, (_, i) => nowMs - (24 - i) * MS_PER_HOUR);
  return [...earlier, ...latest].map((hourMs, nth) => ({ atMs: hourMs + (nth % 45) * MS_PER_MINUTE, nth }));
}

/** Sends requests of one key and one program, two seconds apart. */
export async function several(
  { at, ping, store }: Lane,
  key: string,
  count: number,
  agent = AGENTS.server,
): Promise<void> {
  for (let i = 0; i < count; i++) {
    await ping(key, { agent });
    at(store.clock.now() + 2 * MS_PER_SECOND);
  }
}

/** The keys of the busy project that are in use at a time. */
export interface BusyKeys {
  readonly server: string;
  readonly ci: string | undefined;
  readonly laptop: string | undefined;
  readonly staging: string | undefined;
}

/** An hour of the busy project: charges, replays, a conflict, refusals before and after admission. */
export async function busyHour(lane: Lane, { server, ci, laptop, staging }: BusyKeys, nth: number): Promise<void> {
  await several(lane, server, 2 + ((nth * 7) % 6));
  if (ci !== undefined) {
    // Sometimes more than its limit a minute.
    await several(lane, ci, nth % 13 === 0 ? 7 : (nth * 5) % 3, AGENTS.ci);
    if (nth % 7 === 0) await lane.ping(ci, { agent: AGENTS.ci, body: 'no JSON' });
  }
  if (staging !== undefined && nth % 2 === 0) await lane.ping(staging, { agent: AGENTS.staging });
  if (laptop === undefined || nth % 3 !== 0) return;
  const headers = { 'idempotency-key': `order-${nth}` };
  await lane.ping(laptop, { headers });
  if (nth % 6 === 0) await lane.ping(laptop, { headers });
  if (nth % 9 === 0) await lane.ping(laptop, { headers, body: CONFLICTING });
}
