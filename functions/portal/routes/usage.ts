import type { Hono } from 'hono';
import * as v from 'valibot';
import { isoTime, MS_PER_DAY, MS_PER_HOUR } from '../../shared/rules/clock.ts';
import { DAY, HOUR, FIVE_MINUTES, roundedOutward } from '../../shared/rules/usage/usage-intervals.ts';
import { OTHER_KEYS } from '../../shared/rules/usage/usage-tally.ts';
import { readSeries } from '../../usage/usage-series.ts';
import type { Span } from '../contract/requests/lists.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { UsageQuery } from '../contract/requests/usage.ts';
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
/** With parts of five minutes. */
const MAX_PARTS_DAYS = 1;
const DEFAULT_SPAN_MS = MS_PER_DAY;
/** The refusal of a longer one: to programs, which have no parts of five minutes, and to the page. */
export const TOO_LONG = `A span is at most ${MAX_SPAN_DAYS} days.`;
const TOO_LONG_FOR_PAGE = `A span is at most ${MAX_SPAN_DAYS} days, and by 5min at most one.`;

/** The span of usage is normalised: an end in the future is now, and without a beginning it has 24 hours. */
export function usageSpan({ since, until = Infinity }: v.InferOutput<typeof Span>, nowMs: number) {
  const untilMs = Math.min(until, nowMs);
  return { since: Math.min(since ?? untilMs - DEFAULT_SPAN_MS, untilMs), until: untilMs };
}

/** Whether a span of usage is short enough. */
export const isShort = ({ since, until }: ReturnType<typeof usageSpan>, maxDays = MAX_SPAN_DAYS): boolean =>
  until - since <= maxDays * MS_PER_DAY;

const querySchema = (nowMs: number) =>
  v.pipe(
    UsageQuery,
    v.transform((asked) => ({ ...asked, ...usageSpan(asked, nowMs) })),
    v.forward(
      v.check((asked) => isShort(asked, asked.by === '5min' ? MAX_PARTS_DAYS : MAX_SPAN_DAYS), TOO_LONG_FOR_PAGE),
      ['since'],
    ),
  );

/** The length of a bucket. By key it is one that the page's charts have for such a span, so that the figures agree. */
function lengthOf(
  by: keyof typeof LENGTHS | 'key',
  { since, until }: { readonly since: number; readonly until: number },
): keyof typeof LENGTHS {
  if (by !== 'key') return by;
  return until - since <= MS_PER_HOUR ? '5min' : until - since <= MS_PER_DAY ? 'hour' : 'day';
}

/** The usage of a project. */
export function usageRoutes(app: Hono<PortalEnvironment>, dependencies: UsageDependencies): void {
  addRoute(app, ROUTES.getUsage, READ_OF_SUMS, async (c) => {
    const { receivedAtMs: nowMs, runInBackground } = c.get('state');
    const { store, query } = await authorizeLedgerRead(c, dependencies, querySchema(nowMs));
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
      buckets: by === 'key' ? [] : buckets,
      ...(by === 'key' && {
        keys: keys.map((key) => ({ ...key, keyId: key.keyId === OTHER_KEYS ? null : key.keyId })),
      }),
    });
  });
}
