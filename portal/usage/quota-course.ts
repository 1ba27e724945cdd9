import { boundsOf, usedUpAt, type Quota } from '../text/quota.ts';
import { endOf, slotsOf, type Slot, type Step } from './ranges.ts';

/** The course of a quota over its period. */
export interface QuotaCourse {
  /** Every hour or day of the period, with the units used up to its end. Undefined: it is in the future. */
  readonly slots: readonly (Slot<{ readonly used: number | undefined }> & { readonly start: string })[];
  /** Units at the period's end at the present rate. Undefined while there are too few data. */
  readonly expected: number | undefined;
}

/**
 * Adds up the charges of a period's buckets. Buckets without a sum would break the line, so call it when all have one.
 */
export function courseOf(
  quota: Quota,
  usage: { readonly since: string; readonly by: Step; readonly buckets: readonly { start: string; units: number }[] },
  nowMs: number,
): QuotaCourse {
  const { endMs } = boundsOf(quota.period);
  const whole = slotsOf({ ...usage, until: new Date(endMs).toISOString() });
  let sum = 0;
  const slots = whole.map(({ start, bucket }) => {
    sum += bucket?.units ?? 0;
    return { start, bucket: { used: Date.parse(start) <= nowMs ? sum : undefined } };
  });
  return { slots, expected: expectedAt(quota, endMs, nowMs) };
}

/** A straight line through the present use of the quota and the time when it is used up. */
function expectedAt(quota: Quota, endMs: number, nowMs: number): number | undefined {
  const usedUpMs = usedUpAt(quota, nowMs);
  if (usedUpMs === undefined || quota.quotaLimit === null || usedUpMs <= nowMs) return undefined;
  return quota.quotaUsed + ((quota.quotaLimit - quota.quotaUsed) * (endMs - nowMs)) / (usedUpMs - nowMs);
}

/** The position of a time among the slots of a period: 0 at its start, 1 at its end. */
export function shareOf(slots: QuotaCourse['slots'], by: Step, timeMs: number): number {
  const [first, last] = [slots[0]?.start, slots.at(-1)?.start];
  if (first === undefined || last === undefined) return 0;
  const startMs = Date.parse(first);
  return Math.min(1, Math.max(0, (timeMs - startMs) / (Date.parse(endOf(last, by)) - startMs)));
}
