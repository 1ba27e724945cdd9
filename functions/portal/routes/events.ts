import * as v from 'valibot';
import { beginPart, completePart } from '../../usage/events/export-part.ts';
import { findEvent } from '../../usage/events/one-event.ts';
import { completeRecent, readRecent, type EventFilter } from '../../usage/events/recent.ts';
import { eventContract, eventCsvQuery, eventQuery } from '../contract/events.ts';
import { MANAGE_CONTRACT } from '../contract/manage.ts';
import { PortalError } from '../contract/errors.ts';
import { continued, nextCursor } from '../request/list-query.ts';
import { serveToken } from '../serve/token-authority.ts';
import { serve, tableOf, type Asked, type Known } from '../serve/serve.ts';
import { causeForPerson } from './cause.ts';
import { notFound } from './request-search.ts';

const listSchema = ({ id }: Known) =>
  v.pipe(
    eventQuery(continued(id('projectId'))),
    v.transform(({ limit, ...wanted }) => ({ ...filterOf(wanted), limit })),
  );
const exportSchema = ({ id }: Known) => v.pipe(eventCsvQuery(continued(id('projectId'))), v.transform(filterOf));

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

/** A page of the requests of a project. */
async function recent({ store, id, input: filter }: Asked<EventFilter>) {
  const projectId = id('projectId');
  const reading = await readRecent(store, projectId, filter);
  const { events, next } = await completeRecent(store, projectId, filter, reading);
  return { events, cursor: nextCursor(projectId, next) };
}

/** The usage events of a project. */
export const eventRoutes = [
  serve(eventContract.listEvents, recent, listSchema),

  serve(
    eventContract.exportEvents,
    async ({ c, store, id, input: filter }) => {
      const projectId = id('projectId');
      const begun = await beginPart(store, projectId, filter);
      const { csv, next } = await completePart(store, projectId, filter, begun);
      return tableOf(c, `events-${projectId}`, csv, nextCursor(projectId, next));
    },
    exportSchema,
  ),

  serve(eventContract.getEvent, async ({ store, accountId, id }) => {
    const projectId = id('projectId');
    const { event, keptInstead } = await findEvent(store, projectId, id('requestId'));
    if (event) return { ...event, ...(await causeForPerson(store, accountId, event)) };
    if (keptInstead.length === 0) throw new PortalError('NOT_FOUND');
    throw notFound(keptInstead.map((refusal) => ({ accountId, projectId, event: refusal })));
  }),
];

/** The same for programs. */
export const manageEventRoutes = [
  serveToken(
    MANAGE_CONTRACT.listRequests,
    async (asked) => {
      const { events: requests, cursor } = await recent(asked);
      return { requests, cursor };
    },
    listSchema,
  ),
];
