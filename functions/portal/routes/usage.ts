import type { Hono } from 'hono';
import * as v from 'valibot';
import { isoTime, MS_PER_DAY, MS_PER_HOUR } from '../../shared/rules/clock.ts';
import { DAY, HOUR, FIVE_MINUTES, roundedOutward } from '../../shared/rules/usage/usage-intervals.ts';
import { listedKeys, type TallyFigures } from '../../shared/rules/usage/usage-tally.ts';
import { retainedSince } from '../../usage/begun-series.ts';
import { readSeries } from '../../usage/usage-series.ts';
import type { Span } from '../contract/requests/lists.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { ManageUsageQuery, UsageQuery } from '../contract/requests/usage.ts';
import { READ_OF_SUMS } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { pathId } from '../paths.ts';
import { authorizeLedgerRead } from '../reads.ts';
import type { AuthorityDependencies } from '../session/authority.ts';

export interface UsageDependencies extends AuthorityDependencies {
  /** How long charged events and their sums are kept. */
  readonly usageRetentionDays: number;
}

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

/** Whether a span of usage has at most so many days. */
const isWithin = ({ since, until }: AskedSpan, maxDays: number): boolean => until - since <= maxDays * MS_PER_DAY;

/** Whether it is short enough for whole hours. */
export const isOfHours = (span: AskedSpan): boolean => isWithin(span, MAX_HOURS_DAYS);

/**
 * The query of usage, with its span: an end in the future is now, and without a beginning it has 24 hours. A span that
 * is too long, or begins before usage is kept, is refused.
 */
const spanned = (
  query: v.GenericSchema<unknown, v.InferOutput<typeof Span> & { by: By; keyId?: string | undefined }>,
  tooLong: string,
  nowMs: number,
  { usageRetentionDays }: UsageDependencies,
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

const querySchema = (nowMs: number, dependencies: UsageDependencies) =>
  spanned(UsageQuery, TOO_LONG_FOR_PAGE, nowMs, dependencies);
/** The same for programs. */
export const manageQuerySchema = (nowMs: number, dependencies: UsageDependencies) =>
  spanned(ManageUsageQuery, TOO_LONG, nowMs, dependencies);

/** Buckets without those that have no request: an empty project is told in a few bytes. */
export const withoutEmpty = <Bucket extends Pick<TallyFigures, 'requests'>>(buckets: readonly Bucket[]): Bucket[] =>
  buckets.filter(({ requests }) => requests > 0);

/** The length of a bucket. By key it is one that the page's charts have for such a span, so that the figures agree. */
function lengthOf(by: By, { since, until }: AskedSpan): keyof typeof LENGTHS {
  if (by !== 'key') return by;
  return until - since <= MS_PER_HOUR ? '5min' : until - since <= MS_PER_DAY ? 'hour' : 'day';
}

/** The usage of a project. */
export function usageRoutes(app: Hono<PortalEnvironment>, dependencies: UsageDependencies): void {
  addRoute(app, ROUTES.getUsage, READ_OF_SUMS, async (c) => {
    const { receivedAtMs: nowMs, runInBackground } = c.get('state');
    const { store, query } = await authorizeLedgerRead(c, dependencies, querySchema(nowMs, dependencies));
    const { by, keyId, ...given } = query;
    const step = lengthOf(by, given);
    const length = LENGTHS[step];
    const span = roundedOutward(length, { sinceMs: given.since, untilMs: given.until });
    const projectId = pathId(c, 'projectId');
    const { usageRetentionDays } = dependencies;
    const question = { projectId, span, by: length, keyId, nowMs, usageRetentionDays };
    const { series, storing } = await readSeries(store, question);
    runInBackground(storing);
    const { buckets, keys, ...figures } = series;
    return c.json({
      since: isoTime(span.sinceMs),
      until: isoTime(span.untilMs),
      by: step,
      ...figures,
      buckets: by === 'key' ? [] : withoutEmpty(buckets),
      ...(by === 'key' && listedKeys(keys)),
    });
  });
}
