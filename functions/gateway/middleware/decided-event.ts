import { keptSourceAddress, keptUserAgent, type SourceAddresses } from '../../shared/rules/settings/caller-origin.ts';
import type { Clock } from '../../shared/rules/clock.ts';
import type { Operation } from '../../shared/rules/request/operation.ts';
import { periodAt, type QuotaPeriod } from '../../shared/rules/period.ts';
import { usageEvent, type DecidedRequest, type UsageEvent } from '../../shared/rules/usage/usage-event.ts';
import type { Caller, RequestState } from './request-state.ts';

/** What an event says beside the state of its request. */
export interface UsageDependencies {
  readonly operation: Operation;
  readonly quotaPeriod: QuotaPeriod;
  /** The form in which events keep the addresses of callers; absent: none. */
  readonly sourceAddresses?: SourceAddresses | undefined;
  readonly clock: Clock;
}

/** The parts of a request's state that its event is made of. */
export type EventPart = 'requestId' | 'receivedAtMs' | 'sender' | 'input' | 'tokens' | 'originalRequestId';

/** The usage event of a request that has just been decided. */
export function decidedEvent(
  { operation, quotaPeriod, clock, sourceAddresses = 'none' }: UsageDependencies,
  state: Pick<RequestState, EventPart> & { readonly caller: Caller },
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
