import type { AccountStore } from './account-store.ts';
import { readKeyNames } from './key-names.ts';

/** Keys whose names one answer reads: as many as sums of usage tell apart. Further ones stand by their ids alone. */
export const MAX_NAMED_KEYS = 500;

/** A key by its public id. */
interface KeyOf {
  readonly projectId: string;
  readonly keyId: string;
}

/** The present names of keys by their ids; null: the key has none, or is not known any more. */
export type KeyNames = ReadonlyMap<string, string | null>;

/**
 * Reads the names of keys, each key once: two sequential reads for those that were not asked for before, none else.
 *
 * @param most keys whose names are read, so that nobody makes the read expensive; further ones are not in the result
 */
export function keyNames(store: AccountStore, most = Infinity): (keys: Iterable<KeyOf>) => Promise<KeyNames> {
  const known = new Map<string, string | null>();
  return async (keys) => {
    const unknown = new Map<string, KeyOf>();
    for (const key of keys) if (!known.has(key.keyId)) unknown.set(key.keyId, key);
    const wanted = [...unknown.values()].slice(0, Math.max(0, most - known.size));
    const names = wanted.length === 0 ? [] : await readKeyNames(store, wanted);
    for (const [i, { keyId }] of wanted.entries()) known.set(keyId, names[i]?.name ?? null);
    return known;
  };
}

/** Adds to each the name of its key, from those that were read. */
export const withKeyNames = <T extends KeyOf>(
  events: readonly T[],
  names: KeyNames,
): (T & { keyName: string | null })[] => events.map((event) => ({ ...event, keyName: names.get(event.keyId) ?? null }));
