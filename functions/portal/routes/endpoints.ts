import type { Hono } from 'hono';
import { deliveryView, readDeliveries, repeatDelivery, testEndpoint } from '../../accounts/endpoints/deliveries.ts';
import {
  createEndpoint,
  deleteEndpoint,
  rotateEndpointSecret,
  updateEndpoint,
} from '../../accounts/endpoints/endpoints.ts';
import { endpointView, listEndpoints, readEndpoint } from '../../accounts/endpoints/stored-endpoints.ts';
import { countRead } from '../../accounts/request-rate.ts';
import { requireOwner } from '../../accounts/team/stored-members.ts';
import { allFulfilled } from '../../shared/rules/fulfilled.ts';
import { authorizeChange } from '../changes.ts';
import { endpointChanges, newEndpoint, sampleType } from '../contract/requests/endpoints.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { CHANGE, COUNTED_READ } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { pathId } from '../paths.ts';
import { authorizeOwner, authorizeAccountRead } from '../reads.ts';
import type { AuthorityDependencies } from '../session/authority.ts';

export interface EndpointDependencies extends AuthorityDependencies {
  /** Whether endpoints may be at `http://localhost`. Only with `npm start`; absent: no. */
  readonly hasLocalEndpoints?: boolean;
}

/** What each route writes. */
const WRITES = {
  create: [...CHANGE, 'NOTICES/ENDPOINT', 'NOTICES/ENDPOINTS'],
  update: [...CHANGE, 'NOTICES/ENDPOINT'],
  delete: [...CHANGE, 'NOTICES/ENDPOINT', 'NOTICES/ENDPOINTS', 'NOTICES/ENDED'],
  deliver: [...CHANGE, 'NOTICES/DELIVERY', 'NOTICES/ENDPOINT'],
} as const;

/** The webhook endpoints of an account, for its owners. Only the answer that makes a secret contains it. */
export function endpointRoutes(app: Hono<PortalEnvironment>, dependencies: EndpointDependencies): void {
  const isLocal = dependencies.hasLocalEndpoints === true;
  const [NewEndpoint, EndpointChanges] = [newEndpoint(isLocal), endpointChanges(isLocal)];

  addRoute(app, ROUTES.listEndpoints, COUNTED_READ, async (c) => {
    const { store, membership } = await authorizeOwner(c, dependencies);
    return c.json({ endpoints: (await listEndpoints(store, membership.accountId)).map(endpointView) });
  });

  addRoute(app, ROUTES.createEndpoint, WRITES.create, async (c) => {
    const { store, accountId, input, idempotencyKey } = await authorizeChange(c, dependencies, NewEndpoint);
    return c.json(await createEndpoint(store, accountId, input, idempotencyKey), 201);
  });

  addRoute(app, ROUTES.updateEndpoint, WRITES.update, async (c) => {
    const { store, accountId, input } = await authorizeChange(c, dependencies, EndpointChanges);
    return c.json(endpointView(await updateEndpoint(store, accountId, pathId(c, 'endpointId'), input)));
  });

  addRoute(app, ROUTES.deleteEndpoint, WRITES.delete, async (c) => {
    const { store, accountId } = await authorizeChange(c, dependencies);
    await deleteEndpoint(store, accountId, pathId(c, 'endpointId'));
    return c.body(null, 204);
  });

  addRoute(app, ROUTES.rotateEndpointSecret, WRITES.update, async (c) => {
    const { store, accountId, idempotencyKey } = await authorizeChange(c, dependencies);
    return c.json(await rotateEndpointSecret(store, accountId, pathId(c, 'endpointId'), idempotencyKey), 201);
  });

  addRoute(app, ROUTES.testEndpoint, WRITES.deliver, async (c) => {
    const endpointId = pathId(c, 'endpointId');
    const { store, accountId, input, idempotencyKey } = await authorizeChange(c, dependencies, sampleType);
    return c.json({ deliveryId: await testEndpoint(store, accountId, endpointId, input.type, idempotencyKey) }, 201);
  });

  addRoute(app, ROUTES.listDeliveries, COUNTED_READ, async (c) => {
    const { store, membership } = await authorizeAccountRead(c, dependencies);
    const [accountId, endpointId] = [membership.accountId, pathId(c, 'endpointId')];
    await allFulfilled([readEndpoint(store, accountId, endpointId), requireOwner(store), countRead(store)]);
    const deliveries = await readDeliveries(store, accountId, endpointId);
    return c.json({ deliveries: deliveries.map(deliveryView) });
  });

  addRoute(app, ROUTES.repeatDelivery, WRITES.deliver, async (c) => {
    const endpointId = pathId(c, 'endpointId');
    const { store, accountId, idempotencyKey } = await authorizeChange(c, dependencies);
    const repeated = repeatDelivery(store, accountId, endpointId, pathId(c, 'deliveryId'), idempotencyKey);
    return c.json({ deliveryId: await repeated }, 201);
  });
}
