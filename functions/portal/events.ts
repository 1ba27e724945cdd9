import type { Hono } from 'hono';
import * as v from 'valibot';
import type { ControlPlane } from '../accounts/control-plane.ts';
import { countRead } from '../accounts/request-rate.ts';
import { readProject } from '../accounts/stored-projects.ts';
import { USAGE_EVENT_NAMES } from '../core/usage-event-name.ts';
import { findOlder, findRecent } from '../usage/one-event.ts';
import { completeRecent, readRecent, type EventFilter } from '../usage/recent.ts';
import type { PortalContext, PortalEnvironment } from './environment.ts';
import { PortalError } from './errors.ts';
import { continued, Limited, nextCursor, readQueryOfPerson, Span } from './list-query.ts';
import { pathId } from './paths.ts';
import { beside, planeOf, readAsMember, type AuthorityDependencies } from './session/authority.ts';

const EVENTS = '/api/accounts/:accountId/projects/:projectId/events';

/** Of which kind, with which key and refused with which code. */
const Wanted = v.object({
  event: v.optional(v.picklist(USAGE_EVENT_NAMES, `Give one of ${USAGE_EVENT_NAMES.join(', ')}.`)),
  keyId: v.optional(v.pipe(v.string(), v.regex(/^key_[0-9A-Za-z]{16}$/, 'Give the id of a key.'))),
  code: v.optional(v.pipe(v.string(), v.regex(/^[A-Z_]{1,64}$/, 'Give a code of the gateway.'))),
});

const querySchema = (projectId: string) =>
  v.pipe(
    v.intersect([Span, Limited, continued(projectId), Wanted]),
    v.transform(({ since, until, limit, cursor, ...equal }): EventFilter => ({
      span: { sinceMs: since, untilMs: until },
      equal,
      before: cursor,
      limit,
    })),
  );

/** What the ledger says of a project's requests. */
export function eventRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  /** Reads in two round trips: authority beside the first reading, the count of reads beside the second. */
  const readTwice = async <First, T>(
    c: PortalContext,
    first: (plane: ControlPlane) => Promise<First>,
    second: (plane: ControlPlane, read: First) => Promise<T>,
  ): Promise<T> => {
    const { person, membership, data } = await readAsMember(c, dependencies, pathId(c, 'accountId'), (plane) =>
      beside(readProject(plane, pathId(c, 'projectId')), first(plane)),
    );
    const { userId } = person.user;
    const plane = planeOf(c, dependencies, userId, membership);
    const [, result] = await beside(countRead(plane, { userId, limits: dependencies.limits }), second(plane, data[1]));
    return result;
  };

  app.get(EVENTS, async (c) => {
    const projectId = pathId(c, 'projectId');
    const filter = await readQueryOfPerson(c, dependencies, querySchema(projectId));
    const { events, next } = await readTwice(
      c,
      (plane) => readRecent(plane, projectId, filter),
      (plane, reading) => completeRecent(plane, projectId, filter, reading),
    );
    return c.json({ events, cursor: nextCursor(projectId, next) });
  });

  app.get(`${EVENTS}/:requestId`, async (c) => {
    const [projectId, requestId] = [pathId(c, 'projectId'), pathId(c, 'requestId')];
    const event = await readTwice(
      c,
      (plane) => findRecent(plane, projectId, requestId),
      (plane, recent) => findOlder(plane, projectId, requestId, recent),
    );
    if (!event) throw new PortalError('NOT_FOUND');
    return c.json(event);
  });
}
