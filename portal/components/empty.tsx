import type { ReactNode } from 'react';
import type { LucideIcon } from 'lucide-react';
import css from './empty.module.css';
import { Icon } from './icon.tsx';

interface EmptyProps {
  readonly icon: LucideIcon;
  readonly title: string;
  /** The next step. */
  readonly action?: ReactNode;
  /** It came of something that failed. */
  readonly isAlert?: boolean;
  readonly children: ReactNode;
}

/** A list without anything in it, or one that could not be read: what is so, and what to do next. */
export const Empty = ({ icon, title, action, isAlert = false, children }: EmptyProps) => (
  <div className={css.empty} role={isAlert ? 'alert' : undefined}>
    <Icon of={icon} size="large" />
    <p className={css.title}>{title}</p>
    <p className={css.text}>{children}</p>
    {action && <div className={css.action}>{action}</div>}
  </div>
);
