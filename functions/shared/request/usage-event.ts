import type { ErrorCode } from '../http/errors.ts';
import type { UsageEventName } from '../names.ts';

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
  /** Request units charged: what the execution cost for `request_succeeded`, 0 for every other event. */
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
  /**
   * The tag of its Idempotency-Key (`idempotencyTag` of `metered-request.ts`); null: it had none. Absent from an event
   * of a version that kept none: unknown.
   */
  readonly idempotencyTag?: string | null;
  /** Set: the answer was simulated, on request. */
  readonly simulated?: true;
  /** What the caller's program calls itself: printable ASCII, cut. Null: it says nothing, or the stage keeps none. */
  readonly userAgent: string | null;
  /** The caller's network address, in the form of the stage's setting. Null: the stage keeps none. */
  readonly sourceAddress: string | null;
}

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
  'idempotencyTag',
] as const satisfies readonly (keyof UsageEvent)[];
