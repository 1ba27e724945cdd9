import { minuteAt, rateStatus, slotOf, windowNow, type RateStatus } from '../../shared/request/admission.ts';
import type { StoredKey } from './stored-keys.ts';

/** The requests of a key that are counted in the present minute. */
export const countedNow = (key: StoredKey, nowMs: number): number => windowOf(key, nowMs).count;

/** The rate limit of a key at a moment, as its next request would meet it. */
export function rateNow(key: StoredKey, nowMs: number): RateStatus {
  const { minute, count } = windowOf(key, nowMs);
  return rateStatus(minute, key.rpm, count);
}

function windowOf(key: StoredKey, nowMs: number): ReturnType<typeof windowNow> {
  const { window: minute } = key;
  const stored = minute === undefined ? 0 : (key as unknown as Readonly<Record<string, unknown>>)[slotOf(minute)];
  return windowNow({ minute, count: typeof stored === 'number' ? stored : 0 }, minuteAt(nowMs));
}
