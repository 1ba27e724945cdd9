import type { ReactNode } from 'react';
import { Segments } from '../components/segments.tsx';
import type { UsageView } from './address.ts';
import css from './range-bar.module.css';
import { RANGES, type Range } from './ranges.ts';

interface RangeBarProps {
  readonly range: Range;
  readonly addressOf: (changes: Partial<UsageView>) => string;
  /** At its end. */
  readonly children?: ReactNode;
}

/** The choice of the range of a page. */
export const RangeBar = ({ range, addressOf, children }: RangeBarProps) => (
  <div className={css.bar}>
    <Segments
      label="Range"
      value={range}
      segments={RANGES.map(([each, word]) => [each, word, addressOf({ range: each })])}
    />
    {children}
  </div>
);
