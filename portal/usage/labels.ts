import { endOf, type Step } from './ranges.ts';

const LOCALE = 'en-GB';

/** The names of a chart's buckets. */
export interface Labels {
  /** Below its position: `14:00`, or `21 Nov`. */
  readonly tick: (start: string) => string;
  /** Complete: `Sat 21 Nov, 14:00 to 15:00`, or `Sat 21 Nov, UTC`; up to the end of `last`, if that is another. */
  readonly whole: (start: string, last?: string) => string;
  /** The time zone of the names, as a sentence. */
  readonly zone: string;
}

/** Names of the buckets: times of day in the reader's time zone, days in UTC, since the quota counts in it. */
export function labelsOf(by: Step, timeZone?: string): Labels {
  if (by === 'day') {
    const short = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
    const long = new Intl.DateTimeFormat(LOCALE, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
    return {
      tick: (start) => short.format(Date.parse(start)),
      whole: (start, last = start) => `${last === start ? '' : `${dayOf(long, start)} to `}${dayOf(long, last)}, UTC`,
      zone: 'Days are those of UTC, as the quota counts.',
    };
  }
  const zoned = timeZone === undefined ? {} : { timeZone };
  const clock = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', ...zoned });
  const day = new Intl.DateTimeFormat(LOCALE, { weekday: 'short', day: 'numeric', month: 'short', ...zoned });
  const tick = (start: string): string => clock.format(Date.parse(start));
  return {
    tick,
    whole: (start, last = start) => {
      const [from, to] = [dayOf(day, start), dayOf(day, last)];
      return `${from}, ${tick(start)} to ${from === to ? '' : `${to}, `}${tick(endOf(last, by))}`;
    },
    zone: `Times are those of your time zone, ${clock.resolvedOptions().timeZone}.`,
  };
}

const dayOf = (format: Intl.DateTimeFormat, time: string): string => format.format(Date.parse(time)).replace(',', '');

/** The positions among `count` that have a label of this width, for this room per position, in pixels. */
export function labelledPlaces(count: number, labelWidth: number, placeWidth: number): number[] {
  const every = Math.max(1, Math.ceil(labelWidth / placeWidth));
  return Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every);
}
