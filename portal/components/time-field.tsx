import { lazy, Suspense } from 'react';
import css from './fields.module.css';
import type { TimeFieldProps } from './time-picker.tsx';

const TimePicker = lazy(() => import('./time-picker.tsx'));

/** A date and time in the reader's time zone, in the form of all dates of the page. */
export const TimeField = (props: TimeFieldProps) => (
  <Suspense
    fallback={
      <div className={css.field}>
        <span className={css.label}>{props.label}</span>
        <span className={css.input} data-later />
      </div>
    }
  >
    <TimePicker {...props} />
  </Suspense>
);
