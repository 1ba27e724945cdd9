import type { Hono } from 'hono';
import { readProjectOverview, readProjectPage } from '../../accounts/projects/project-overviews.ts';
import { closeProject, createProject, updateProject } from '../../accounts/projects/projects.ts';
import { periodAt, type QuotaPeriod } from '../../shared/rules/period.ts';
import { readLastRequest } from '../../usage/recent.ts';
import { authorizeChange } from '../changes.ts';
import { CHANGE, READ } from '../writes.ts';
import type { PortalContext, PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { Named } from '../contract/requests/fields.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { continued, nextCursor } from '../list-query.ts';
import { pathId } from '../paths.ts';
import { authorizeAccountRead } from '../reads.ts';
import type { AuthorityDependencies } from '../session/authority.ts';

export interface ProjectDependencies extends AuthorityDependencies {
  readonly quotaPeriod: QuotaPeriod;
  /** The defaults of new projects and new keys. Without units no quota is enforced. */
  readonly defaults: { readonly quotaUnits: number | undefined; readonly rpm: number };
}

/** The position where a page of the list ends. */
export const PROJECT_POSITION = /^[0-9A-Za-z]{12}$/;

/** What each route writes. */
const WRITES = {
  create: [...CHANGE, 'ACCOUNT/ACCOUNT', 'ACCOUNT/PROJECT', 'ACCOUNT/MADE', 'PROJECT/PROJECT', 'PROJECT/KEYS'],
  rename: [...CHANGE, 'PROJECT/PROJECT'],
  close: [...CHANGE, 'ACCOUNT/ACCOUNT', 'ACCOUNT/PROJECT', 'PROJECT/PROJECT'],
} as const;

/** The projects of an account. */
export function projectRoutes(app: Hono<PortalEnvironment>, dependencies: ProjectDependencies): void {
  const { quotaPeriod, defaults } = dependencies;
  const periodOf = (c: PortalContext): string => periodAt(c.get('state').receivedAtMs, quotaPeriod).id;

  addRoute(app, ROUTES.listProjects, READ, async (c) => {
    const listOf = `projects of ${pathId(c, 'accountId')}`;
    const asked = await authorizeAccountRead(c, dependencies, continued(listOf, PROJECT_POSITION));
    const { accountId } = asked.membership;
    const page = await readProjectPage(asked.store, accountId, periodOf(c), readLastRequest, asked.query.cursor);
    return c.json({ projects: page.projects, cursor: nextCursor(listOf, page.next) });
  });

  addRoute(app, ROUTES.createProject, WRITES.create, async (c) => {
    const { store, accountId, input, idempotencyKey } = await authorizeChange(c, dependencies, Named);
    const project = { accountId, name: input.name, quotaLimit: defaults.quotaUnits };
    return c.json({ projectId: await createProject(store, project, idempotencyKey, quotaPeriod) }, 201);
  });

  addRoute(app, ROUTES.getProject, READ, async (c) => {
    const { store } = await authorizeAccountRead(c, dependencies);
    return c.json(await readProjectOverview(store, pathId(c, 'projectId'), periodOf(c), readLastRequest));
  });

  addRoute(app, ROUTES.updateProject, WRITES.rename, async (c) => {
    const projectId = pathId(c, 'projectId');
    const { store, input } = await authorizeChange(c, dependencies, Named);
    // Read before the change: after it, somebody else may close the project, although the change was made.
    const overview = await readProjectOverview(store, projectId, periodOf(c), readLastRequest);
    const { name, status, quotaLimit = null } = await updateProject(store, projectId, input);
    return c.json({ ...overview, name, status, quotaLimit });
  });

  addRoute(app, ROUTES.closeProject, WRITES.close, async (c) => {
    const { store } = await authorizeChange(c, dependencies);
    await closeProject(store, pathId(c, 'projectId'));
    return c.body(null, 204);
  });
}
