import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import {
  DEFAULT_USAGE_RETENTION_DAYS,
  ENVIRONMENT,
  METRIC_NAMESPACE,
  REQUEST_DIMENSIONS,
  REQUEST_METRICS,
  SERVICE,
} from './wiring.ts';
import { errorView } from './core/error-view.ts';
import { readKeyTagSecrets } from './core/key-tag.ts';
import { readQuotaPeriod } from './core/period.ts';
import type { ChainDependencies } from './middleware/chain.ts';
import type { RequestLogEntry, Telemetry } from './middleware/telemetry.ts';
import { system } from './system.ts';

/** Value of the dimension `stage` where no stage is set. */
const LOCAL_STAGE = 'local';

/** The one door to the environment: the settings of a function, checked when it starts. */
export const settings = {
  /** Origins of `PORTAL_ORIGIN` and `LOCAL_DEV_ORIGIN`, those that are set. */
  allowedOrigins: (): string[] =>
    [process.env[ENVIRONMENT.portalOrigin], process.env[ENVIRONMENT.localDevOrigin]].filter(
      (origin) => !!origin,
    ) as string[],
  tables: () => ({ gateway: required(ENVIRONMENT.gatewayTable), usage: required(ENVIRONMENT.usageTable) }),
  /** Without them no key could be told from a forged one: the function does not start. */
  keyTagSecrets: () => readKeyTagSecrets(ENVIRONMENT.keyTagSecrets, required(ENVIRONMENT.keyTagSecrets)),
  quotaPeriod: () => readQuotaPeriod(ENVIRONMENT.quotaPeriod, process.env[ENVIRONMENT.quotaPeriod]),
  usageRetentionDays: () => readDays(ENVIRONMENT.usageRetentionDays, DEFAULT_USAGE_RETENTION_DAYS),
};

/** What both functions' chains need, from the environment they run in. */
export const chainDependencies = (): ChainDependencies => ({
  clock: system.clock,
  newId: system.newId,
  startDeadline: system.startDeadline,
  allowedOrigins: settings.allowedOrigins(),
  telemetry: powertoolsTelemetry(),
});

/** Structured JSON log lines, and metrics in CloudWatch's embedded format, on stdout. */
function powertoolsTelemetry(): Telemetry {
  const stage = process.env[ENVIRONMENT.stage] || LOCAL_STAGE;
  const logger = new Logger({ serviceName: SERVICE });
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: SERVICE, defaultDimensions: { stage } });
  return {
    request: (entry, failure) => {
      if (failure === undefined) logger.info('request', { ...entry });
      else logger.error('request', { ...entry, error: errorView(failure) });
      publishRequest(metrics, entry);
    },
    warn: (message, requestId, cause) => {
      logger.warn(message, { requestId, error: errorView(cause) });
    },
    count: (metric) => {
      metrics.singleMetric().addMetric(metric, MetricUnit.Count, 1);
    },
  };
}

/** All metrics of a request as one line. */
function publishRequest(metrics: Metrics, { routeKey, code, event, durationMs, units }: RequestLogEntry): void {
  metrics.captureColdStartMetric(process.env.AWS_LAMBDA_FUNCTION_NAME);
  metrics
    .addDimension(REQUEST_DIMENSIONS.route, routeKey || 'none')
    .addDimension(REQUEST_DIMENSIONS.outcome, code ?? event ?? 'ok')
    .addMetric(REQUEST_METRICS.requests, MetricUnit.Count, 1)
    .addMetric(REQUEST_METRICS.latency, MetricUnit.Milliseconds, durationMs);
  if (units > 0) metrics.addMetric(REQUEST_METRICS.unitsCharged, MetricUnit.Count, units);
  metrics.publishStoredMetrics();
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}

function readDays(name: string, otherwise: number): number {
  const text = process.env[name];
  if (!text) return otherwise;
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1) throw new Error(`${name} must be a whole number of days.`);
  return days;
}
