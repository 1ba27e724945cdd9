import { gatewayChain, type ChainDependencies, type MiddyChain } from './middleware/chain.ts';
import { jsonResponse } from './middleware/request-state.ts';
import { ROUTES } from './operations/index.ts';

/** The health check, and the answer to every request that no route matches. */
export const healthChain = (dependencies: ChainDependencies): MiddyChain =>
  gatewayChain(
    (_event, { state: { requestId } }) =>
      Promise.resolve(jsonResponse(200, { ok: true, service: 'sandbox-gateway', status: 'available', requestId })),
    { routes: ROUTES, by: 'health' },
    dependencies,
  );
