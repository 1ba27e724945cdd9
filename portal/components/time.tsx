import { useState } from 'react';
import {
  formatAgo,
  formatClock,
  formatDay,
  formatFull,
  formatHour,
  formatMinute,
  formatSecond,
} from '../text/format.ts';
import css from './time.module.css';
import { useNow } from './use-now.ts';

const FORMATS = {
  ago: formatAgo,
  clock: formatClock,
  day: formatDay,
  hour: formatHour,
  minute: formatMinute,
  second: formatSecond,
};

interface TimeProps {
  readonly of: string;
  /** The form: relative, or exact to the second. The exact form may be inside a link. */
  readonly as: keyof typeof FORMATS;
}

/**
 * A time as people say it. Pointing at it shows the exact time; a press, by finger or keyboard, switches between both.
 */
export function Time({ of: time, as }: TimeProps) {
  const nowMs = useNow();
  const [isExact, setExact] = useState(false);
  const exact = formatFull(time);
  const text = <time dateTime={time}>{isExact ? exact : FORMATS[as](time, nowMs)}</time>;
  if (as === 'second') return <span title={exact}>{text}</span>;
  return (
    <button type="button" className={css.time} title={exact} onClick={() => setExact(!isExact)}>
      {text}
    </button>
  );
}
