import { useId } from 'react';
import css from './small-field.module.css';

interface TimeFieldProps {
  readonly label: string;
  /** `2026-11-22T14:00`, in the reader's time zone; empty: none. */
  readonly value: string;
  /** Called when somebody leaves the field or presses Enter: half a year is no year. */
  readonly onChange: (value: string) => void;
}

/** A date and time of the reader's time zone. */
export function TimeField({ label, value, onChange }: TimeFieldProps) {
  const id = useId();
  const keep = (input: HTMLInputElement): void => {
    if (input.value !== value && !input.validity.badInput) onChange(input.value);
  };
  return (
    <div className={css.field}>
      <label htmlFor={id} className={css.label}>
        {label}
      </label>
      <input
        id={id}
        key={value}
        type="datetime-local"
        className={css.input}
        defaultValue={value}
        onBlur={({ currentTarget }) => keep(currentTarget)}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && keep(currentTarget)}
      />
    </div>
  );
}
