import type { AccountStore, Change } from '../../accounts/store/account-store.ts';
import { commit, create } from '../../accounts/store/transact.ts';
import { putUnlessStale, updateOf, updateUnlessStale } from '../../accounts/store/writes.ts';
import { StaleError, type RefusedError } from '../../accounts/store/refusals.ts';
import { noticeItemKey } from '../../accounts/store/notice-items.ts';
import { MS_PER_DAY, MS_PER_HOUR, ttlAt } from '../../shared/clock.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { readTogether } from '../../shared/store/tables.ts';

/** A member gets one mail of a kind in this time: the first notice at once, later ones together. */
const FOLDED_MS = MS_PER_HOUR;
/** Further notices are a number in the next mail, and their messages end. */
const MAX_WAITING = 50;
const KEPT_MS = 8 * MS_PER_DAY;

/** Mails of one kind to one member of an account. */
export interface Fold {
  readonly accountId: string;
  readonly memberId: string;
  readonly kind: string;
}

interface StoredFold {
  /** Notices that come before this time wait. */
  readonly untilMs: number;
  /** The sources of the notices in this hour's mail. */
  readonly told: ReadonlySet<string>;
  readonly isSent?: boolean;
  readonly waiting?: ReadonlySet<string>;
  /** How many more wait, as a number. */
  readonly moreWaiting?: number;
  /** How many more this hour's mail tells of. */
  readonly more?: number;
}

/** A mail of one or more notices that is to be sent now. Its id is the same at each attempt. */
export interface FoldedMail {
  readonly id: string;
  readonly sources: readonly string[];
  readonly untilMs: number;
  /** Notices that it tells of as a number. */
  readonly more: number;
}

/**
 * What to do with a notice: send a mail now, perhaps with other notices; try again later; or nothing, since a mail with
 * it was sent.
 */
export type Folded = FoldedMail | { readonly waitMs: number } | 'told';

/**
 * Folds a notice into the mail of its hour. If that mail was not sent, or its sender died, the next call gets the mail
 * again: a call for one of its notices, or after the hour a call for any other, which must then call again. The mail
 * keeps its id, since it may have been sent.
 */
export async function foldMail(store: AccountStore, fold: Fold, source: string): Promise<Folded> {
  const nowMs = store.clock.now();
  const key = noticeItemKey.fold(fold.accountId, fold.memberId, fold.kind);
  const [stored, told] = (await readTogether(store, [
    key,
    noticeItemKey.told(fold.accountId, fold.memberId, source),
  ])) as [StoredFold?, object?];
  if (told) return 'told';
  if (stored?.told.has(source)) return stored.isSent ? 'told' : mailOf(fold, stored);
  if (stored && nowMs < stored.untilMs) {
    const isKnown = stored.waiting?.has(source) ?? false;
    if (!isKnown && (stored.waiting?.size ?? 0) >= MAX_WAITING) {
      if (await countOnce(store, fold, stored.untilMs, source)) return 'told';
    } else if (!isKnown) await wait(store, key, stored.untilMs, source);
    return { waitMs: stored.untilMs - nowMs };
  }
  if (stored && !stored.isSent) return mailOf(fold, stored);
  const next: StoredFold = {
    untilMs: nowMs + FOLDED_MS,
    told: new Set([...(stored?.waiting ?? []), source]),
    more: stored?.moreWaiting ?? 0,
  };
  const isOurs = await updateUnlessStale(store, {
    key,
    // A number that grew meanwhile would be lost with its messages.
    when: stored ? { untilMs: stored.untilMs, moreWaiting: stored.moreWaiting } : { untilMs: undefined },
    set: {
      ...next,
      ttl: ttlAt(nowMs + KEPT_MS),
      isSent: undefined,
      waiting: undefined,
      moreWaiting: undefined,
    },
  });
  // Another notice was first, and its hour has begun.
  return isOurs ? mailOf(fold, next) : foldMail(store, fold, source);
}

const mailOf = ({ kind, memberId }: Fold, { untilMs, told, more = 0 }: StoredFold): FoldedMail => ({
  id: `${kind}-${memberId}-${untilMs}`,
  sources: [...told].sort(),
  untilMs,
  more,
});

/**
 * Stores that the mail was sent, or will not be. Each notice is stored by itself first: the item of the fold forgets
 * them in the next hour, and the stream or the queue may deliver one again later.
 */
export async function noteFoldSent(store: AccountStore, fold: Fold, { untilMs, sources }: FoldedMail): Promise<void> {
  const ttl = ttlAt(store.clock.now() + KEPT_MS);
  await allFulfilled(
    sources.map((source) => {
      const key = noticeItemKey.told(fold.accountId, fold.memberId, source);
      return putUnlessStale(store, { ...key, ttl });
    }),
  );
  await updateUnlessStale(store, {
    key: noticeItemKey.fold(fold.accountId, fold.memberId, fold.kind),
    when: { untilMs },
    set: { isSent: true },
  });
}

/** If the hour has ended meanwhile, the condition fails, and the notice's next attempt finds the new hour. */
const wait = (store: AccountStore, key: ItemKey, untilMs: number, source: string) =>
  updateUnlessStale(store, { key, when: { untilMs }, add: { waiting: new Set([source]) } });

/**
 * Counts a notice beyond those that wait, once. Its message ends then. False: the hour has ended meanwhile, or it was
 * counted already.
 */
async function countOnce(store: AccountStore, fold: Fold, untilMs: number, source: string): Promise<boolean> {
  const stale = (): RefusedError => new StaleError('This mail');
  const ttl = ttlAt(store.clock.now() + KEPT_MS);
  const counted: Change = {
    write: {
      Update: updateOf(store, {
        key: noticeItemKey.fold(fold.accountId, fold.memberId, fold.kind),
        when: { untilMs },
        add: { moreWaiting: 1 },
      }),
    },
    refusal: stale,
  };
  try {
    await commit(store, [
      counted,
      create(store, { ...noticeItemKey.told(fold.accountId, fold.memberId, source), ttl }, stale),
    ]);
    return true;
  } catch (error) {
    if (error instanceof StaleError) return false;
    throw error;
  }
}
