import { useId, type KeyboardEvent } from 'react';
import type { LucideIcon } from 'lucide-react';
import { Icon } from './icon.tsx';
import css from './select.module.css';
import fieldsCss from './fields.module.css';
import sharedCss from '../styles/shared.module.css';

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The values in their order, each with its text. */
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly isDisabled?: boolean;
  /** For a choice inside a text, whose options need no label: it has no border, and this icon instead of a label. */
  readonly plainIcon?: LucideIcon;
  /** Beside a field, which it completes: nobody sees its label. */
  readonly isBeside?: boolean;
}

/** The Escape that closes the list must not close a dialog around it. */
const keepEscape = (event: KeyboardEvent<HTMLSelectElement>): void => {
  if (event.key === 'Escape' && CSS.supports('selector(:open)') && event.currentTarget.matches(':open')) {
    event.stopPropagation();
  }
};

/** A choice of one of many. The list is the browser's own, in the portal's style where the browser allows it. */
export function Select({
  label,
  value,
  onChange,
  options,
  isDisabled = false,
  plainIcon,
  isBeside = false,
}: SelectProps) {
  const id = useId();
  return (
    <div className={plainIcon ? css.plain : isBeside ? css.beside : fieldsCss.field}>
      <label htmlFor={id} className={plainIcon || isBeside ? sharedCss.unseen : fieldsCss.label}>
        {label}
      </label>
      {plainIcon && <Icon of={plainIcon} />}
      <select
        id={id}
        className={css.select}
        value={value}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={keepEscape}
      >
        {options.map(([option, words]) => (
          <option key={option} value={option} className={css.option}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}
