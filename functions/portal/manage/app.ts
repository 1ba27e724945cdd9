import { Hono } from 'hono';
import { knownRoutes } from '../known-routes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import type { ProjectDependencies } from '../routes/projects.ts';
import { requestContext, type RequestContextDependencies } from '../request-context.ts';
import type { UsageDependencies } from '../routes/usage.ts';
import { manageKeyRoutes } from './keys.ts';
import { renderManageProblem } from './problems.ts';
import { manageProjectRoutes } from './projects.ts';
import { manageUsageRoutes } from './usage.ts';

export type ManageDependencies = RequestContextDependencies & ProjectDependencies & UsageDependencies;

/**
 * The management API (../contract/manage.ts), for programs with a token. It refuses in this order: an unknown path or
 * method, the token, its scope, the input, what is of others, and the rate.
 */
export function manageApp(dependencies: ManageDependencies): Hono<PortalEnvironment> {
  const app = new Hono<PortalEnvironment>();
  app.onError(renderManageProblem);
  app.use(requestContext(dependencies), knownRoutes(app));
  manageProjectRoutes(app, dependencies);
  manageKeyRoutes(app, dependencies);
  manageUsageRoutes(app, dependencies);
  return app;
}
