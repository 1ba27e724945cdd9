import { lazy, Suspense } from 'react';
import css from './small-field.module.css';

const TimePicker = lazy(() => import('./time-picker.tsx'));

export interface TimeFieldProps {
  readonly label: string;
  /** `2026-11-22T14:00`, in the reader's time zone; empty: none. */
  readonly value: string;
  /** Called when somebody leaves the field or presses Enter: half a year is no year. */
  readonly onChange: (value: string) => void;
}

/** A date and time of the reader's time zone, as the reader's language writes them. */
export const TimeField = (props: TimeFieldProps) => (
  <Suspense
    fallback={
      <div className={css.field}>
        <span className={css.label}>{props.label}</span>
        <span className={css.input} />
      </div>
    }
  >
    <TimePicker {...props} />
  </Suspense>
);
