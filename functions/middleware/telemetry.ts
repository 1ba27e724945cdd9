import type { MetricName } from '../wiring.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { UsageEventName } from '../core/usage-event-name.ts';

/** One line of the request log. Never a key, an Idempotency-Key or a body. */
export interface RequestLogEntry {
  readonly requestId: string;
  /** API Gateway's own request id: joins this line with the access log. */
  readonly apiRequestId: string;
  /** The route that API Gateway matched, `$default` for none: unlike a path, never the caller's words. */
  readonly routeKey: string;
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly event: UsageEventName | null;
  /** Request units charged. */
  readonly units: number;
  readonly projectId: string | null;
  readonly keyId: string | null;
  /** From receipt to the response, settlement included. */
  readonly durationMs: number;
}

/** Where the functions report to. */
export interface Telemetry {
  /** Logs a finished request and adds it to the metrics. `failure` is what made it a 5xx. */
  request(entry: RequestLogEntry, failure?: unknown): void;
  /** Logs what an operator should see although the request was answered. */
  warn(message: string, requestId: string, cause?: unknown): void;
  /** Adds one to a metric. */
  count(metric: MetricName): void;
}
