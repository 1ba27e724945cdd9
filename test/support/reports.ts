import type { RequestLogEntry, Telemetry } from '../../functions/middleware/telemetry.ts';
import { NOW_MS } from './times.ts';

/** A clock that stands until it is set. */
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

/** What the chain reported. */
export interface Report extends Telemetry {
  readonly requests: RequestLogEntry[];
  readonly failures: unknown[];
  readonly warnings: string[];
  readonly metrics: string[];
}
export function testTelemetry(): Report {
  const report = {
    requests: [] as RequestLogEntry[],
    failures: [] as unknown[],
    warnings: [] as string[],
    metrics: [] as string[],
  };
  return {
    ...report,
    request: (entry, failure) => {
      report.requests.push(entry);
      if (failure !== undefined) report.failures.push(failure instanceof Error ? (failure.cause ?? failure) : failure);
    },
    warn: (message) => report.warnings.push(message),
    count: (metric) => report.metrics.push(metric),
  };
}
