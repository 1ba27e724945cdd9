import { use, useId } from 'react';
import { Problems } from './form-problems.ts';
import css from './fields.module.css';

interface TextAreaProps {
  /** The name in its form. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Lines of data with their label. Their error is below them. */
export function TextArea({ label, name, value, onChange }: TextAreaProps) {
  const id = useId();
  const { messageOf, onMended } = use(Problems);
  const message = messageOf(name);
  return (
    <div className={css.field}>
      <label htmlFor={id} className={css.label}>
        {label}
      </label>
      <textarea
        id={id}
        name={name}
        value={value}
        className={css.lines}
        rows={3}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={message !== undefined}
        aria-describedby={message === undefined ? undefined : `${id}-problem`}
        onChange={({ target }) => {
          onMended();
          onChange(target.value);
        }}
      />
      {message !== undefined && (
        <span id={`${id}-problem`} className={css.error}>
          {message}
        </span>
      )}
    </div>
  );
}
