import type { ReactNode } from 'react';
import css from './legend.module.css';

interface LegendProps {
  /** Of what time the figures are. */
  readonly of: string;
  /** Each with its mark, its words and its figure. */
  readonly entries: readonly (readonly [mark: ReactNode, words: string, figure: string])[];
}

/** What the marks of a chart mean, each with its figure: of the whole, or of the time that is pointed at. */
export const Legend = ({ of: time, entries }: LegendProps) => (
  <div className={css.legend}>
    <p className={css.time}>{time}</p>
    <ul className={css.entries}>
      {entries.map(([mark, words, figure]) => (
        <li key={words} className={css.entry}>
          {mark}
          {words} <b>{figure}</b>
        </li>
      ))}
    </ul>
  </div>
);

/** A line as the chart of latencies draws it. */
export const LineMark = ({ isDashed = false }: { readonly isDashed?: boolean }) => (
  <i className={isDashed ? css.dashed : css.line} />
);
