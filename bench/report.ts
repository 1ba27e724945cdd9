import { styleText } from 'node:util';
import { isColourful, table } from '../bin/cli/table.ts';
import type { BenchPart, Cell, Findings, Section } from './part.ts';

/** The report of one part of a run. */
export type PartReport = Findings & Omit<BenchPart, 'run'> & { readonly part: string; readonly seconds: number };

/** Formats one part for people: its tables and its notes. */
export function reportText({ title, measures, seconds, sections, notes = [] }: PartReport): string {
  const head = `${styleText('bold', title)} (${seconds.toFixed(0)} s)\n${measures}`;
  return `${[head, ...sections.map(sectionText), ...notes].join('\n\n')}\n\n`;
}

function sectionText({ heading, columns, rows }: Section): string {
  const cells = rows.map((row) => Object.keys(columns).map((key) => cellText(row[key])));
  return `${heading}\n${table(Object.values(columns), cells, isColourful(process.stdout, process.env))}`;
}

/** A benchmark is precise to three digits. Whole numbers are shown whole. */
function cellText(cell: Cell = ''): string {
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'object') return `${cellText(cell.median)} (${cellText(cell.low)}–${cellText(cell.high)})`;
  return Number.isInteger(cell) || Math.abs(cell) >= 100 ? cell.toFixed(0) : cell.toPrecision(3);
}
