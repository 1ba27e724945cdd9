import type { Hono } from 'hono';
import { readProjectOverview, readProjectPage } from '../../accounts/projects/project-overviews.ts';
import { countRead } from '../../accounts/request-rate.ts';
import { RefusedError } from '../../accounts/refusals.ts';
import { tokenView } from '../../accounts/tokens/tokens.ts';
import { periodAt } from '../../shared/rules/period.ts';
import { readLastRequest } from '../../usage/recent.ts';
import { COUNTED_READ } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { readQuery } from '../input.ts';
import { continued, nextCursor } from '../list-query.ts';
import { PROJECT_POSITION, type ProjectDependencies } from '../routes/projects.ts';
import { readToken } from './authentication.ts';

/** The token itself, and the projects that it may use. Both need no scope. */
export function manageProjectRoutes(app: Hono<PortalEnvironment>, dependencies: ProjectDependencies): void {
  addRoute(app, 'GET /manage/v1/token', COUNTED_READ, async (c) => {
    const { store, token } = await readToken(c, dependencies);
    await countRead(store);
    const { createdBy: _, ...view } = tokenView(token, c.get('state').receivedAtMs);
    return c.json({ accountId: token.accountId, ...view });
  });

  addRoute(app, 'GET /manage/v1/projects', COUNTED_READ, async (c) => {
    const { store, token } = await readToken(c, dependencies);
    const { accountId, projectId } = token;
    const listOf = `projects of ${accountId}`;
    const { cursor } = readQuery(c, continued(listOf, PROJECT_POSITION));
    await countRead(store);
    const { id: period } = periodAt(c.get('state').receivedAtMs, dependencies.quotaPeriod);
    if (projectId !== undefined) {
      const project = await readProjectOverview(store, projectId, period, readLastRequest).catch(unlessGone);
      return c.json({ projects: project ? [project] : [], cursor: null });
    }
    const page = await readProjectPage(store, accountId, period, readLastRequest, cursor);
    return c.json({ projects: page.projects, cursor: nextCursor(listOf, page.next) });
  });
}

/** The only project of a token may be closed: then it has none. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof RefusedError) || error.code !== 'NOT_FOUND') throw error;
}
