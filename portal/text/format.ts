const NO_BREAK_SPACE = '\u00a0';
const LOCALE = 'en-GB';

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
export const DAY_MS = DAY_SECONDS * 1_000;

const dayFormat = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' });
const dayAndYearFormat = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' });
const clockFormat = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit' });
const secondsFormat = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const weekdayFormat = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full' });
const fullFormat = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'long' });

/** `10,000`: digits in groups of three. */
export const formatCount = (count: number): string => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** `7 %`, on one line. */
export const formatPercent = (percent: number | string): string => `${percent}${NO_BREAK_SPACE}%`;

/** `1 key`, `3 keys`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** `3 Nov`, or `3 Nov 2025` if the year is another than now. In the reader's time zone. */
export function formatDay(time: string, nowMs: number): string {
  const date = new Date(time);
  const isThisYear = date.getFullYear() === new Date(nowMs).getFullYear();
  return (isThisYear ? dayFormat : dayAndYearFormat).format(date).replaceAll(' ', NO_BREAK_SPACE);
}

/** `27 Nov, 14:00`, in the reader's time zone. */
export const formatMinute = (time: string, nowMs: number): string =>
  `${formatDay(time, nowMs)}, ${clockFormat.format(new Date(time))}`;

/** `23:41:07`, with the day in front unless it is today; in the reader's time zone. */
export function formatSecond(time: string, nowMs: number): string {
  const date = new Date(time);
  const clock = secondsFormat.format(date);
  return date.toDateString() === new Date(nowMs).toDateString() ? clock : `${formatDay(time, nowMs)}, ${clock}`;
}

/** `14:05`, in the reader's time zone. */
export const formatHour = (time: string): string => clockFormat.format(new Date(time));

/** `Saturday, 28 November 2026`, in the reader's time zone. */
export const formatWeekday = (time: string): string => weekdayFormat.format(new Date(time));
/** `22:52:44 to 22:52:46`: two times of one minute, with the day in front unless it is today. */
export const formatSeconds = (first: string, last: string, nowMs: number): string =>
  `${formatSecond(first, nowMs)}${first.slice(0, SECOND) === last.slice(0, SECOND) ? '' : ` to ${secondsFormat.format(new Date(last))}`}`;

const SECOND = 'YYYY-MM-DDTHH:MM:SS'.length;

/** `14:05`, with the day in front unless it is today; in the reader's time zone. */
export function formatClock(time: string, nowMs: number): string {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date(nowMs).toDateString();
  return isToday ? clockFormat.format(date) : formatMinute(time, nowMs);
}

/** The exact time with its zone. */
export const formatFull = (time: string): string => fullFormat.format(new Date(time));

/** `20 s`, `4 min`, `2 h`, `6 days`: a length of time in its largest unit, rounded down. */
export function formatSpan(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < MINUTE_SECONDS) return `${seconds} s`;
  if (seconds < HOUR_SECONDS) return `${Math.floor(seconds / MINUTE_SECONDS)} min`;
  if (seconds < 2 * DAY_SECONDS) return `${Math.floor(seconds / HOUR_SECONDS)} h`;
  return `${Math.floor(seconds / DAY_SECONDS)} days`;
}

/**
 * `4 min ago`. The clock of the page is updated every ten seconds. The last use of a key is known to the minute only,
 * so a whole minute claims no seconds.
 */
export function formatAgo(time: string, nowMs: number): string {
  const elapsedMs = nowMs - Date.parse(time);
  const unsureMs = time.endsWith(':00.000Z') ? 2 * MINUTE_SECONDS * 1_000 : 10_000;
  return elapsedMs < unsureMs ? 'just now' : `${formatSpan(elapsedMs)} ago`;
}
