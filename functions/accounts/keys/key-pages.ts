import type { KeyState } from '../../shared/choices.ts';
import { isoTime } from '../../shared/time.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { untilBefore, itemKey, type ItemKey } from '../../shared/store/items.ts';
import { BATCH_SIZE, queryOf, readBatches, readItem, readPage } from '../../shared/store/tables.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { AccountStore } from '../store/account-store.ts';
import { endMsOf, KEPT_AFTER_END_MS, NEVER, type KeyListing, type KeyPosition } from './listed-keys.ts';
import type { StoredKey } from './stored-keys.ts';
import { readProject, requireShown, type StoredProject } from '../projects/stored-projects.ts';

/** A filter for a project's keys. */
export interface KeyPageQuery {
  /** Undefined: all of them, active ones first. */
  readonly state?: KeyState | undefined;
  readonly limit: number;
  /** Only those with an earlier end than this position, so after it in the list: {@link KeyPage.next} of a page. */
  readonly before?: string | undefined;
}

/** Some of a project's keys. */
export interface KeyPage {
  readonly keys: readonly StoredKey[];
  /** The start of the next page; undefined: there is none. */
  readonly next: string | undefined;
}

/** Sorts after every key id. */
const LAST = '~';

/**
 * A page of a project's keys, the latest end first. Its cost depends on what it shows. It takes two sequential reads.
 * Keys that ended more than 90 days ago are omitted. Throws `RefusedError` when the account has no such project.
 */
export async function readKeyPage(
  store: AccountStore,
  accountId: string,
  projectId: string,
  query: KeyPageQuery,
): Promise<KeyPage> {
  const [project, listings] = await allFulfilled([
    readItem<StoredProject>(store, itemKey.project(projectId)),
    readListings(store, accountId, projectId, query),
  ]);
  requireShown(store, projectId, project);
  const page = pageOf(listings, query.limit);
  const keys = await readKeys(store, page.entries);
  return { keys: keys.filter((key) => isIn(store, key, query.state)), next: page.next };
}

/**
 * The most keys that are read to find those that end: twenty with a predecessor each, all that people can have in a
 * project.
 */
const MOST_LOOKED_AT = 40;

/** Chooses among the keys that end. */
export interface EndingQuery {
  readonly untilMs: number;
  readonly limit: number;
  readonly isWanted: (key: StoredKey) => boolean;
}

/**
 * The keys of a project that end until a moment, the earliest first: those that expire, and those in their grace after
 * a rotation. It takes two sequential reads of at most `limit` keys, and a third one if some of these are not wanted.
 * It may miss keys if there are more than {@link MOST_LOOKED_AT}.
 */
export async function readKeysEnding(
  store: AccountStore,
  accountId: string,
  projectId: string,
  { untilMs, limit, isWanted }: EndingQuery,
): Promise<StoredKey[]> {
  const nowMs = store.clock.now();
  const { pk, sk: prefix } = accountItemKey.keyListing(accountId, projectId, '');
  const [since, until] = [prefix + isoTime(nowMs + 1), `${prefix}${isoTime(untilMs)}#${LAST}`];
  const entries = await readEntries(store, { pk, since, until, prefix, limit: MOST_LOOKED_AT, isForward: true });
  const read = async (some: readonly Entry[]): Promise<StoredKey[]> =>
    (await readKeys(store, some)).filter((key) => isIn(store, key, 'active') && isWanted(key));
  const first = await read(entries.slice(0, limit));
  const more = first.length < limit ? await read(entries.slice(limit, MOST_LOOKED_AT)) : [];
  return [...first, ...more].toSorted((one, other) => endMsOf(one) - endMsOf(other)).slice(0, limit);
}

/** A key in a list. */
interface Entry {
  readonly keyHash: string;
  readonly position: KeyPosition;
}

const pageOf = (entries: readonly Entry[], limit: number) => {
  const shown = entries.slice(0, limit);
  return { entries: shown, next: entries.length > limit ? shown.at(-1)?.position : undefined };
};

/** Reads the listings of a page, and one more if it exists, in the caller's account only. */
async function readListings(
  store: AccountStore,
  accountId: string,
  projectId: string,
  { state, limit, before }: KeyPageQuery,
): Promise<Entry[]> {
  const nowMs = store.clock.now();
  const { pk, sk: prefix } = accountItemKey.keyListing(accountId, projectId, '');
  const at = (position: KeyPosition): string => prefix + position;
  const since = at(isoTime(state === 'active' ? nowMs + 1 : nowMs - KEPT_AFTER_END_MS + 1));
  const until = at(`${state === 'ended' ? isoTime(nowMs) : NEVER}#${LAST}`);
  const entries = await readEntries(store, {
    pk,
    since,
    until: untilBefore({ since, until }, before === undefined ? undefined : at(before)),
    prefix,
    limit,
    isForward: false,
  });
  return entries.filter(({ position }) => position !== before);
}

interface EntryQuery {
  readonly pk: string;
  /** Sort keys, both included. */
  readonly since: string;
  readonly until: string;
  /** The prefix of the sort keys, before the position. */
  readonly prefix: string;
  readonly limit: number;
  readonly isForward: boolean;
}

async function readEntries(store: AccountStore, query: EntryQuery): Promise<Entry[]> {
  const { pk, since, until, prefix, limit, isForward } = query;
  const items = await readPage<KeyListing>(store, {
    ...queryOf(store.tables.gateway, pk, { since, until }),
    ScanIndexForward: isForward,
    // The last one of the previous page is read again, and one more shows whether there are more.
    Limit: limit + 2,
  });
  return items.map(({ sk, keyHash }) => ({ keyHash, position: sk.slice(prefix.length) }));
}

async function readKeys(store: AccountStore, entries: readonly Entry[]): Promise<StoredKey[]> {
  // Each key once, as a batch requires. A key may have two listings while it moves.
  const keys: ItemKey[] = [...new Set(entries.map(({ keyHash }) => keyHash))].map(itemKey.apiKey);
  // A key may have got another secret, or been deleted, between the two reads.
  return (await readBatches<StoredKey>(store, keys)).filter((key) => key !== undefined);
}

/** Whether a key belongs to a list now: its listing may be a moment old, or by another clock. */
function isIn({ clock }: AccountStore, key: StoredKey, state: KeyState | undefined): boolean {
  const nowMs = clock.now();
  const hasEnded = key.status !== 'active' || nowMs >= endMsOf(key);
  if (nowMs >= endMsOf(key) + KEPT_AFTER_END_MS) return false;
  return state === undefined || hasEnded === (state === 'ended');
}

/**
 * The keys of a project. The next page is read when the iteration needs it. Throws `RefusedError` for an unknown
 * project.
 */
export async function* listKeys(store: AccountStore, projectId: string, state?: KeyState): AsyncGenerator<StoredKey> {
  const { accountId } = await readProject(store, projectId);
  let before: string | undefined;
  do {
    const page = await readKeyPage(store, accountId, projectId, { state, limit: BATCH_SIZE, before });
    yield* page.keys;
    before = page.next;
  } while (before !== undefined);
}
