import { Fragment, type ReactNode } from 'react';
import css from './card.module.css';
import sharedCss from '../styles/shared.module.css';

interface CardProps {
  readonly title?: ReactNode;
  /** Beside the title. */
  readonly action?: ReactNode;
  /** In the heading, below the title. */
  readonly below?: ReactNode;
  /** Without an inner margin: for a list. */
  readonly isFlush?: boolean;
  /** The footer, after a line. */
  readonly foot?: ReactNode;
  readonly children: ReactNode;
}

/** A surface with a border. */
export const Card = ({ title, action, below, isFlush = false, foot, children }: CardProps) => (
  <section className={css.card}>
    {(title !== undefined || action !== undefined) && (
      <header className={css.head}>
        <h2 className={css.title}>{title}</h2>
        {action}
        {below && <div className={css.below}>{below}</div>}
      </header>
    )}
    <div className={isFlush ? css.flush : css.body}>{children}</div>
    {foot && <footer className={css.foot}>{foot}</footer>}
  </section>
);

/** Cards side by side, as many as there is room for. */
export const Cards = ({ children }: { readonly children: ReactNode }) => <div className={css.cards}>{children}</div>;

/** Named facts below each other. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className={css.facts}>
    {facts.map(([name, value]) => (
      <Fragment key={name}>
        <dt className={css.name}>{name}</dt>
        <dd>{value}</dd>
      </Fragment>
    ))}
  </dl>
);

/** Elements side by side, which wrap. */
export const Row = ({ children }: { readonly children: ReactNode }) => <div className={css.row}>{children}</div>;

/** Elements below each other. */
export const Stack = ({ children }: { readonly children: ReactNode }) => <div className={css.stack}>{children}</div>;

/** Muted text. */
export const Muted = ({ children }: { readonly children: ReactNode }) => <span className={css.name}>{children}</span>;

/** Muted text on a line of its own. */
export const Below = ({ children }: { readonly children: ReactNode }) => <div className={css.name}>{children}</div>;

/** For screen readers only. */
export const Unseen = ({ children }: { readonly children: ReactNode }) => (
  <span className={sharedCss.unseen}>{children}</span>
);
