import type { ReactNode } from 'react';
import css from './docs.module.css';

interface Term {
  readonly name: ReactNode;
  readonly key: string;
  /** A short description, beside the name. */
  readonly aside?: ReactNode;
  /** Empty: the name is enough. */
  readonly meaning: ReactNode;
}

/** Names with their meanings, below each other. */
export const Terms = ({ of: terms }: { readonly of: readonly Term[] }) => (
  <dl className={css.terms}>
    {terms.map(({ key, name, aside, meaning }) => (
      <div key={key}>
        <dt>
          {name} <span className={css.status}>{aside}</span>
        </dt>
        <dd>{meaning}</dd>
      </div>
    ))}
  </dl>
);
