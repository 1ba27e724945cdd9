import { isoTime } from '../clock.ts';
import type { ErrorCode } from '../http/errors.ts';
import type { UsageEventName } from './usage-event-name.ts';

/** The tokens that a model behind an operation read and wrote. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
}

/**
 * The effect of one request on the ledger. Append-only; the sum of `units` per project and period is the quota counter.
 */
export interface UsageEvent {
  readonly requestId: string;
  readonly projectId: string;
  readonly keyId: string;
  readonly event: UsageEventName;
  /** The operation, such as `sandbox.ping`. */
  readonly operation: string;
  /** HTTP status of the response. */
  readonly status: number;
  readonly code: ErrorCode | null;
  /** Request units charged: the operation's for `request_succeeded`, 0 for every other event. */
  readonly units: number;
  /** Id of the quota period in which the units count. */
  readonly period: string;
  /** From receipt to decision, without the settlement. */
  readonly latencyMs: number;
  /** Null where no model is involved. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly totalTokens: number | null;
  readonly clientRequestId: string | null;
  /** When the request was received: ISO 8601 in UTC with milliseconds. */
  readonly occurredAt: string;
  /** Of a replay and a conflict: the request with the stored response of the Idempotency-Key. */
  readonly originalRequestId: string | null;
  /** Why a request was refused, as in its answer. A fixed text, never input. */
  readonly detail: string | null;
  /** Set: the answer was simulated, on request. */
  readonly simulated?: true;
  /** What the caller's program calls itself: printable ASCII, cut. Null: it says nothing, or the stage keeps none. */
  readonly userAgent: string | null;
  /** The caller's network address, in the form of the stage's setting. Null: the stage keeps none. */
  readonly sourceAddress: string | null;
}

/** The longest `detail` that an event keeps. */
const MAX_DETAIL_CHARACTERS = 200;

/** The facts for a usage event. */
export interface DecidedRequest
  extends
    Partial<Pick<UsageEvent, 'userAgent' | 'sourceAddress'>>,
    Pick<
      UsageEvent,
      'requestId' | 'projectId' | 'keyId' | 'event' | 'operation' | 'status' | 'code' | 'period' | 'clientRequestId'
    > {
  /** Request units of a success. */
  readonly cost: number;
  readonly tokens?: TokenCounts | undefined;
  readonly originalRequestId?: string | undefined;
  readonly detail?: string | undefined;
  readonly simulated?: true | undefined;
  readonly receivedAtMs: number;
  readonly decidedAtMs: number;
}

/**
 * The event of a decided request. Time, latency and period are fixed here, before the first attempt to write it. So a
 * repeated attempt is the same write.
 */
export function usageEvent(request: DecidedRequest): UsageEvent {
  const {
    receivedAtMs,
    decidedAtMs,
    cost,
    tokens,
    originalRequestId = null,
    detail,
    simulated,
    userAgent = null,
    sourceAddress = null,
    ...decided
  } = request;
  return {
    ...decided,
    units: decided.event === 'request_succeeded' ? cost : 0,
    // The wall clock may be set back between the two readings.
    latencyMs: Math.max(0, decidedAtMs - receivedAtMs),
    inputTokens: tokens?.input ?? null,
    outputTokens: tokens?.output ?? null,
    totalTokens: tokens ? tokens.input + tokens.output : null,
    occurredAt: isoTime(receivedAtMs),
    originalRequestId,
    detail: detail === undefined ? null : cut(detail),
    userAgent,
    sourceAddress,
    ...(simulated && { simulated }),
  };
}

const cut = (text: string): string =>
  text.length > MAX_DETAIL_CHARACTERS ? `${text.slice(0, MAX_DETAIL_CHARACTERS - 1)}…` : text;

/** The fields of a usage event in the order of {@link UsageEvent}, for displays and exports. */
export const USAGE_EVENT_FIELDS = [
  'requestId',
  'projectId',
  'keyId',
  'event',
  'operation',
  'status',
  'code',
  'units',
  'period',
  'latencyMs',
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'clientRequestId',
  'occurredAt',
  'originalRequestId',
  'detail',
  'userAgent',
  'sourceAddress',
  'simulated',
] as const satisfies readonly (keyof UsageEvent)[];
