import type { ReactNode } from 'react';
import { Info, OctagonX, TriangleAlert } from 'lucide-react';
import { Icon } from './icon.tsx';
import css from './note.module.css';

const ICONS = { info: Info, warn: TriangleAlert, bad: OctagonX };

interface NoteProps {
  readonly kind?: keyof typeof ICONS;
  /** Buttons, at the end. */
  readonly action?: ReactNode;
  /** It appears after an action, and screen readers announce it. */
  readonly isAlert?: boolean;
  readonly children: ReactNode;
}

/** A note in its own box. */
export const Note = ({ kind = 'info', action, isAlert = false, children }: NoteProps) => (
  <div className={[css.note, css[kind]].join(' ')} role={isAlert ? 'alert' : undefined}>
    <div className={css.text}>
      <Icon of={ICONS[kind]} />
      <div className={css.words}>{children}</div>
    </div>
    {action}
  </div>
);
