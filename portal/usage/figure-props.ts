import type { Usage } from '../api/schemas.ts';
import type { Labels } from './labels.ts';
import type { Slot } from './ranges.ts';

/** The properties of every figure of usage. */
export interface FigureProps {
  readonly usage: Usage;
  /** It is being read: there are only the axes. */
  readonly isPending: boolean;
  readonly slots: readonly Slot<Usage['buckets'][number]>[];
  readonly labels: Labels;
  /** The range in words: `the last 24 hours`. */
  readonly words: string;
  /** The position that is pointed at, in all figures at once. */
  readonly at: number | undefined;
  readonly onPoint: (at: number | undefined) => void;
  readonly isTable?: boolean;
  readonly onTurn?: (isTable: boolean) => void;
}
