import { formatAgo, formatDay, formatFull, formatMinute, formatSecond, formatSince } from '../text/format.ts';
import { useNow } from './use-now.ts';

const FORMATS = { ago: formatAgo, day: formatDay, minute: formatMinute, second: formatSecond, since: formatSince };

/** A time as people say it; pointing at it tells it exactly. */
export function Time({ of: time, as }: { readonly of: string; readonly as: keyof typeof FORMATS }) {
  const nowMs = useNow();
  return (
    <time dateTime={time} title={formatFull(time)}>
      {FORMATS[as](time, nowMs)}
    </time>
  );
}
