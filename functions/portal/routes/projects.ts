import type { Hono } from 'hono';
import { readProjectOverview, readProjectPage } from '../../accounts/projects/project-overviews.ts';
import { closeProject, createProject, updateProject } from '../../accounts/projects/projects.ts';
import { periodAt, type QuotaPeriod } from '../../shared/rules/period.ts';
import { readLastRequest } from '../../usage/recent.ts';
import { authorizeChange } from '../changes.ts';
import { CHANGE, declares, READ } from '../declares.ts';
import type { PortalContext, PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { Named, Nothing } from '../contract/requests/fields.ts';
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

/** What each route writes, and who may set which member of its body. */
const MAY = {
  create: declares({
    writes: [...CHANGE, 'ACCOUNT/ACCOUNT', 'ACCOUNT/PROJECT', 'ACCOUNT/MADE', 'PROJECT/PROJECT', 'PROJECT/KEYS'],
    sets: { name: 'member' },
  }),
  rename: declares({ writes: [...CHANGE, 'PROJECT/PROJECT'], sets: { name: 'member' } }),
  close: declares({ writes: [...CHANGE, 'ACCOUNT/ACCOUNT', 'ACCOUNT/PROJECT', 'PROJECT/PROJECT'] }),
};

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

  addRoute(app, ROUTES.createProject, MAY.create, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, input, idempotencyKey } = await authorizeChange(c, dependencies, accountId, Named);
    const project = { accountId, name: input.name, quotaLimit: defaults.quotaUnits };
    return c.json({ projectId: await createProject(store, project, idempotencyKey, quotaPeriod) }, 201);
  });

  addRoute(app, ROUTES.getProject, READ, async (c) => {
    const { store } = await authorizeAccountRead(c, dependencies);
    return c.json(await readProjectOverview(store, pathId(c, 'projectId'), periodOf(c), readLastRequest));
  });

  addRoute(app, ROUTES.updateProject, MAY.rename, async (c) => {
    const projectId = pathId(c, 'projectId');
    const { store, input } = await authorizeChange(c, dependencies, pathId(c, 'accountId'), Named);
    // Read before the change: after it, somebody else may close the project, although the change was made.
    const overview = await readProjectOverview(store, projectId, periodOf(c), readLastRequest);
    const { name, status, quotaLimit = null } = await updateProject(store, projectId, input);
    return c.json({ ...overview, name, status, quotaLimit });
  });

  addRoute(app, ROUTES.closeProject, MAY.close, async (c) => {
    const { store } = await authorizeChange(c, dependencies, pathId(c, 'accountId'), Nothing);
    await closeProject(store, pathId(c, 'projectId'));
    return c.body(null, 204);
  });
}
