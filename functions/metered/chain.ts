import { PING_PATH } from '../wiring.ts';
import type { KeyTagSecrets } from '../core/key-tag.ts';
import type { RequestStore } from '../core/request-store.ts';
import { SANDBOX_ACCESS, type Operation } from '../core/operation.ts';
import type { QuotaPeriod } from '../core/period.ts';
import { auth } from '../middleware/auth.ts';
import { gatewayChain, ring, type ChainDependencies, type Ring } from '../middleware/chain.ts';
import { idempotency } from '../middleware/idempotency.ts';
import { checkInput, parseInput } from '../middleware/input.ts';
import { jsonResponse } from '../middleware/json-response.ts';
import { metering } from '../middleware/metering.ts';

export interface MeteredDependencies extends ChainDependencies {
  readonly keyTagSecrets: KeyTagSecrets;
  readonly store: RequestStore;
  readonly quotaPeriod: QuotaPeriod;
}

const OPERATION: Operation = { name: 'sandbox.ping', method: 'POST', path: PING_PATH, requires: SANDBOX_ACCESS };

/** The sandbox ping: authenticated, limited, idempotent and metered. */
export function meteredChain(dependencies: MeteredDependencies): Ring {
  const inner = ring((_event, { state: { requestId } }) =>
    Promise.resolve(jsonResponse(200, { ok: true, mode: 'sandbox', message: 'Sandbox gateway is ready.', requestId })),
  )
    .use(parseInput(OPERATION))
    .use(auth({ operation: OPERATION, ...dependencies }))
    .use(checkInput())
    .use(idempotency({ operation: OPERATION, ...dependencies }))
    .use(metering({ operation: OPERATION, ...dependencies }));
  return gatewayChain(inner, dependencies);
}
