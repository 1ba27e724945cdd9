// A static import of names. The bundler cannot remove unused code from a dynamically imported module: it would have 38
// kB instead of 14.
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { lambdaName, stageName } from './environment.ts';
import { METRIC_NAMESPACE, REQUEST_DIMENSIONS, REQUEST_METRICS } from './names.ts';
import { errorView } from './http/error-view.ts';

interface LoggedRequest {
  readonly durationMs: number;
}

/** How a request is counted. */
interface CountedRequest {
  /** Undefined: none matched. */
  readonly route: string | undefined;
  readonly outcome: string;
  /** Further counts of the request. */
  readonly also: Readonly<Record<string, number>>;
}

/** Structured JSON log lines, and metrics in CloudWatch's embedded format, on stdout, under a service's name. */
export function powertools(serviceName: string, options: { readonly logLevel?: 'WARN' } = {}) {
  const logger = new Logger({ serviceName, ...options });
  const defaultDimensions = { stage: stageName() };
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName, defaultDimensions });
  return {
    /** One line of the log and one of metrics. `failure` is the cause of a 5xx. */
    request: (entry: LoggedRequest, failure: unknown, { route, outcome, also }: CountedRequest): void => {
      if (failure === undefined) logger.info('request', { ...entry });
      else logger.error('request', { ...entry, error: errorView(failure) });
      metrics.captureColdStartMetric(lambdaName());
      metrics
        .addDimension(REQUEST_DIMENSIONS.route, route ?? 'none')
        .addDimension(REQUEST_DIMENSIONS.outcome, outcome)
        .addMetric(REQUEST_METRICS.requests, MetricUnit.Count, 1)
        .addMetric(REQUEST_METRICS.latency, MetricUnit.Milliseconds, entry.durationMs);
      for (const [name, count] of Object.entries(also)) {
        if (count > 0) metrics.addMetric(name, MetricUnit.Count, count);
      }
      metrics.publishStoredMetrics();
    },
    info: (message: string, details: object): void => {
      logger.info(message, { ...details });
    },
    warn: (message: string, details: object, cause?: unknown): void => {
      logger.warn(message, { ...details, ...(cause !== undefined && { error: errorView(cause) }) });
    },
    count: (metric: string, by = 1): void => {
      metrics.singleMetric().addMetric(metric, MetricUnit.Count, by);
    },
  };
}
