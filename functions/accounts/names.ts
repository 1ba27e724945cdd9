import { itemKey } from '../shared/store/items.ts';
import { readBatches } from '../shared/store/tables.ts';
import type { AccountStore } from './store/account-store.ts';

/** The name of a key for people. */
export interface KeyName {
  /** Null: it has none. */
  readonly name: string | null;
  readonly lastFour: string;
}

interface KeyIds {
  readonly projectId: string;
  readonly keyId: string;
}

/**
 * The names of keys, ended ones included, in their order; null for one that was deleted. At most two sequential reads,
 * of two items for each different key. The caller must have checked that the projects are the reader's.
 */
export async function readKeyNames(store: AccountStore, keys: readonly KeyIds[]): Promise<(KeyName | null)[]> {
  const references = new Map(
    keys.map(({ projectId, keyId }) => [keyId, itemKey.keyReference(projectId, keyId)] as const),
  );
  const found = await readBatches<{ keyHash: string }>(store, [...references.values()]);
  const hashes = [...new Set(found.flatMap((reference) => reference?.keyHash ?? []))];
  const stored = await readBatches<Omit<KeyName, 'name'> & { readonly keyId: string; readonly name?: string }>(
    store,
    hashes.map(itemKey.apiKey),
  );
  const names = new Map(
    stored.flatMap((key) => (key ? [[key.keyId, { name: key.name ?? null, lastFour: key.lastFour }] as const] : [])),
  );
  return keys.map(({ keyId }) => names.get(keyId) ?? null);
}

/**
 * The number of keys whose names one answer reads: as many as sums of usage tell apart. Further keys are shown by their
 * ids.
 */
export const MAX_NAMED_KEYS = 500;

/** A key by its public id. */
interface KeyOf {
  readonly projectId: string;
  readonly keyId: string;
}

/** Present names by id. Null: the thing has no name, or does not exist any more. */
export type NamesById = ReadonlyMap<string, string | null>;

/** Reads the names of keys: two sequential reads for keys that were not read before, otherwise none. */
export const keyNames = (store: AccountStore, most?: number): ((keys: Iterable<KeyOf>) => Promise<NamesById>) =>
  remembering(
    ({ keyId }) => keyId,
    (keys) => readKeyNames(store, keys),
    most,
  );

/** Reads the names of projects by their ids, in one read. The caller must have checked that they are the reader's. */
export const projectNames = (store: AccountStore, most?: number): ((ids: Iterable<string>) => Promise<NamesById>) =>
  remembering(
    (projectId) => projectId,
    (ids) => readBatches<{ readonly name: string }>(store, ids.map(itemKey.project)),
    most,
  );

/**
 * Reads the name of each thing once, and returns all names that are known so far.
 * @param read reads things in their order
 * @param most the number of things whose names are read, so that nobody makes the read expensive. Further things are
 * not in the result
 */
function remembering<T>(
  idOf: (thing: T) => string,
  read: (things: readonly T[]) => Promise<readonly ({ readonly name: string | null } | null | undefined)[]>,
  most = Infinity,
): (things: Iterable<T>) => Promise<NamesById> {
  const known = new Map<string, string | null>();
  return async (things) => {
    const unknown = new Map<string, T>();
    for (const thing of things) if (!known.has(idOf(thing))) unknown.set(idOf(thing), thing);
    const wanted = [...unknown.values()].slice(0, Math.max(0, most - known.size));
    const found = wanted.length === 0 ? [] : await read(wanted);
    for (const [i, thing] of wanted.entries()) known.set(idOf(thing), found[i]?.name ?? null);
    return known;
  };
}

/** Adds to each the name of its key, from those that were read. */
export const withKeyNames = <T extends KeyOf>(
  events: readonly T[],
  names: NamesById,
): (T & { keyName: string | null })[] => events.map((event) => ({ ...event, keyName: names.get(event.keyId) ?? null }));
