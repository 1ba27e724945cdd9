import type { ReactNode } from 'react';
import css from './figures-row.module.css';

interface FiguresRowProps {
  /** `about`: a note below it. */
  readonly figures: readonly (readonly [name: string, figure: ReactNode, about?: ReactNode])[];
  /** On the ground of the page, without a card around them. */
  readonly isPlain?: boolean;
}

/** Figures side by side, each with its name. */
export const FiguresRow = ({ figures, isPlain = false }: FiguresRowProps) => (
  <dl className={isPlain ? css.plain : css.figures}>
    {figures.map(([name, figure, about]) => (
      <div key={name}>
        <dt className={css.name}>{name}</dt>
        <dd className={css.figure}>{figure}</dd>
        {about && <dd className={css.about}>{about}</dd>}
      </div>
    ))}
  </dl>
);
