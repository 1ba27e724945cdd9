import type { ItemKey } from '../shared/store/items.ts';
import type { AccountStore } from './account-store.ts';
import { replaceUnlessStale } from './conditional-writes.ts';
import { limitReached, StaleError, type RefusedError } from './refusals.ts';

/** The active keys of a project, or tokens of an account, by their ids. They stay here when they expire. */
export type ActiveEntries<Entry> = Readonly<Record<string, Entry>>;

/** The entries that have not expired at a moment. */
export const unexpiredEntries = <Entry>(
  entries: ActiveEntries<Entry>,
  nowMs: number,
  expiresAtMs: (entry: Entry) => number,
): ActiveEntries<Entry> =>
  Object.fromEntries(Object.entries(entries).filter(([, entry]) => nowMs < expiresAtMs(entry)));

/**
 * The refusal of one entry more, where there is no room. If some entries have expired, they are removed before the next
 * attempt, which decides; unless one changed meanwhile.
 */
export function refusalOfFull(
  store: AccountStore,
  { key, attribute }: { readonly key: ItemKey; readonly attribute: 'keys' | 'tokens' },
  { seen, alive }: Readonly<Record<'seen' | 'alive', ActiveEntries<unknown>>>,
  { what, line }: { readonly what: string; readonly line: string },
): RefusedError {
  if (Object.keys(alive).length === Object.keys(seen).length) return limitReached(line, 'Revoke one first.');
  const removal = { key, seen: { [attribute]: seen }, after: { [attribute]: alive } };
  return new StaleError(what, () => replaceUnlessStale(store, removal));
}
