import type { ReactNode } from 'react';
import css from './docs.module.css';

interface SectionProps {
  /** By which addresses lead to it. */
  readonly id: string;
  readonly title: ReactNode;
  /** What stands beside the title. */
  readonly aside?: ReactNode;
  /** The address leads to it, which it shows; of what stands in a frame. */
  readonly isTarget?: boolean;
  readonly children: ReactNode;
}

/** A part of a page with an address of its own, which its title links to. */
export const Section = ({ id, title, aside, isTarget, children }: SectionProps) => (
  <section
    className={[css.section, isTarget !== undefined && css.entry, isTarget && css.target].filter(Boolean).join(' ')}
  >
    <h2 id={id} tabIndex={-1} className={css.title}>
      <a href={`#${id}`} className={css.anchor}>
        {title}
      </a>
      {aside}
    </h2>
    {children}
  </section>
);
