import * as v from 'valibot';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { readKeyNames } from '../../accounts/names.ts';
import { isoTime, MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../../shared/time.ts';
import { DAY, FIVE_MINUTES, HOUR, roundedOutward } from '../../usage/sums/intervals.ts';
import { listedKeys, type KeyFigures, type TallyFigures } from '../../usage/sums/tally.ts';
import { retainedSince } from '../../usage/sums/begun-series.ts';
import { readSeries } from '../../usage/sums/usage-series.ts';
import type { Span } from '../contract/lists.ts';
import { MANAGE_CONTRACT } from '../contract/manage.ts';
import { ManageUsageQuery, usageContract, UsageQuery } from '../contract/usage.ts';
import { serveToken } from '../serve/token-authority.ts';
import { serve, type Asked, type Known } from '../serve/serve.ts';

const LENGTHS = { '5min': FIVE_MINUTES, hour: HOUR, day: DAY } as const;
const MAX_SPAN_DAYS = 400;
/** By hour, and with parts of five minutes. */
const MAX_HOURS_DAYS = 31;
const MAX_PARTS_DAYS = 1;
const DEFAULT_SPAN_MS = MS_PER_DAY;
/** The refusal of a longer one: to programs, which have no parts of five minutes, and to the page. */
const TOO_LONG = `A span is at most ${MAX_SPAN_DAYS} days, and by hour at most ${MAX_HOURS_DAYS}.`;
const TOO_LONG_FOR_PAGE = `A span is at most ${MAX_SPAN_DAYS} days, by hour at most ${MAX_HOURS_DAYS} and by 5min at most one.`;

type By = keyof typeof LENGTHS | 'key';
interface AskedSpan {
  readonly since: number;
  readonly until: number;
}

/** Whether a span of usage has at most so many days. Who asks for the last ones has counted back some time ago. */
const isWithin = ({ since, until }: AskedSpan, maxDays: number): boolean =>
  until - since <= maxDays * MS_PER_DAY + MS_PER_MINUTE;

/** Whether it is short enough for whole hours. */
const isOfHours = (span: AskedSpan): boolean => isWithin(span, MAX_HOURS_DAYS);

/**
 * The query of usage, with its span: an end in the future is now, and without a beginning it has 24 hours. A span that
 * is too long, or begins before usage is kept, is refused.
 */
const spanned = <ByOf extends By>(
  query: v.GenericSchema<unknown, v.InferOutput<typeof Span> & { by: ByOf; keyId?: string | undefined }>,
  tooLong: string,
  { nowMs, dependencies: { usageRetentionDays } }: Known,
) =>
  v.pipe(
    query,
    v.transform(({ since, until = Infinity, ...asked }) => {
      const untilMs = Math.min(until, nowMs);
      return { ...asked, since: Math.min(since ?? untilMs - DEFAULT_SPAN_MS, untilMs), until: untilMs };
    }),
    v.forward(
      v.check((span) => {
        const maxDays = span.by === '5min' ? MAX_PARTS_DAYS : span.by === 'hour' ? MAX_HOURS_DAYS : MAX_SPAN_DAYS;
        return isWithin(span, maxDays);
      }, tooLong),
      ['since'],
    ),
    v.forward(
      v.check(
        ({ since }) => since >= retainedSince({ nowMs, usageRetentionDays }),
        `Usage is kept for ${usageRetentionDays} days: begin later.`,
      ),
      ['since'],
    ),
  );

const usageQuery = (known: Known) => spanned(UsageQuery, TOO_LONG_FOR_PAGE, known);
/** The same for programs. */
const manageUsageQuery = (known: Known) => spanned(ManageUsageQuery, TOO_LONG, known);

/** Buckets without those that have no request: an empty project is told in a few bytes. */
const withoutEmpty = <Bucket extends Pick<TallyFigures, 'requests'>>(buckets: readonly Bucket[]): Bucket[] =>
  buckets.filter(({ requests }) => requests > 0);

/** The length of a bucket. By key it is one that the page's charts have for such a span, so that the figures agree. */
function lengthOf(by: By, { since, until }: AskedSpan): keyof typeof LENGTHS {
  if (by !== 'key') return by;
  return until - since <= MS_PER_HOUR ? '5min' : until - since <= MS_PER_DAY ? 'hour' : 'day';
}

/** The sums of a span in parts of a length, to which it is rounded. */
async function sums(
  { c, store, id, input, nowMs, dependencies }: Asked<AskedSpan & { readonly keyId?: string | undefined }>,
  by: keyof typeof LENGTHS,
) {
  const span = roundedOutward(LENGTHS[by], { sinceMs: input.since, untilMs: input.until });
  const { usageRetentionDays } = dependencies;
  const question = { projectId: id('projectId'), span, by: LENGTHS[by], keyId: input.keyId, nowMs, usageRetentionDays };
  const { series, storing, isAsStored } = await readSeries(store, question);
  c.get('state').runInBackground(storing);
  const isPast =
    span.untilMs + LENGTHS[by].closesAfterMs <= nowMs && span.sinceMs >= nowMs - usageRetentionDays * MS_PER_DAY;
  /** Whether no later answer has other figures: all is summed, its time is over, and the sums are stored. */
  const isClosed = async (): Promise<boolean> =>
    series.complete &&
    isPast &&
    isAsStored &&
    storing.then(
      () => true,
      () => false,
    );
  return { since: isoTime(span.sinceMs), until: isoTime(span.untilMs), isClosed, ...series };
}

/** The usage of a project. */
export const usageRoutes = [
  serve(
    usageContract.getUsage,
    async (asked) => {
      const isByKey = asked.input.by === 'key';
      const by = lengthOf(asked.input.by, asked.input);
      const { buckets, keys, unitsOf, refusals, isClosed: _, ...figures } = await sums(asked, by);
      if (!isByKey) return { ...figures, by, buckets: withoutEmpty(buckets), refusals };
      const listed = listedKeys(keys);
      if (by !== 'day' || !isOfHours(asked.input)) return { ...figures, by, buckets: [], ...listed };
      const withDays = listed.keys.map((key) => ({ ...key, days: unitsOf(key.keyId) }));
      return { ...figures, by, buckets: [], ...listed, keys: withDays };
    },
    usageQuery,
  ),
];

/** The same for programs. */
export const manageUsageRoutes = [
  serveToken(
    MANAGE_CONTRACT.readUsage,
    async (asked) => {
      const { by } = asked.input;
      const length = by === 'key' ? (isOfHours(asked.input) ? 'hour' : 'day') : by;
      const { since, until, complete, isClosed, remaining, total, ...series } = await sums(asked, length);
      const figures = { since, until, by, complete, closed: await isClosed(), remaining, total };
      if (by !== 'key') return { ...figures, buckets: withoutEmpty(series.buckets) };
      const { keys, others } = listedKeys(series.keys);
      return { ...figures, keys: await withNames(asked.store, asked.id('projectId'), keys), others };
    },
    manageUsageQuery,
  ),
];

/** Each key with its name; null: it has none, or was deleted. */
async function withNames(store: AccountStore, projectId: string, keys: readonly KeyFigures[]) {
  const names = await readKeyNames(
    store,
    keys.map(({ keyId }) => ({ projectId, keyId })),
  );
  return keys.map(({ keyId, ...figures }, i) => ({ keyId, name: names[i]?.name ?? null, ...figures }));
}
