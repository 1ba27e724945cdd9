import type { LucideIcon } from 'lucide-react';
import css from './icon.module.css';

interface IconProps {
  readonly of: LucideIcon;
  readonly size?: 'small' | 'large' | undefined;
}

/** A picture beside a word, which says the same: screen readers pass over it. */
export const Icon = ({ of: Glyph, size }: IconProps) => (
  <Glyph className={[css.icon, size && css[size]].filter(Boolean).join(' ')} aria-hidden />
);
