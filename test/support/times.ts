/** Fixed times for tests, spelled out so that the code under test computes none of them. */
/**
 * 30 seconds into a minute, far from the ends of an hour, a day and a month; in the future, so that no TTL deletes
 * anything.
 */
export const NOW_MS = Date.UTC(2030, 0, 15, 10, 0, 30);
export const MINUTE_END_EPOCH_SECONDS = Date.UTC(2030, 0, 15, 10, 1) / 1000;
export const MONTH_END_EPOCH_SECONDS = Date.UTC(2030, 1, 1) / 1000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
