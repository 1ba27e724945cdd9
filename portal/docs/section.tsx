import type { ReactNode } from 'react';
import css from './docs.module.css';

interface SectionProps {
  /** The anchor in addresses. */
  readonly id: string;
  readonly title: ReactNode;
  /** The content beside the title. */
  readonly aside?: ReactNode;
  /** The address leads here, which the frame shows. */
  readonly isTarget?: boolean;
  readonly children: ReactNode;
}

/** A section of a page with its own address. Its title is a link to it. */
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
