import type { AccountStore } from '../accounts/account-store.ts';
import { isoTime, MS_PER_DAY } from '../core/clock.ts';
import { DAY, piecesOf, startOf } from '../core/usage-stretches.ts';
import type { Bounds, StretchLength, Stretches } from '../core/usage-stretches.ts';
import { countedEvents, type StoredCountedEvent } from './counted-events.ts';
import type { ItemPage } from './pages.ts';
import { rollupPages, type StoredRollup } from './rollup-items.ts';

/** Events of 0 units are kept as long, charged ones for longer unless a stage says otherwise. */
const FREE_EVENT_RETENTION_DAYS = 30;

/** What is asked of a project's usage. */
export interface UsageQuestion {
  readonly projectId: string;
  /** Whole buckets, up to the end of the one under way at most. */
  readonly span: Bounds;
  /** How much time a bucket is. */
  readonly by: StretchLength;
  /** Only what was done with this key. */
  readonly keyId?: string | undefined;
  /** When it was asked: what is closed and what is under way goes by it, and how long the answer may take. */
  readonly nowMs: number;
  readonly usageRetentionDays: number;
}

/** Pages of which the first one is read. */
interface BegunPages<T> {
  readonly first: IteratorResult<ItemPage<T>, unknown>;
  readonly others: AsyncGenerator<ItemPage<T>>;
}

/** What one round trip found: first pages of what is kept, and of the events that others may still join. */
export interface BegunSeries {
  readonly kept: readonly { readonly stretches: Stretches; readonly pages: BegunPages<StoredRollup> }[];
  readonly open: { readonly bounds: Bounds; readonly pages: BegunPages<StoredCountedEvent> } | undefined;
}

/** Reads what is kept of a span, and the events that are not closed yet: in one round trip, of each at most 1 MB. */
export async function beginSeries(store: AccountStore, question: UsageQuestion): Promise<BegunSeries> {
  const { projectId, by, span, nowMs } = question;
  const { closed, open } = piecesOf(by, { ...span, sinceMs: Math.max(span.sinceMs, retainedSince(question)) }, nowMs);
  const readKept = async (stretches: Stretches) => ({
    stretches,
    pages: await begin(rollupPages(store, projectId, stretches)),
  });
  const readOpen = async (bounds: Bounds) => ({
    bounds,
    pages: await begin(countedEvents(store, projectId, isoTime(bounds.sinceMs), bounds.untilMs)),
  });
  const [kept, openEvents] = await Promise.all([
    Promise.all(closed.map(readKept)),
    open.sinceMs < open.untilMs ? readOpen(open) : undefined,
  ]);
  return { kept, open: openEvents };
}

/** The first day of which there may be events. */
export const retainedSince = ({ nowMs, usageRetentionDays }: UsageQuestion): number =>
  startOf(DAY, nowMs - Math.max(usageRetentionDays, FREE_EVENT_RETENTION_DAYS) * MS_PER_DAY);

const begin = async <T>(others: AsyncGenerator<ItemPage<T>>): Promise<BegunPages<T>> => ({
  first: await others.next(),
  others,
});

/** All pages, the others read as they are taken. */
export async function* pagesOf<T>({ first, others }: BegunPages<T>): AsyncGenerator<ItemPage<T>> {
  if (!first.done) yield first.value;
  yield* others;
}
