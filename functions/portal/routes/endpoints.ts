import { deliveryView, readDeliveries, repeatDelivery, testEndpoint } from '../../accounts/endpoints/deliveries.ts';
import {
  createEndpoint,
  deleteEndpoint,
  rotateEndpointSecret,
  updateEndpoint,
} from '../../accounts/endpoints/endpoints.ts';
import { endpointView, listEndpoints, readEndpoint } from '../../accounts/endpoints/stored-endpoints.ts';
import { countRead } from '../../accounts/authority/rate.ts';
import { requireOwner } from '../../accounts/team/stored-members.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { endpointChanges, endpointContract, newEndpoint } from '../contract/endpoints.ts';
import { serve, type Known } from '../serve/serve.ts';

const isLocal = ({ dependencies }: Known): boolean => dependencies.hasLocalEndpoints === true;

/** The webhook endpoints of an account, for its owners. Only the answer that makes a secret contains it. */
export const endpointRoutes = [
  serve(endpointContract.listEndpoints, async ({ store, accountId }) => ({
    endpoints: (await listEndpoints(store, accountId)).map(endpointView),
  })),

  serve(
    endpointContract.createEndpoint,
    ({ store, accountId, input, idempotencyKey }) => createEndpoint(store, accountId, input, idempotencyKey),
    (known) => newEndpoint(isLocal(known)),
  ),

  serve(
    endpointContract.updateEndpoint,
    async ({ store, accountId, id, input }) =>
      endpointView(await updateEndpoint(store, accountId, id('endpointId'), input)),
    (known) => endpointChanges(isLocal(known)),
  ),

  serve(endpointContract.deleteEndpoint, ({ store, accountId, id }) =>
    deleteEndpoint(store, accountId, id('endpointId')),
  ),

  serve(endpointContract.rotateEndpointSecret, ({ store, accountId, id, idempotencyKey }) =>
    rotateEndpointSecret(store, accountId, id('endpointId'), idempotencyKey),
  ),

  serve(endpointContract.testEndpoint, async ({ store, accountId, id, input, idempotencyKey }) => ({
    deliveryId: await testEndpoint(store, accountId, id('endpointId'), input.type, idempotencyKey),
  })),

  serve(endpointContract.listDeliveries, async ({ store, accountId, id }) => {
    const endpointId = id('endpointId');
    await allFulfilled([readEndpoint(store, accountId, endpointId), requireOwner(store), countRead(store)]);
    return { deliveries: (await readDeliveries(store, accountId, endpointId)).map(deliveryView) };
  }),

  serve(endpointContract.repeatDelivery, async ({ store, accountId, id, idempotencyKey }) => ({
    deliveryId: await repeatDelivery(store, accountId, id('endpointId'), id('deliveryId'), idempotencyKey),
  })),
];
