import type { Hono } from 'hono';
import * as v from 'valibot';
import { beginPart, completePart } from '../../usage/export-part.ts';
import { findEvent } from '../../usage/one-event.ts';
import { completeRecent, readRecent, type EventFilter } from '../../usage/recent.ts';
import { eventCsvQuery, eventQuery } from '../contract/requests/events.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { cursorOf, continued, nextCursor } from '../list-query.ts';
import { COUNTED_READ } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { PortalError } from '../errors.ts';
import { pathId } from '../paths.ts';
import { authorizeLedgerRead } from '../reads.ts';
import { notFound } from './request-search.ts';
import type { AuthorityDependencies } from '../session/authority.ts';

/** The query of a list of events. */
export const eventListSchema = (projectId: string) =>
  v.pipe(
    eventQuery(continued(projectId)),
    v.transform(({ limit, ...wanted }) => ({ ...filterOf(wanted), limit })),
  );
const exportSchema = (projectId: string) => v.pipe(eventCsvQuery(continued(projectId)), v.transform(filterOf));

const filterOf = ({
  since,
  until,
  cursor,
  ...equal
}: v.InferOutput<ReturnType<typeof eventCsvQuery>>): Omit<EventFilter, 'limit'> => ({
  span: { sinceMs: since, untilMs: until },
  equal,
  before: cursor,
});

/** The usage events of a project. */
export function eventRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  addRoute(app, ROUTES.listEvents, COUNTED_READ, async (c) => {
    const projectId = pathId(c, 'projectId');
    const { store, query: filter } = await authorizeLedgerRead(c, dependencies, eventListSchema(projectId));
    const reading = await readRecent(store, projectId, filter);
    const { events, next } = await completeRecent(store, projectId, filter, reading);
    return c.json({ events, cursor: nextCursor(projectId, next) });
  });

  addRoute(app, ROUTES.exportEvents, COUNTED_READ, async (c) => {
    const projectId = pathId(c, 'projectId');
    const { store, query: filter } = await authorizeLedgerRead(c, dependencies, exportSchema(projectId));
    const begun = await beginPart(store, projectId, filter);
    const { csv, next } = await completePart(store, projectId, filter, begun);
    c.header('Content-Disposition', `attachment; filename="events-${projectId}.csv"`);
    if (next !== undefined) c.header('X-Next-Cursor', cursorOf(projectId, next));
    return c.body(csv, 200, { 'Content-Type': 'text/csv' });
  });

  addRoute(app, ROUTES.getEvent, COUNTED_READ, async (c) => {
    const [projectId, requestId] = [pathId(c, 'projectId'), pathId(c, 'requestId')];
    const { store } = await authorizeLedgerRead(c, dependencies);
    const { event, keptInstead } = await findEvent(store, projectId, requestId);
    if (event) return c.json(event);
    if (keptInstead.length === 0) throw new PortalError('NOT_FOUND');
    const accountId = pathId(c, 'accountId');
    throw notFound(keptInstead.map((refusal) => ({ accountId, projectId, event: refusal })));
  });
}
