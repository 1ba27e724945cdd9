import { lazy, Suspense } from 'react';
import css from './fields.module.css';
import type { TimeFieldProps } from './time-picker.tsx';

const TimePicker = lazy(() => import('./time-picker.tsx'));

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
