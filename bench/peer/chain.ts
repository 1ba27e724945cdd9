import { IdempotencyConfig } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { makeHandlerIdempotent } from '@aws-lambda-powertools/idempotency/middleware';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ping as operation } from '../../functions/gateway/operations/ping.ts';
import { ROUTES } from '../../functions/gateway/operations/index.ts';
import { HEADERS } from '../../functions/shared/names.ts';
import { GatewayError } from '../../functions/shared/http/errors.ts';
import { secondsUntil } from '../../functions/shared/time.ts';
import { REPLAY_RETENTION_SECONDS } from '../../functions/shared/request/request-store.ts';
import { documentClient } from '../../functions/shared/store/client.ts';
import { gatewayChain, middyChain, type GatewayHandler } from '../../functions/gateway/middleware/chain.ts';
import { input } from '../../functions/gateway/metered-chain.ts';
import {
  jsonResponse,
  admittedRequest,
  validInput,
  type GatewayContext,
  type GatewayMiddleware,
  type HttpEvent,
  type HttpResponse,
} from '../../functions/gateway/middleware/request-state.ts';
import { decidedEvent } from '../../functions/gateway/middleware/metering.ts';
import { peerAdmission, type PeerDependencies, type PeerState } from './admission.ts';
import { PEER_TABLES, peerStore } from './store.ts';

/** The identity of a request for Powertools; absent without an Idempotency-Key. */
type IdempotentEvent = HttpEvent & { readonly idempotency?: { readonly projectId: string; readonly key: string } };

/**
 * The ping as a good engineer would compose it: a consistent read of the key, rate-limiter-flexible, Powertools
 * Idempotency, a conditional update of the quota and a put of the usage event, one after the other, as each needs the
 * outcome of the one before. What is not compared is the gateway's own in both: envelope, CORS (@middy/http-cors),
 * checking of the input, rendering of errors, log line and metrics.
 *
 * It promises less, all in its own favour: no project can be suspended; replays and refusals leave no usage event; a
 * crash between two of its writes leaves a charge without an event or an answer that cannot be replayed; and a conflict
 * deletes the stored answer, as Powertools' middleware deletes the record of whatever failed.
 */
export function peerChain(dependencies: PeerDependencies) {
  const idempotent = middyChain(ping(dependencies)).use(idempotency(dependencies.client));
  const inner = middyChain(async (event, context) => {
    validInput(context.state);
    try {
      return withFreshId(await idempotent(identified(event, context), context), context);
    } catch (error) {
      throw asGatewayError(error);
    }
  })
    .use(input({ operation }))
    .use(peerAdmission(dependencies));
  return gatewayChain(inner, { routes: ROUTES, by: 'metered' }, dependencies);
}

/** Runs once for an Idempotency-Key: charge, record, answer. */
function ping(dependencies: PeerDependencies): GatewayHandler {
  const { chargeUnit, putUsage } = peerStore(documentClient(dependencies.client));
  return async (_event, { state }: { readonly state: PeerState }) => {
    const admitted = admittedRequest(state);
    const { key } = state;
    if (key === undefined) throw new Error('the key was not read');
    const { caller, period } = admitted;

    const quotaUsed = await chargeUnit(key, period.id, state.deadline);
    const snapshot = { ...admitted.snapshot, quotaLimit: key.quotaLimit };
    state.admitted = { ...admitted, snapshot, quotaUsed: quotaUsed ?? key.quotaLimit };
    if (quotaUsed === undefined) {
      const retryAfterSeconds = secondsUntil(period.endsAtEpochSeconds, state.receivedAtMs);
      throw new GatewayError('QUOTA_EXCEEDED', { retryAfterSeconds });
    }
    const outcome = { event: 'request_succeeded', status: 200, code: null } as const;
    const event = decidedEvent({ operation, ...dependencies }, { ...state, caller }, outcome);
    await putUsage(event, state.deadline);
    state.event = event.event;
    state.units = event.units;
    const { body } = await operation.execute({}, state);
    return jsonResponse(200, { ...body, requestId: state.requestId });
  };
}

/**
 * Powertools Idempotency as its documentation says: the key from the event, the body validated against the stored one
 * (as JSON, however it is spelled), replays marked by the response hook, no cache in memory (its default).
 */
function idempotency(client: DynamoDBClient): GatewayMiddleware {
  const persistenceStore = new DynamoDBPersistenceLayer({ tableName: PEER_TABLES.idempotency, awsSdkV3Client: client });
  const config = new IdempotencyConfig({
    eventKeyJmesPath: 'idempotency',
    payloadValidationJmesPath: 'powertools_json(body)',
    expiresAfterSeconds: REPLAY_RETENTION_SECONDS,
    responseHook: (stored) => {
      const { headers, ...response } = stored as { readonly headers: Record<string, string> };
      return { ...response, headers: { ...headers, [HEADERS.idempotencyReplayed]: 'true' } };
    },
  });
  return makeHandlerIdempotent({ persistenceStore, config });
}

/** Idempotency holds within a project. */
function identified(event: HttpEvent, { state }: GatewayContext): IdempotentEvent {
  const key = event.headers['idempotency-key'];
  if (key === undefined) return event;
  return { ...event, idempotency: { projectId: admittedRequest(state).caller.projectId, key } };
}

/** A replay has a request id of its own. */
function withFreshId(response: HttpResponse, { state }: GatewayContext): HttpResponse {
  if (response.headers?.[HEADERS.idempotencyReplayed] === undefined) return response;
  state.event = 'idempotency_replay';
  const body = { ...(JSON.parse(response.body ?? '{}') as object), requestId: state.requestId };
  return { ...response, body: JSON.stringify(body) };
}

function asGatewayError(cause: unknown): unknown {
  const { name } = cause as Error;
  if (name === 'IdempotencyValidationError') return new GatewayError('IDEMPOTENCY_CONFLICT', { cause });
  // A duplicate is in progress.
  if (name === 'IdempotencyAlreadyInProgressError') return new GatewayError('SERVICE_UNAVAILABLE', { cause });
  return cause;
}
