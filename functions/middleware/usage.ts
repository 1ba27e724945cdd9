import type { Clock } from '../core/clock.ts';
import type { Operation } from '../core/operation.ts';
import { periodAt, type QuotaPeriod } from '../core/period.ts';
import { usageEvent, type UsageEvent } from '../core/usage-event.ts';
import type { Caller, RequestState } from './request-state.ts';

export interface UsageDependencies {
  readonly operation: Operation;
  readonly quotaPeriod: QuotaPeriod;
  readonly clock: Clock;
}

/** The usage event of a request that has just been decided. */
export function decidedEvent(
  { operation, quotaPeriod, clock }: UsageDependencies,
  state: RequestState & { readonly caller: Caller },
  outcome: Pick<UsageEvent, 'event' | 'status' | 'code'>,
): UsageEvent {
  const { requestId, receivedAtMs, caller, input, tokens } = state;
  return usageEvent({
    requestId,
    ...caller,
    operation: operation.name,
    cost: operation.units,
    ...outcome,
    ...(outcome.event === 'request_succeeded' && { tokens }),
    period: periodAt(receivedAtMs, quotaPeriod).id,
    clientRequestId: input === undefined || input instanceof Error ? null : (input.input.clientRequestId ?? null),
    receivedAtMs,
    decidedAtMs: clock.now(),
  });
}
