import { Hono } from 'hono';
import type { PortalDependencies } from '../dependencies.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { knownRoutes } from '../known-routes.ts';
import { requestContext } from '../request-context.ts';
import { manageEventRoutes } from '../routes/events.ts';
import { manageKeyRoutes } from '../routes/keys.ts';
import { manageProjectRoutes } from '../routes/projects.ts';
import { manageRequestRoutes } from '../routes/request-search.ts';
import { manageTokenRoutes } from '../routes/tokens.ts';
import { manageUsageRoutes } from '../routes/usage.ts';
import { addAll } from '../serve.ts';
import { renderManageProblem } from './problems.ts';

const ROUTES = [
  ...manageTokenRoutes,
  ...manageProjectRoutes,
  ...manageKeyRoutes,
  ...manageEventRoutes,
  ...manageRequestRoutes,
  ...manageUsageRoutes,
];

/**
 * The management API (../contract/manage.ts), for programs with a token. It refuses in this order: an unknown path or
 * method, the token, its scope, the input, what is of others, and the rate.
 */
export function manageApp(dependencies: PortalDependencies): Hono<PortalEnvironment> {
  const app = new Hono<PortalEnvironment>();
  app.onError(renderManageProblem);
  app.use(requestContext(dependencies), knownRoutes(app));
  addAll(app, ROUTES, dependencies);
  return app;
}
