import { keptSourceAddress, keptUserAgent, type SourceAddresses } from '../../shared/settings/caller-origin.ts';
import { isoTime, type Clock } from '../../shared/clock.ts';
import type { Operation } from '../../shared/request/operation.ts';
import { periodAt, type QuotaPeriod } from '../../shared/period.ts';
import type { UsageEvent } from '../../shared/request/usage-event.ts';
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

/** What was decided. */
interface Outcome extends Pick<UsageEvent, 'event' | 'status' | 'code'> {
  readonly detail?: string | undefined;
  readonly simulated?: true | undefined;
}

/** The longest `detail` that an event keeps. */
const MAX_DETAIL_CHARACTERS = 200;

/**
 * The usage event of a request that has just been decided. Time, latency and period are fixed here, before the first
 * attempt to write it. So a repeated attempt is the same write.
 */
export function decidedEvent(
  { operation, quotaPeriod, clock, sourceAddresses = 'none' }: UsageDependencies,
  state: Pick<RequestState, EventPart> & { readonly caller: Caller },
  { event, status, code, detail, simulated }: Outcome,
): UsageEvent {
  const { requestId, receivedAtMs, caller, input, originalRequestId = null, sender } = state;
  const clientRequestId = input === undefined || input instanceof Error ? null : (input.input.clientRequestId ?? null);
  const isSuccess = event === 'request_succeeded';
  const tokens = isSuccess ? state.tokens : undefined;
  return {
    requestId,
    ...caller,
    event,
    operation: operation.name,
    status,
    code,
    units: isSuccess ? operation.units : 0,
    period: periodAt(receivedAtMs, quotaPeriod).id,
    // The wall clock may be set back between the two readings.
    latencyMs: Math.max(0, clock.now() - receivedAtMs),
    inputTokens: tokens?.input ?? null,
    outputTokens: tokens?.output ?? null,
    totalTokens: tokens ? tokens.input + tokens.output : null,
    clientRequestId,
    occurredAt: isoTime(receivedAtMs),
    originalRequestId,
    detail: detail === undefined ? null : cut(detail),
    userAgent: keptUserAgent(sender.userAgent, clientRequestId),
    sourceAddress: keptSourceAddress(sender.address, sourceAddresses),
    ...(simulated && { simulated }),
  };
}

const cut = (text: string): string =>
  text.length > MAX_DETAIL_CHARACTERS ? `${text.slice(0, MAX_DETAIL_CHARACTERS - 1)}…` : text;
