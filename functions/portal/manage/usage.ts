import type { Hono } from 'hono';
import type { AccountStore } from '../../accounts/account-store.ts';
import { readKeyNames } from '../../accounts/keys/key-names.ts';
import { readOpenProjects, readProject } from '../../accounts/projects/stored-projects.ts';
import { countRead } from '../../accounts/request-rate.ts';
import { isoTime } from '../../shared/rules/clock.ts';
import { listedKeys, type KeyFigures } from '../../shared/rules/usage/usage-tally.ts';
import type { UsageEvent } from '../../shared/rules/usage/usage-event.ts';
import { DAY, HOUR, roundedOutward } from '../../shared/rules/usage/usage-intervals.ts';
import { findAmong, findEvent } from '../../usage/one-event.ts';
import { completeRecent, readRecent } from '../../usage/recent.ts';
import { readSeries } from '../../usage/usage-series.ts';
import { COUNTED_READ, READ_OF_SUMS } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { PortalError } from '../errors.ts';
import { eventListSchema } from '../routes/events.ts';
import { nextCursor } from '../list-query.ts';
import { pathId } from '../paths.ts';
import { isOfHours, manageQuerySchema, withoutEmpty, type UsageDependencies } from '../routes/usage.ts';
import { authorizeTokenRead, readToken } from './authentication.ts';

/** The usage and the requests of projects, for programs. */
export function manageUsageRoutes(app: Hono<PortalEnvironment>, dependencies: UsageDependencies): void {
  const { usageRetentionDays } = dependencies;

  addRoute(app, 'GET /manage/v1/projects/{projectId}/usage', READ_OF_SUMS, async (c) => {
    const { receivedAtMs: nowMs, runInBackground } = c.get('state');
    const schema = manageQuerySchema(nowMs, dependencies);
    const { store, projectId, query } = await authorizeTokenRead(c, dependencies, 'usage:read', schema);
    const { by, since: sinceMs, until: untilMs } = query;
    const length = by === 'hour' || (by === 'key' && isOfHours(query)) ? HOUR : DAY;
    const span = roundedOutward(length, { sinceMs, untilMs });
    const question = { projectId, span, by: length, nowMs, usageRetentionDays };
    const { series, storing } = await readSeries(store, question);
    runInBackground(storing);
    const { complete, remaining, buckets, total } = series;
    const figures = { complete, remaining, total };
    const of = { since: isoTime(span.sinceMs), until: isoTime(span.untilMs), by };
    if (by !== 'key') return c.json({ ...of, ...figures, buckets: withoutEmpty(buckets) });
    const { keys, others } = listedKeys(series.keys);
    return c.json({ ...of, ...figures, keys: await withNames(store, projectId, keys), others });
  });

  addRoute(app, 'GET /manage/v1/projects/{projectId}/requests', COUNTED_READ, async (c) => {
    const listOf = pathId(c, 'projectId');
    const { store, projectId, query } = await authorizeTokenRead(
      c,
      dependencies,
      'usage:read',
      eventListSchema(listOf),
    );
    const reading = await readRecent(store, projectId, query);
    const { events, next } = await completeRecent(store, projectId, query, reading);
    return c.json({ requests: events, cursor: nextCursor(listOf, next) });
  });

  addRoute(app, 'GET /manage/v1/requests/{requestId}', COUNTED_READ, async (c) => {
    const { store, token } = await readToken(c, dependencies, 'usage:read');
    await countRead(store);
    const event = await findOwn(store, token, pathId(c, 'requestId'));
    if (!event) throw new PortalError('NOT_FOUND');
    // The list of projects may be stale.
    await readProject(store, event.projectId);
    return c.json(event);
  });
}

/** Each key with its name; null: it has none, or was deleted. */
async function withNames(store: AccountStore, projectId: string, keys: readonly KeyFigures[]) {
  const names = await readKeyNames(
    store,
    keys.map(({ keyId }) => ({ projectId, keyId })),
  );
  return keys.map(({ keyId, ...figures }, i) => ({ keyId, name: names[i]?.name ?? null, ...figures }));
}

/** Finds a request among the projects of a token. Each further batch of projects counts as a read. */
async function findOwn(
  store: AccountStore,
  { accountId, projectId }: { readonly accountId: string; readonly projectId?: string | undefined },
  requestId: string,
): Promise<UsageEvent | undefined> {
  if (projectId !== undefined) return (await findEvent(store, projectId, requestId)).event;
  let next: string | undefined;
  do {
    if (next !== undefined) await countRead(store);
    const page = await readOpenProjects(store, accountId, next);
    const event = await findAmong(store, page.projectIds, requestId);
    if (event) return event;
    ({ next } = page);
  } while (next !== undefined);
  return undefined;
}
