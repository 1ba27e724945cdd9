import { METRICS } from '../../shared/names.ts';
import { keptSourceAddress, keptUserAgent, type SourceAddresses } from '../../shared/rules/caller-origin.ts';
import type { Clock } from '../../shared/rules/clock.ts';
import { errorDefinition, GatewayError } from '../../shared/rules/errors.ts';
import type { RequestStore } from '../../shared/rules/request-store.ts';
import { exceedsQuota, exhaustedLimit, unitsUsed, type ExhaustedLimit } from '../../shared/rules/quota-shards.ts';
import {
  admittedRequest,
  checkedInput,
  type GatewayMiddleware,
  type HttpResponse,
  type RequestState,
  type Caller,
} from './request-state.ts';
import { quotaRefusal } from './quota-refusal.ts';
import type { Telemetry } from './telemetry.ts';
import type { Operation } from '../../shared/rules/operation.ts';
import { periodAt, type QuotaPeriod } from '../../shared/rules/period.ts';
import { usageEvent, type DecidedRequest, type UsageEvent } from '../../shared/rules/usage-event.ts';

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

/**
 * Enforces the quota, and writes the result of the request to the store: a success with its charge and its replay
 * record in one transaction, a refusal as an event of 0 units.
 */
export function metering({ store, telemetry, ...usage }: MeteringDependencies): GatewayMiddleware {
  const settle = async (state: RequestState, response: HttpResponse): Promise<void> => {
    const admitted = admittedRequest(state);
    const { caller, period, snapshot } = admitted;
    const { replayKey } = checkedInput(state);
    const status = response.statusCode ?? 200;
    const simulated = state.beforeCharge && true;
    const outcome = { event: 'request_succeeded', status, code: null, simulated } as const;
    const event = decidedEvent(usage, { ...state, caller }, outcome);
    const settlement = await store.charge(
      {
        event,
        period,
        quotaLimit: snapshot.quotaLimit,
        shards: snapshot.shards,
        counter: snapshot.counter,
        ...(snapshot.cap && { cap: snapshot.cap }),
        receivedAtMs: state.receivedAtMs,
        ...(replayKey && {
          replay: {
            id: replayKey.id,
            record: {
              fingerprint: replayKey.fingerprint,
              status,
              body: response.body ?? '',
              ...(snapshot.cap && { capId: snapshot.cap.id }),
            },
          },
        }),
      },
      state.deadline,
    );
    switch (settlement.outcome) {
      case 'settled':
        admitted.quotaUsed += event.units;
        admitted.capUsed += event.units;
        state.event = event.event;
        state.units = event.units;
        return;
      case 'duplicate':
        // The idempotency middleware, whose `after` is next, replays it. The duplicate's units were charged meanwhile.
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
  };

  const recordRefusal = async (state: RequestState, error: GatewayError): Promise<void> => {
    const { event, status } = errorDefinition(error.code);
    const { caller, simulated } = state;
    const name = event ?? (simulated ? 'request_rejected' : null);
    // A charged request already has its event: this is `ANSWER_LOST`.
    if (name === null || caller === undefined || state.event !== null) return;
    try {
      const outcome = { event: name, status, code: error.code, detail: error.detail, simulated };
      const decided = decidedEvent(usage, { ...state, caller }, outcome);
      // The rate limit does not count refusals before admission, so only one event per minute is kept. A simulated one
      // was counted.
      if (state.admitted || simulated) await store.appendEvent(decided, state.deadline);
      else await store.appendEventOncePerMinute(decided, state.deadline);
      state.event = name;
    } catch (cause) {
      telemetry.count(METRICS.usageEventLost);
      telemetry.warn('A refusal was answered without its usage event.', state.requestId, cause);
    }
  };

  return {
    before: ({ context: { state } }) => {
      const { snapshot } = admittedRequest(state);
      const by = exhaustedLimit(snapshot, usage.operation.units);
      if (by) throw exceeded(by, state);
    },
    after: async ({ context: { state }, response }) => {
      await settle(state, response ?? {});
    },
    // Runs for a refusal by any middleware of the chain, also one before this.
    onError: async ({ context: { state }, error }) => {
      if (error instanceof GatewayError) await recordRefusal(state, error);
    },
  };
}

function exceeded(by: ExhaustedLimit, state: RequestState): GatewayError {
  const { period, snapshot, quotaUsed, capUsed } = admittedRequest(state);
  const { code, tooFew } = EXCEEDED[by];
  const [limit, used] = by === 'project' ? [snapshot.quotaLimit, quotaUsed] : [snapshot.cap?.limit, capUsed];
  const detail = exceedsQuota(limit, used, 1) ? undefined : tooFew;
  return new GatewayError(code, quotaRefusal(code, period, state.receivedAtMs, detail));
}

export interface UsageDependencies {
  readonly operation: Operation;
  readonly quotaPeriod: QuotaPeriod;
  /** The form in which events keep the addresses of callers; absent: none. */
  readonly sourceAddresses?: SourceAddresses | undefined;
  readonly clock: Clock;
}

/** The usage event of a request that has just been decided. */
export function decidedEvent(
  { operation, quotaPeriod, clock, sourceAddresses = 'none' }: UsageDependencies,
  state: RequestState & { readonly caller: Caller },
  outcome: Pick<DecidedRequest, 'event' | 'status' | 'code' | 'detail' | 'simulated'>,
): UsageEvent {
  const { requestId, receivedAtMs, caller, input, tokens, originalRequestId, sender } = state;
  const clientRequestId = input === undefined || input instanceof Error ? null : (input.input.clientRequestId ?? null);
  return usageEvent({
    requestId,
    ...caller,
    operation: operation.name,
    cost: operation.units,
    ...outcome,
    ...(outcome.event === 'request_succeeded' && { tokens }),
    period: periodAt(receivedAtMs, quotaPeriod).id,
    clientRequestId,
    originalRequestId,
    userAgent: keptUserAgent(sender.userAgent, clientRequestId),
    sourceAddress: keptSourceAddress(sender.address, sourceAddresses),
    receivedAtMs,
    decidedAtMs: clock.now(),
  });
}
