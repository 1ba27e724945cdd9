import { useEffect, useRef } from 'react';
import { fromField, toField } from './audit-filter.ts';
import css from './filter-bar.module.css';

/** A year whose digits are still being typed is no time to look for. */
const FIRST_WHOLE_YEAR = '1000';

interface TimeFieldProps {
  readonly label: string;
  /** As an ISO time. */
  readonly time: string | undefined;
  readonly onChange: (time: string | undefined) => void;
}

/** A time in the reader's zone. While it is typed it is the browser's, and set from outside only where it differs. */
export function TimeField({ label, time, onChange }: TimeFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current && field.current.value !== toField(time)) field.current.value = toField(time);
  }, [time]);
  return (
    <label className={css.field}>
      {label}
      <input
        ref={field}
        type="datetime-local"
        className={css.control}
        defaultValue={toField(time)}
        onChange={({ target: { value, validity } }) => {
          const isCleared = value === '' && !validity.badInput;
          if (isCleared || value >= FIRST_WHOLE_YEAR) onChange(fromField(value));
        }}
      />
    </label>
  );
}
