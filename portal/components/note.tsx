import type { ReactNode } from 'react';
import css from './note.module.css';

interface NoteProps {
  readonly kind?: 'info' | 'warn' | 'bad';
  /** Buttons, at the end. */
  readonly action?: ReactNode;
  /** It came after something was done, and is to be read out. */
  readonly isAlert?: boolean;
  readonly children: ReactNode;
}

/** Something to know, set apart. */
export const Note = ({ kind = 'info', action, isAlert = false, children }: NoteProps) => (
  <div className={[css.note, css[kind]].join(' ')} role={isAlert ? 'alert' : undefined}>
    <div className={css.text}>{children}</div>
    {action}
  </div>
);
