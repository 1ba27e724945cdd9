import { MS_PER_SECOND, secondsUntil, dayOf } from '../../shared/rules/clock.ts';
import { ERRORS } from '../../shared/rules/http/errors.ts';
import type { Period } from '../../shared/rules/period.ts';

/**
 * The options of a refusal by a limit of units: when the next period begins, for people and for programs. `detail`
 * replaces the catalogue's text, to which the date is added.
 */
export function quotaRefusal(
  code: 'QUOTA_EXCEEDED' | 'KEY_QUOTA_EXCEEDED',
  { endsAtEpochSeconds }: Pick<Period, 'endsAtEpochSeconds'>,
  nowMs: number,
  detail: string = ERRORS[code].detail,
) {
  const day = dayOf(endsAtEpochSeconds * MS_PER_SECOND);
  return {
    detail: `${detail} The next period begins on ${day} at 00:00 UTC.`,
    retryAfterSeconds: secondsUntil(endsAtEpochSeconds, nowMs),
  };
}
