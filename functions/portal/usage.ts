import type { Hono } from 'hono';
import * as v from 'valibot';
import { countRead } from '../accounts/request-rate.ts';
import { readProject } from '../accounts/stored-projects.ts';
import { isoTime, MS_PER_DAY } from '../core/clock.ts';
import { DAY, HOUR, PART, roundedOutward } from '../core/usage-stretches.ts';
import { beginSeries } from '../usage/begun-series.ts';
import { finishSeries } from '../usage/usage-series.ts';
import type { PortalContext, PortalEnvironment } from './environment.ts';
import { Time } from './fields.ts';
import { readQuery, type Schema } from './input.ts';
import { pathId } from './paths.ts';
import { beside, planeOf, readAsMember, readPerson, type AuthorityDependencies } from './session/authority.ts';

export interface UsageDependencies extends AuthorityDependencies {
  /** How long charged events are kept, and with them what was summed of them. */
  readonly usageRetentionDays: number;
}

const USAGE = '/api/accounts/:accountId/projects/:projectId/usage';
const LENGTHS = { '5min': PART, hour: HOUR, day: DAY } as const;
const BY = Object.keys(LENGTHS) as (keyof typeof LENGTHS)[];
const MAX_SPAN_DAYS = 400;
/** By five minutes. */
const MAX_PARTS_DAYS = 1;
const DEFAULT_SPAN_MS = MS_PER_DAY;
const BACKWARDS = 'The span ends before it begins.';
const TOO_LONG = `A span is at most ${MAX_SPAN_DAYS} days, and by 5min at most one.`;

const querySchema = (nowMs: number) =>
  v.pipe(
    v.object({
      since: v.optional(Time),
      until: v.optional(Time),
      by: v.optional(v.picklist(BY, `Give one of ${BY.join(', ')}.`), 'hour'),
      keyId: v.optional(v.pipe(v.string(), v.regex(/^key_[0-9A-Za-z]{16}$/, 'Give the id of a key.'))),
    }),
    v.forward(
      v.check(({ since, until }) => since === undefined || until === undefined || since <= until, BACKWARDS),
      ['until'],
    ),
    v.transform(({ since, until = nowMs, ...asked }) => {
      const untilMs = Math.min(until, nowMs);
      return { ...asked, since: Math.min(since ?? untilMs - DEFAULT_SPAN_MS, untilMs), until: untilMs };
    }),
    v.forward(
      v.check(
        ({ since, until, by }) => until - since <= (by === '5min' ? MAX_PARTS_DAYS : MAX_SPAN_DAYS) * MS_PER_DAY,
        TOO_LONG,
      ),
      ['since'],
    ),
  );

/** What the requests of a project come to. */
export function usageRoutes(app: Hono<PortalEnvironment>, dependencies: UsageDependencies): void {
  app.get(USAGE, async (c) => {
    const { receivedAtMs: nowMs, beside: besideAnswer } = c.get('state');
    const { by, keyId, ...given } = await readQueryOfPerson(c, dependencies, querySchema(nowMs));
    const span = roundedOutward(LENGTHS[by], { sinceMs: given.since, untilMs: given.until });
    const projectId = pathId(c, 'projectId');
    const { usageRetentionDays, limits } = dependencies;
    const question = { projectId, span, by: LENGTHS[by], keyId, nowMs, usageRetentionDays };
    const { person, membership, data } = await readAsMember(c, dependencies, pathId(c, 'accountId'), (plane) =>
      beside(readProject(plane, projectId), beginSeries(plane, question)),
    );
    const { userId } = person.user;
    const plane = planeOf(c, dependencies, userId, membership);
    // Before, not beside: who reads too often makes us sum nothing.
    await countRead(plane, { userId, limits });
    const { series, keeping } = await finishSeries(plane, question, data[1]);
    besideAnswer.push(keeping);
    return c.json({ since: isoTime(span.sinceMs), until: isoTime(span.untilMs), by, ...series });
  });
}

/** Reads a query; refuses a wrong one only to somebody who is signed in. */
async function readQueryOfPerson<T>(
  c: PortalContext,
  dependencies: AuthorityDependencies,
  schema: Schema<T>,
): Promise<T> {
  try {
    return readQuery(c, schema);
  } catch (error) {
    await readPerson(c, dependencies);
    throw error;
  }
}
