import type { LucideIcon } from 'lucide-react';
import css from './icon.module.css';

interface IconProps {
  readonly of: LucideIcon;
  readonly size?: 'small' | 'large' | undefined;
}

/** An icon beside a word of the same meaning. Screen readers skip it. */
export const Icon = ({ of: Glyph, size }: IconProps) => (
  <Glyph className={[css.icon, size && css[size]].filter(Boolean).join(' ')} aria-hidden />
);
