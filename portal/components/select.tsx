import { useId } from 'react';
import css from './small-field.module.css';

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The values in their order, each with its words. */
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly isDisabled?: boolean;
}

/** A choice of one of many: the browser's own list, which works on every device. */
export function Select({ label, value, onChange, options, isDisabled = false }: SelectProps) {
  const id = useId();
  return (
    <div className={css.select}>
      <label htmlFor={id} className={css.label}>
        {label}
      </label>
      <select
        id={id}
        className={css.input}
        value={value}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.value)}
      >
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}
