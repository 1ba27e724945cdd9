import { HEADERS } from '../../shared/names.ts';
import { GatewayError } from '../../shared/http/errors.ts';
import type { RequestStore, ReplayRecord } from '../../shared/request/request-store.ts';
import { exhaustedLimit } from '../../shared/request/quota-shards.ts';
import { mostOf } from '../../shared/request/operation.ts';
import {
  jsonResponse,
  admittedRequest,
  validInput,
  type GatewayMiddleware,
  type HttpResponse,
  type RequestState,
} from './request-state.ts';
import { decidedEvent, type EventPart, type UsageDependencies } from './metering.ts';

export interface IdempotencyDependencies extends UsageDependencies {
  readonly store: Pick<RequestStore, 'appendEvent' | 'readReplay'>;
}

type Reads = EventPart | 'admitted' | 'deadline' | 'duplicate';
type Fills = 'originalRequestId' | 'idempotencyTag' | 'event';
type State = Readonly<Pick<RequestState, Reads>> & Pick<RequestState, Fills>;

/**
 * Answers a request whose Idempotency-Key was used before: with the stored response if it is the same request, else
 * with IDEMPOTENCY_CONFLICT. It runs before the quota, so a replay is served even when the quota is used up.
 *
 * @example
 *   middyChain(handler).use(idempotency({ operation: ping, quotaPeriod: 'month', clock, store })).use(metering(…));
 */
export function idempotency({ store, ...usage }: IdempotencyDependencies): GatewayMiddleware<Reads, Fills> {
  const replay = async (state: State, record: ReplayRecord): Promise<HttpResponse> => {
    const { caller } = admittedRequest(state);
    const stored = JSON.parse(record.body) as { readonly requestId?: string };
    state.originalRequestId = stored.requestId;
    if (record.idempotencyTag) state.idempotencyTag = record.idempotencyTag;
    if (record.fingerprint !== validInput(state).replayKey?.fingerprint) {
      throw new GatewayError('IDEMPOTENCY_CONFLICT');
    }
    const outcome = { event: 'idempotency_replay', status: record.status, code: null } as const;
    await store.appendEvent(decidedEvent(usage, { ...state, caller }, outcome), state.deadline);
    state.event = outcome.event;
    return jsonResponse(
      record.status,
      { ...stored, requestId: state.requestId },
      { [HEADERS.idempotencyReplayed]: 'true' },
    );
  };

  return {
    before: async ({ context: { state } }) => {
      const { replayKey } = validInput(state);
      if (replayKey === undefined) return;
      const { snapshot, caller } = admittedRequest(state);
      let record = snapshot.replay;
      // The batch reads its items one by one, so a concurrent duplicate may have spent the last units between two of
      // them.
      if (record === undefined && exhaustedLimit(snapshot, mostOf(usage.operation.units))) {
        record = await store.readReplay(caller.projectId, replayKey.id, state.receivedAtMs, state.deadline);
      }
      if (record !== undefined) return await replay(state, record);
    },
    after: async (request) => {
      const { state } = request.context;
      if (state.duplicate !== undefined) request.response = await replay(state, state.duplicate);
    },
  };
}
