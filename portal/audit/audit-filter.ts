import type { AuditFilter } from '../api/people-queries.ts';

const NAMES = ['actor', 'action', 'since', 'until'] as const;

/** The filter in an address. The portal checks its values: a wrong value is reported, and not ignored. */
export const filterOf = (search: URLSearchParams): AuditFilter =>
  Object.fromEntries(NAMES.flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : [])));

/** The address's parameters with another filter, and everything else unchanged. */
export function withFilter(search: URLSearchParams, filter: AuditFilter): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const name of NAMES) {
    const value = filter[name];
    if (value) next.set(name, value);
    else next.delete(name);
  }
  return next;
}
