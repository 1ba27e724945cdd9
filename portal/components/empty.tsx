import type { ReactNode } from 'react';
import type { LucideIcon } from 'lucide-react';
import css from './empty.module.css';
import { Icon } from './icon.tsx';

interface EmptyProps {
  readonly icon: LucideIcon;
  readonly title: string;
  /** The next step. */
  readonly action?: ReactNode;
  /** A failure caused it. */
  readonly isAlert?: boolean;
  readonly children: ReactNode;
}

/** An empty list, or one that could not be read: the reason, and the next step. */
export const Empty = ({ icon, title, action, isAlert = false, children }: EmptyProps) => (
  <div className={css.empty} role={isAlert ? 'alert' : undefined}>
    <Icon of={icon} size="large" />
    <p className={css.title}>{title}</p>
    <p className={css.text}>{children}</p>
    {action && <div className={css.action}>{action}</div>}
  </div>
);
