import { styleText } from 'node:util';
import { isColourful, table } from '../bin/admin/text.ts';
import type { Cell, Findings, Section, Target } from './part.ts';

/** What one part of a run has to say. */
export interface PartReport {
  readonly part: string;
  readonly title: string;
  readonly measures: string;
  readonly seconds: number;
  readonly findings: Findings;
}

/** Whether a figure keeps its bound. */
const isReached = ({ value, atMost = Infinity, atLeast = -Infinity }: Target): boolean =>
  value <= atMost && value >= atLeast;

/** One part for people: its tables, its notes, and each target with whether it was reached. */
export function reportText({ title, measures, seconds, findings }: PartReport): string {
  const { sections, targets, notes = [] } = findings;
  const head = `${styleText('bold', title)} (${seconds.toFixed(0)} s)\n${measures}`;
  const blocks = [head, ...sections.map(sectionText), ...notes];
  if (targets.length > 0) blocks.push(targets.map(targetText).join('\n'));
  return `${blocks.join('\n\n')}\n\n`;
}

/** The same for scripts: with every target its verdict. */
export const reportJson = ({ findings: { sections, targets, notes = [] }, ...report }: PartReport): object => ({
  ...report,
  sections,
  targets: targets.map((target) => ({ ...target, reached: isReached(target) })),
  notes,
});

function sectionText({ heading, columns, rows }: Section): string {
  const cells = rows.map((row) => Object.keys(columns).map((key) => cellText(row[key] ?? '')));
  return `${heading}\n${table(Object.values(columns), cells, isColourful(process.stdout, process.env))}`;
}

function targetText(target: Target): string {
  const { what, value, atMost, atLeast } = target;
  const bound = atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`;
  const verdict = isReached(target) ? styleText('green', 'reached    ') : styleText('red', 'not reached');
  return `${verdict}  ${what}: ${numberText(value)} (target ${bound})`;
}

function cellText(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'number') return numberText(cell);
  return `${numberText(cell.median)} (${numberText(cell.low)}–${numberText(cell.high)})`;
}

/** Three digits say what a benchmark knows; whole numbers are shown whole. */
const numberText = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
