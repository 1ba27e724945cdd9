import type { Hono } from 'hono';
import { listOwnProjects, type OwnProject } from '../accounts/projects/own-projects.ts';
import { countRead } from '../accounts/request-rate.ts';
import { readProject } from '../accounts/projects/stored-projects.ts';
import type { UsageEvent } from '../shared/rules/usage-event.ts';
import { findAmong } from '../usage/one-event.ts';
import { declares } from './declares.ts';
import type { PortalContext, PortalEnvironment } from './environment.ts';
import { PortalError } from './errors.ts';
import { pathId } from './paths.ts';
import { readPerson, storeOf, type AuthorityDependencies } from './session/authority.ts';

/** The number of projects that are searched together. Each batch counts as a read of the person. */
const PROJECTS_AT_ONCE = 50;
/** The most projects that are searched for one request. */
const MAX_PROJECTS = 500;
/** Replaces the catalogue's text. */
const NOT_FOUND_AMONG_OWN =
  'There is nothing here. A request is found among your projects by an id of version 7; a refusal that is kept once a minute is found within its project only.';

/** Requests by their ids, in any project of the person. */
export function requestRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  app.get('/api/requests/:requestId', declares({ writes: ['USED/READS'] }), async (c) => {
    const { person } = await readPerson(c, dependencies);
    const found = await findOwn(c, dependencies, person.user);
    if (!found) throw new PortalError('NOT_FOUND', { detail: NOT_FOUND_AMONG_OWN });
    const { membership, projectId, event } = found;
    // The list of projects may be stale.
    await readProject(storeOf(c, dependencies, person.user, membership), projectId);
    return c.json({ accountId: membership.accountId, projectId, event });
  });
}

async function findOwn(
  c: PortalContext,
  dependencies: AuthorityDependencies,
  user: Parameters<typeof storeOf>[2],
): Promise<(OwnProject & { readonly event: UsageEvent }) | undefined> {
  const store = storeOf(c, dependencies, user);
  const requestId = pathId(c, 'requestId');
  await countRead(store);
  const projects = await listOwnProjects(store, user.userId, MAX_PROJECTS);
  for (let i = 0; i < projects.length; i += PROJECTS_AT_ONCE) {
    if (i > 0) await countRead(store);
    const batch = projects.slice(i, i + PROJECTS_AT_ONCE);
    const event = await findAmong(
      store,
      batch.map(({ projectId }) => projectId),
      requestId,
    );
    const project = batch.find(({ projectId }) => projectId === event?.projectId);
    if (event && project) return { ...project, event };
  }
  return undefined;
}
