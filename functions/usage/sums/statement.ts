import { createHash } from 'node:crypto';
import { firstKeyOf, ownPeriodOf } from '../../shared/request/cap-period.ts';
import { isoTime, dayOf } from '../../shared/time.ts';
import type { IntervalLength } from './intervals.ts';
import { OTHER_KEYS, type KeyFigures } from './tally.ts';

/** One day of a month, or one hour of a day. */
export interface StatementRow {
  readonly startMs: number;
  readonly units: number;
  /** All requests with an event; null: only the charged ones are known, since others are kept for 30 days. */
  readonly requests: number | null;
}

/** The rows of a period, and what its counter shows. */
export interface Statement {
  readonly projectId: string;
  /** Such as `2026-11`. */
  readonly periodId: string;
  /** What each key was used for. */
  readonly keys: readonly KeyFigures[];
  readonly by: IntervalLength;
  /** Oldest first. */
  readonly rows: readonly StatementRow[];
  /** Units on the quota counter; null: it holds no number. */
  readonly counter: number | null;
  readonly state: 'balanced' | 'different' | 'counting';
  /** The caps of keys under which something was counted in the period. */
  readonly caps: readonly { readonly capId: string; readonly units: number }[];
}

const LINE_END = '\r\n';

/**
 * A period's statement as a table (RFC 4180): project and period, a row for each day or hour, then the counter, the sum
 * of the rows, the same sum by key, the units under each cap, and whether counter and sum agree. The last row is the
 * SHA-256 of everything before it, line ends included. A period that is over gives the same bytes each time.
 */
export function statementCsv({ projectId, periodId, by, rows, keys, counter, state, caps }: Statement): string {
  const isWhole = rows.every(({ requests }) => requests !== null);
  const table = [
    ['project', projectId, null],
    ['period', periodId, null],
    [by.kind === 'DAY' ? 'day' : 'hour', 'units', 'requests'],
    ...rows.map(({ startMs, units, requests }) => [timeOf(startMs, by), units, requests]),
    ['counter', counter, null],
    ['sum', sumOf(rows.map(({ units }) => units)), sumOf(rows.map(({ requests }) => requests))],
    ...keys.map(({ keyId, units, requests }) => [
      keyId === OTHER_KEYS ? 'other keys' : `key ${keyId}`,
      units,
      isWhole ? requests : null,
    ]),
    ...caps.map(({ capId, units }) => [capName(capId), units, null]),
    ['state', state, null],
  ];
  const text = table.map((cells) => lineOf(cells)).join('');
  return text + lineOf(['sha256', createHash('sha256').update(text).digest('hex'), null]);
}

/** By the first key that had it, such as `cap key_… by week`, or alone where it counts by the quota's period. */
function capName(capId: string): string {
  const period = ownPeriodOf(capId);
  const per = period === undefined ? '' : period === 'once' ? ' once' : ` by ${period}`;
  return `cap ${firstKeyOf(capId)}${per}`;
}

/** No cell has a comma, a quote or a line end. */
const lineOf = (cells: readonly (string | number | null)[]): string =>
  cells.map((cell) => cell ?? '').join(',') + LINE_END;

/** `2026-11-21`, or `2026-11-21T09:00Z`. */
const timeOf = (startMs: number, { kind }: IntervalLength): string =>
  kind === 'DAY' ? dayOf(startMs) : `${isoTime(startMs).slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`;

/** Null if one of them is not known. */
const sumOf = (counts: readonly (number | null)[]): number | null =>
  counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);
