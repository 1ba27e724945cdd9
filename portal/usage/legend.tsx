import type { ReactNode } from 'react';
import css from './legend.module.css';

export interface LegendProps {
  /** The time of the figures. */
  readonly of: string;
  /** What a press does. */
  readonly hint?: string | undefined;
  /** The entries, each with its mark, words and figure. */
  readonly entries: readonly (readonly [mark: ReactNode, words: string, figure: string])[];
}

/** The meaning of a chart's marks, each with its figure: for the whole, or for the time that is pointed at. */
export const Legend = ({ of: time, hint, entries }: LegendProps) => (
  <div className={css.legend}>
    <p className={css.time}>
      {time}
      {hint !== undefined && <span className={css.hint}> {hint}</span>}
    </p>
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

/** A line in the style of the chart of latencies. */
export const LineMark = ({ isDashed = false }: { readonly isDashed?: boolean }) => (
  <i className={isDashed ? css.dashed : css.line} />
);
