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
import { Nothing } from '../contract/requests/fields.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { CHANGE, COUNTED_READ, declares } from '../declares.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { pathId } from '../paths.ts';
import { authorizeOwner, authorizeAccountRead } from '../reads.ts';
import type { AuthorityDependencies } from '../session/authority.ts';

export interface EndpointDependencies extends AuthorityDependencies {
  /** Whether endpoints may be at `http://localhost`. Only with `npm start`; absent: no. */
  readonly hasLocalEndpoints?: boolean;
}

/** What each route writes, and who may set which member of its body. */
const MAY = {
  create: declares({
    writes: [...CHANGE, 'NOTICES/ENDPOINT', 'NOTICES/ENDPOINTS'],
    sets: { url: 'owner', kinds: 'owner' },
  }),
  update: declares({
    writes: [...CHANGE, 'NOTICES/ENDPOINT'],
    sets: { url: 'owner', kinds: 'owner', status: 'owner' },
  }),
  delete: declares({ writes: [...CHANGE, 'NOTICES/ENDPOINT', 'NOTICES/ENDPOINTS', 'NOTICES/ENDED'] }),
  rotate: declares({ writes: [...CHANGE, 'NOTICES/ENDPOINT'] }),
  test: declares({ writes: [...CHANGE, 'NOTICES/DELIVERY', 'NOTICES/ENDPOINT'], sets: { type: 'owner' } }),
  ask: declares({ writes: [...CHANGE, 'NOTICES/DELIVERY', 'NOTICES/ENDPOINT'] }),
};

/** The webhook endpoints of an account, for its owners. Only the answer that makes a secret contains it. */
export function endpointRoutes(app: Hono<PortalEnvironment>, dependencies: EndpointDependencies): void {
  const isLocal = dependencies.hasLocalEndpoints === true;
  const [NewEndpoint, EndpointChanges] = [newEndpoint(isLocal), endpointChanges(isLocal)];

  addRoute(app, ROUTES.listEndpoints, COUNTED_READ, async (c) => {
    const { store, membership } = await authorizeOwner(c, dependencies);
    return c.json({ endpoints: (await listEndpoints(store, membership.accountId)).map(endpointView) });
  });

  addRoute(app, ROUTES.createEndpoint, MAY.create, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, input, idempotencyKey } = await authorizeChange(c, dependencies, accountId, NewEndpoint);
    return c.json(await createEndpoint(store, accountId, input, idempotencyKey), 201);
  });

  addRoute(app, ROUTES.updateEndpoint, MAY.update, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, input } = await authorizeChange(c, dependencies, accountId, EndpointChanges);
    return c.json(endpointView(await updateEndpoint(store, accountId, pathId(c, 'endpointId'), input)));
  });

  addRoute(app, ROUTES.deleteEndpoint, MAY.delete, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store } = await authorizeChange(c, dependencies, accountId, Nothing);
    await deleteEndpoint(store, accountId, pathId(c, 'endpointId'));
    return c.body(null, 204);
  });

  addRoute(app, ROUTES.rotateEndpointSecret, MAY.rotate, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, idempotencyKey } = await authorizeChange(c, dependencies, accountId, Nothing);
    return c.json(await rotateEndpointSecret(store, accountId, pathId(c, 'endpointId'), idempotencyKey), 201);
  });

  addRoute(app, ROUTES.testEndpoint, MAY.test, async (c) => {
    const [accountId, endpointId] = [pathId(c, 'accountId'), pathId(c, 'endpointId')];
    const { store, input, idempotencyKey } = await authorizeChange(c, dependencies, accountId, sampleType);
    return c.json({ deliveryId: await testEndpoint(store, accountId, endpointId, input.type, idempotencyKey) }, 201);
  });

  addRoute(app, ROUTES.listDeliveries, COUNTED_READ, async (c) => {
    const { store, membership } = await authorizeAccountRead(c, dependencies);
    const [accountId, endpointId] = [membership.accountId, pathId(c, 'endpointId')];
    await allFulfilled([readEndpoint(store, accountId, endpointId), requireOwner(store), countRead(store)]);
    const deliveries = await readDeliveries(store, accountId, endpointId);
    return c.json({ deliveries: deliveries.map(deliveryView) });
  });

  addRoute(app, ROUTES.repeatDelivery, MAY.ask, async (c) => {
    const [accountId, endpointId] = [pathId(c, 'accountId'), pathId(c, 'endpointId')];
    const { store, idempotencyKey } = await authorizeChange(c, dependencies, accountId, Nothing);
    const repeated = repeatDelivery(store, accountId, endpointId, pathId(c, 'deliveryId'), idempotencyKey);
    return c.json({ deliveryId: await repeated }, 201);
  });
}
