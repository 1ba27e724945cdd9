import type { MetricName } from '../../shared/names.ts';
import type { ErrorCode } from '../../shared/rules/http/errors.ts';
import type { UsageEventName } from '../../shared/rules/usage/usage-event-name.ts';

/** One line of the request log. It never contains a key, an Idempotency-Key or a body. */
export interface RequestLogEntry {
  readonly requestId: string;
  /** API Gateway's own request id: joins this line with the access log. */
  readonly apiRequestId: string;
  /** The route that API Gateway matched, `$default` for none. Unlike a path, it holds no text of the caller. */
  readonly routeKey: string;
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly event: UsageEventName | null;
  /** For sums: `simulated` for a simulation, else the code, the event, or `ok` where there is neither. */
  readonly outcome: string;
  /** Request units charged. */
  readonly units: number;
  readonly projectId: string | null;
  readonly keyId: string | null;
  /** From receipt to the response, settlement included. */
  readonly durationMs: number;
}

/** The logs and metrics of the functions. */
export interface Telemetry {
  /** Logs a finished request and adds it to the metrics. `failure` is the cause of a 5xx. */
  request(entry: RequestLogEntry, failure?: unknown): void;
  /** Logs what the platform team should see although the request was answered. */
  warn(message: string, requestId: string, cause?: unknown): void;
  /** Adds one to a metric. */
  count(metric: MetricName): void;
}
