import { METRICS } from '../../shared/names.ts';
import { errorDefinition, GatewayError, quotaRefusal } from '../../shared/http/errors.ts';
import type { Charge, RequestStore } from '../../shared/request/request-store.ts';
import {
  exceedsQuota,
  exhaustedLimit,
  unitsUsed,
  type ExhaustedLimit,
} from '../../shared/request/quota-shards.ts';
import {
  admittedRequest,
  validInput,
  type GatewayMiddleware,
  type HttpResponse,
  type RequestState,
} from './request-state.ts';
import { decidedEvent, type EventPart, type UsageDependencies } from './decided-event.ts';
import type { Telemetry } from './request-context.ts';

/**
 * The refusal by each limit. `tooFew` replaces the catalogue's text when some units are left, but fewer than the
 * operation costs.
 */
const EXCEEDED = {
  project: {
    code: 'QUOTA_EXCEEDED',
    tooFew: 'The project has fewer request units left in this period than this operation costs.',
  },
  key: {
    code: 'KEY_QUOTA_EXCEEDED',
    tooFew: 'This API key has fewer request units left in this period than this operation costs.',
  },
} as const;

export interface MeteringDependencies extends UsageDependencies {
  readonly store: Pick<RequestStore, 'charge' | 'appendEvent' | 'appendEventOncePerMinute'>;
  readonly telemetry: Pick<Telemetry, 'warn' | 'count'>;
}

type Reads = EventPart | 'caller' | 'deadline' | 'beforeCharge' | 'simulated';
type Fills = 'admitted' | 'duplicate' | 'event' | 'units';
type State = Readonly<Pick<RequestState, Reads>> & Pick<RequestState, Fills>;

/**
 * Enforces the quota, and writes the result of the request to the store: a success with its charge and its replay
 * record in one transaction, a refusal as an event of 0 units.
 *
 * @example
 *   middyChain(handler).use(metering({ operation: ping, quotaPeriod: 'month', clock, store, telemetry }));
 */
export function metering(dependencies: MeteringDependencies): GatewayMiddleware<Reads, Fills> {
  return {
    before: ({ context: { state } }) => {
      const { snapshot } = admittedRequest(state);
      const by = exhaustedLimit(snapshot, dependencies.operation.units);
      if (by) throw exceeded(by, state);
    },
    after: async ({ context: { state }, response }) => {
      await settle(dependencies, state, response ?? {});
    },
    // Runs for a refusal by any middleware of the chain, also one before this.
    onError: async ({ context: { state }, error }) => {
      if (error instanceof GatewayError) await recordRefusal(dependencies, state, error);
    },
  };
}

/** Charges a success. It throws the refusal of a limit that was used up since it was read. */
async function settle(dependencies: MeteringDependencies, state: State, response: HttpResponse): Promise<void> {
  const admitted = admittedRequest(state);
  const { snapshot } = admitted;
  const charge = chargeOf(dependencies, state, response);
  const { event } = charge;
  const settlement = await dependencies.store.charge(charge, state.deadline);
  switch (settlement.outcome) {
    case 'settled':
      admitted.quotaUsed += event.units;
      admitted.capUsed += event.units;
      state.event = event.event;
      state.units = event.units;
      return;
    case 'duplicate':
      // The `after` of the idempotency middleware, which follows, replays it. Its units were charged meanwhile.
      admitted.quotaUsed += event.units;
      if (settlement.record.capId === snapshot.cap?.id) admitted.capUsed += event.units;
      state.duplicate = settlement.record;
      return;
    case 'exhausted': {
      const { by, quota } = settlement;
      // The limit may have changed since the request read it. The answer names the limit that refused it.
      state.admitted = {
        ...admitted,
        snapshot: { ...snapshot, ...quota },
        quotaUsed: unitsUsed(quota.counter),
        capUsed: quota.cap?.units ?? 0,
      };
      throw exceeded(by, state);
    }
  }
}

/** What the settlement of a success writes. */
function chargeOf(
  dependencies: UsageDependencies,
  state: State,
  { statusCode: status = 200, body = '' }: HttpResponse,
) {
  const { caller, period, snapshot } = admittedRequest(state);
  const { quotaLimit, shards, counter, cap } = snapshot;
  const { replayKey } = validInput(state);
  const success = { event: 'request_succeeded', status, code: null } as const;
  const outcome = state.beforeCharge ? { ...success, simulated: true as const } : success;
  const charge: Charge = {
    event: decidedEvent(dependencies, { ...state, caller }, outcome),
    period,
    quotaLimit,
    shards,
    counter,
    ...(cap && { cap }),
    receivedAtMs: state.receivedAtMs,
  };
  if (!replayKey) return charge;
  const record = { fingerprint: replayKey.fingerprint, status, body, ...(cap && { capId: cap.id }) };
  return { ...charge, replay: { id: replayKey.id, record } };
}

async function recordRefusal(dependencies: MeteringDependencies, state: State, error: GatewayError): Promise<void> {
  const { store, telemetry } = dependencies;
  const { event, status } = errorDefinition(error.code);
  const { caller, simulated } = state;
  const name = event ?? (simulated ? 'request_rejected' : null);
  // A charged request already has its event: this is `ANSWER_LOST`.
  if (name === null || caller === undefined || state.event !== null) return;
  try {
    const outcome = { event: name, status, code: error.code, detail: error.detail, simulated };
    const decided = decidedEvent(dependencies, { ...state, caller }, outcome);
    // The rate limit does not count refusals before admission, so only one event per minute is kept. A simulated one
    // was counted.
    if (state.admitted || simulated) await store.appendEvent(decided, state.deadline);
    else await store.appendEventOncePerMinute(decided, state.deadline);
    state.event = name;
  } catch (cause) {
    telemetry.count(METRICS.usageEventLost);
    telemetry.warn('A refusal was answered without its usage event.', state.requestId, cause);
  }
}

function exceeded(by: ExhaustedLimit, state: Pick<RequestState, 'admitted' | 'receivedAtMs'>): GatewayError {
  const { period, snapshot, quotaUsed, capUsed } = admittedRequest(state);
  const { code, tooFew } = EXCEEDED[by];
  const [limit, used] = by === 'project' ? [snapshot.quotaLimit, quotaUsed] : [snapshot.cap?.limit, capUsed];
  const detail = exceedsQuota(limit, used, 1) ? undefined : tooFew;
  return new GatewayError(code, quotaRefusal(code, period, state.receivedAtMs, detail));
}
