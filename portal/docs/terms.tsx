import type { ReactNode } from 'react';
import css from './docs.module.css';

interface Term {
  readonly name: ReactNode;
  readonly key: string;
  /** What it is, in few words, beside it. */
  readonly aside?: ReactNode;
  /** Empty: its name says all. */
  readonly meaning: ReactNode;
}

/** Names with what they mean, below each other. */
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
