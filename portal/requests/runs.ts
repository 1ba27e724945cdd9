import type { UsageEvent } from '../api/schemas.ts';
import { formatCount } from '../text/format.ts';
import { programOf } from '../text/names.ts';

/** Requests in one row, newest first: consecutive ones that were refused alike, or any other alone. */
export interface Run {
  readonly events: readonly [UsageEvent, ...UsageEvent[]];
  /** False: what was not read before it may belong to it. */
  readonly isWhole: boolean;
}

const MINUTE = 'YYYY-MM-DDTHH:MM'.length;

/** Whether two requests with one key were refused with one code in one minute. */
const isAlike = (one: UsageEvent, other: UsageEvent): boolean =>
  one.code !== null &&
  one.code === other.code &&
  one.keyId === other.keyId &&
  one.simulated === other.simulated &&
  one.occurredAt.slice(0, MINUTE) === other.occurredAt.slice(0, MINUTE);

/** Whether it was refused before admission: the first of a key and code in a minute stands for the others. */
const standsForOthers = ({ status, simulated }: UsageEvent): boolean =>
  (status === 401 || status === 403) && simulated !== true;

/** Whether requests before these may have been refused alike. */
export const isCut = (events: readonly UsageEvent[], hasMore: boolean): boolean => {
  const oldest = events.at(-1);
  return hasMore && oldest !== undefined && oldest.code !== null && !standsForOthers(oldest);
};

/** The rows of a list, whose events are newest first. `hasMore`: there are older ones, which were not read. */
export function runsOf(events: readonly UsageEvent[], hasMore: boolean): Run[] {
  const runs: [UsageEvent, ...UsageEvent[]][] = [];
  for (const event of events) {
    const run = runs.at(-1);
    if (run && isAlike(run[0], event)) run.push(event);
    else runs.push([event]);
  }
  const whole = runs.length - (isCut(events, hasMore) ? 1 : 0);
  return runs.map((run, index) => ({ events: run, isWhole: index < whole }));
}

/** `429`, `28 × 429`, or `at least 28 × 429`. */
export function statusOf({ events, isWhole }: Run): string {
  const { status } = events[0];
  if (events.length === 1 && isWhole) return String(status);
  return `${isWhole ? '' : 'at least '}${formatCount(events.length)} × ${status}`;
}

/** What is known of a count that the ledger does not keep. Empty: it keeps each one. */
export const boundOf = ({ events }: Run): string =>
  standsForOthers(events[0]) ? `at least ${formatCount(events.length)} in this minute` : '';

/** What sent it, as the programs call themselves: the newest, and that there were others. */
export function senderOf({ events }: Run): string {
  const [newest = '', ...others] = new Set(events.map(({ userAgent }) => programOf(userAgent)));
  return others.length === 0 ? newest : `${newest} and others`;
}
