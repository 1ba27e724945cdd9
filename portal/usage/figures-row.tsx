import css from './figures-row.module.css';

/** Figures side by side, each with its name. */
export const FiguresRow = ({ figures }: { readonly figures: readonly (readonly [name: string, figure: string])[] }) => (
  <dl className={css.figures}>
    {figures.map(([name, figure]) => (
      <div key={name}>
        <dt className={css.name}>{name}</dt>
        <dd className={css.figure}>{figure}</dd>
      </div>
    ))}
  </dl>
);
