import type { PortalMetricName } from '../../shared/names.ts';
import type { PortalErrorCode } from '../contract/errors.ts';
import type { ManageErrorCode } from '../contract/manage-errors.ts';

/** One line of the portal's request log. It never contains a key, a token, an address, a name or a body. */
export interface PortalLogEntry {
  readonly requestId: string;
  /** API Gateway's own request id: joins this line with the access log. */
  readonly apiRequestId: string;
  /** Method and path of the contract, such as `GET /api/session`; null: none matched. It is never input. */
  readonly route: string | null;
  readonly status: number;
  readonly code: PortalErrorCode | ManageErrorCode | null;
  /** The person of the session; null: nobody is signed in. */
  readonly userId: string | null;
  /** The management token's id, never the token; null: the request had none. */
  readonly tokenId: string | null;
  /** From receipt to the response. */
  readonly durationMs: number;
}

/** The logs and metrics of the portal. */
export interface PortalTelemetry {
  /** Logs a finished request and adds it to the metrics. `failure` is the cause of a 5xx. */
  request(entry: PortalLogEntry, failure?: unknown): void;
  /** Logs what the platform team should see although the request was answered. */
  warn(message: string, requestId: string, cause: unknown): void;
  /** Logs in one short line, without a stack, a refusal that anybody can bring about. */
  refused(message: string, requestId: string, cause: unknown): void;
  /** Adds one to a count. */
  count(metric: PortalMetricName): void;
}
