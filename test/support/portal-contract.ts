import { portalApp } from '../../functions/portal/app.ts';
import { routesOf } from '../../functions/portal/known-routes.ts';
import { portalDocument } from '../../local/openapi/document.ts';

/** The portal's contract, `portal/openapi.yaml`. */
export const portalContract = portalDocument();

/** Every operation: method in upper case, path with its parameters in braces. */
export const portalOperations = Object.entries(portalContract.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({ operationId: '', method: method.toUpperCase(), path, ...operation })),
);

/** The routes of the code. */
export const portalRoutes = routesOf(portalApp({ defaults: {} } as never));
