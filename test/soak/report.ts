import { styleText } from 'node:util';
import { facts } from '../../bin/admin/text.ts';
import type { Figures } from './part.ts';

/** How one part ended. */
export interface PartResult {
  readonly part: string;
  readonly promise: string;
  readonly seed: number;
  readonly seconds: number;
  readonly figures: Figures;
  /** Absent: the promise held. */
  readonly failure?: string;
}

/** One part for people, in colours on a terminal. */
export function resultText({ part, promise, seed, seconds, figures, failure }: PartResult): string {
  const label = failure === undefined ? styleText('green', 'ok  ') : styleText('red', 'FAIL');
  const shown = facts({ ...figures, seconds: seconds.toFixed(1), seed });
  return `${label}  ${part}: ${promise}\n${indent(shown)}\n${failure === undefined ? '' : `${indent(failure)}\n`}`;
}

const indent = (text: string): string => text.replaceAll(/^/gm, '      ');
