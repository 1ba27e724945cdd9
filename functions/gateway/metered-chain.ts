import type { SourceAddresses } from '../shared/names.ts';
import { mayCost, type MeteredOperation } from '../shared/request/operation.ts';
import type { KeyTagSecrets } from '../shared/credentials/api-key.ts';
import type { QuotaPeriod } from '../shared/time.ts';
import type { RequestStore } from '../shared/request/request-store.ts';
import { auth } from './middleware/auth.ts';
import { GatewayError } from '../shared/http/errors.ts';
import {
  gatewayChain,
  middyChain,
  routeKeyOfEvent,
  type ChainDependencies,
  type MiddyChain,
  type GatewayHandler,
} from './middleware/chain.ts';
import { idempotency } from './middleware/idempotency.ts';
import { limitHeaders } from './middleware/limit-headers.ts';
import { metering } from './middleware/metering.ts';
import { simulation } from './middleware/simulation.ts';
import { OPERATIONS, routesOf } from './operations/index.ts';
import { routeKeyOf } from '../shared/names.ts';
import { jsonResponse, validInput, type GatewayMiddleware } from './middleware/request-state.ts';
import { readMeteredRequest } from '../shared/request/metered-request.ts';

export interface MeteredDependencies extends ChainDependencies {
  readonly keyTagSecrets: KeyTagSecrets;
  readonly store: RequestStore;
  readonly quotaPeriod: QuotaPeriod;
  readonly sourceAddresses?: SourceAddresses | undefined;
  /** Default: all operations. */
  readonly operations?: readonly MeteredOperation[];
}

/** The metered operations: each authenticated, limited, idempotent and charged. */
export function meteredChain({ operations = OPERATIONS, ...dependencies }: MeteredDependencies): MiddyChain {
  const chains = new Map(
    operations.map((operation) => [routeKeyOf(operation), operationChain({ operation, ...dependencies })]),
  );
  return gatewayChain(
    (event, context) => {
      const operation = chains.get(routeKeyOfEvent(event));
      // This happens only for an event that API Gateway did not make: it names the route of a preflight, but is no
      // preflight.
      if (!operation) throw new GatewayError('NOT_FOUND');
      return operation(event, context);
    },
    { routes: routesOf(operations), by: 'metered' },
    dependencies,
    [limitHeaders()],
  );
}

const operationChain = (dependencies: MeteredDependencies & { readonly operation: MeteredOperation }): MiddyChain =>
  middyChain(execution(dependencies))
    .use(input(dependencies))
    .use(auth(dependencies))
    .use(idempotency(dependencies))
    .use(simulation(dependencies))
    .use(metering(dependencies));

/** The handler: executes the operation, and records for the usage event what it cost. */
const execution =
  ({ operation }: { readonly operation: MeteredOperation }): GatewayHandler =>
  async (_event, { state }) => {
    const { body, tokens, units = operation.units } = await operation.execute(validInput(state).input, state);
    if (!mayCost(operation.units, units)) throw new Error(`${operation.name} told units that it may not cost`);
    state.executed = { units, tokens };
    return jsonResponse(200, { ...body, requestId: state.requestId });
  };

/**
 * Reads and checks the input. It runs before authentication, which reads the replay record of the Idempotency-Key in
 * its one round trip. It refuses nothing: a refusal of the input comes after 401, 403 and 429, by `validInput`.
 *
 * @example
 *   middyChain(handler).use(input({ operation: ping }));
 */
export function input({ operation }: { readonly operation: MeteredOperation }): GatewayMiddleware<never, 'input'> {
  return {
    before: ({ event, context }) => {
      context.state.input = readMeteredRequest(operation, {
        contentType: event.headers['content-type'],
        idempotencyKey: event.headers['idempotency-key'],
        body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
      });
    },
  };
}
