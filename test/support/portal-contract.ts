import { portalApp } from '../../functions/portal/app.ts';
import { CONTRACT } from '../../functions/portal/contract/index.ts';
import { OPEN_ROUTES } from '../../functions/portal/contract/requests/routes.ts';
import type { Route } from '../../functions/portal/contract/route.ts';
import { routesOf } from '../../functions/portal/known-routes.ts';

/** Every operation of the contract between the portal's page and its function. */
export const portalOperations = Object.entries<Route>(CONTRACT).map(([operationId, route]) => ({
  operationId,
  ...route,
  isOpen: OPEN_ROUTES.includes(`${route.method} ${route.path}`),
}));

/** The routes of the code. */
export const portalRoutes = routesOf(portalApp({ defaults: {} } as never));
