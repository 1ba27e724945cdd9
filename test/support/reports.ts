import type { PortalLogEntry, PortalTelemetry } from '../../functions/portal/request/telemetry.ts';
import type { RequestLogEntry, Telemetry } from '../../functions/gateway/middleware/request-context.ts';
import { errorView } from '../../functions/shared/telemetry.ts';
import { noteError, noteOutput } from './secrets/journal.ts';
import { NOW_MS } from './times.ts';

/** A fixed clock, until a test sets it. */
export interface TestClock {
  nowMs: number;
  now(): number;
}
export const testClock = (nowMs = NOW_MS): TestClock => ({
  nowMs,
  now() {
    return this.nowMs;
  },
});

/** The reports of the chain. */
export function testTelemetry() {
  const report = {
    requests: [] as RequestLogEntry[],
    failures: [] as unknown[],
    warnings: [] as string[],
    metrics: [] as string[],
  };
  const telemetry: Telemetry = {
    request: (entry, failure) => {
      report.requests.push(entry);
      noteReport('the request log', entry, failure);
      if (failure !== undefined) report.failures.push(failure instanceof Error ? (failure.cause ?? failure) : failure);
    },
    warn: (message, requestId, cause) => {
      report.warnings.push(message);
      noteReport('a warning', { message, requestId }, cause);
    },
    count: (metric) => {
      report.metrics.push(metric);
      noteReport('a metric', { metric });
    },
  };
  return { ...report, ...telemetry };
}

/** The reports of the portal. */
export function testPortalTelemetry() {
  const report = {
    requests: [] as PortalLogEntry[],
    failures: [] as unknown[],
    warnings: [] as { readonly message: string; readonly cause: unknown }[],
    metrics: [] as string[],
  };
  const telemetry: PortalTelemetry = {
    count: (metric) => {
      report.metrics.push(metric);
      noteReport("the portal's metric", { metric });
    },
    request: (entry, failure) => {
      report.requests.push(entry);
      noteReport("the portal's request log", entry, failure);
      if (failure !== undefined) report.failures.push(failure);
    },
    warn: (message, requestId, cause) => {
      report.warnings.push({ message, cause });
      noteReport("the portal's warning", { message, requestId }, cause);
    },
    refused: (message, requestId, cause) => {
      const reason = errorView(cause).message;
      report.warnings.push({ message, cause: reason });
      noteReport("the portal's refusal", { message, requestId, reason });
    },
  };
  return { ...report, ...telemetry };
}

/** Notes a report and its error for the search of the whole run for secrets. */
function noteReport(source: string, reported: object, error?: unknown): void {
  noteOutput(source, JSON.stringify(reported));
  if (error === undefined) return;
  noteOutput(`${source}: its error as logged`, JSON.stringify(errorView(error)));
  noteError(`${source}: its error`, error);
}
