import type { AuditFilter } from '../api/people-queries.ts';

const NAMES = ['actor', 'action', 'since', 'until'] as const;
const MINUTE_MS = 60_000;
/** Characters of `2026-11-22T09:30`. */
const MINUTE_LENGTH = 16;

/** The filter that an address holds. What it holds of each is the portal's to check: a wrong one is said, not left out. */
export const filterOf = (search: URLSearchParams): AuditFilter =>
  Object.fromEntries(NAMES.flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : [])));

/** The address's parameters with another filter in it, and all else as it was. */
export function withFilter(search: URLSearchParams, filter: AuditFilter): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const name of NAMES) {
    const value = filter[name];
    if (value) next.set(name, value);
    else next.delete(name);
  }
  return next;
}

/** An ISO time as a field for the reader's own day and minute has it; empty for none, and for what is no time. */
export function toField(time: string | undefined): string {
  const date = new Date(time ?? NaN);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, MINUTE_LENGTH);
}

/** The ISO time of what such a field has; undefined for an empty one. */
export function fromField(value: string): string | undefined {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
