import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { ENVIRONMENT, METRIC_NAMESPACE } from './contract.ts';
import { errorView } from './core/error-view.ts';
import { readQuotaPeriod } from './core/period.ts';
import type { ChainDependencies } from './middleware/chain.ts';
import type { Telemetry } from './middleware/telemetry.ts';
import { system } from './system.ts';

const SERVICE = 'sandbox-gateway';

/** The one door to the environment: the settings of a function, checked when it starts. */
export const settings = {
  /** Origins of `PORTAL_ORIGIN` and `LOCAL_DEV_ORIGIN`, those that are set. */
  allowedOrigins: (): string[] =>
    [process.env[ENVIRONMENT.portalOrigin], process.env[ENVIRONMENT.localDevOrigin]].filter(
      (origin) => !!origin,
    ) as string[],
  tables: () => ({ gateway: required(ENVIRONMENT.gatewayTable), usage: required(ENVIRONMENT.usageTable) }),
  quotaPeriod: () => readQuotaPeriod(ENVIRONMENT.quotaPeriod, process.env[ENVIRONMENT.quotaPeriod]),
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
  const logger = new Logger({ serviceName: SERVICE });
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: SERVICE });
  return {
    request: (entry, failure) => {
      if (failure === undefined) logger.info('request', { ...entry });
      else logger.error('request', { ...entry, error: errorView(failure) });
    },
    warn: (message, requestId, cause) => {
      logger.warn(message, { requestId, error: errorView(cause) });
    },
    count: (metric) => {
      metrics.singleMetric().addMetric(metric, MetricUnit.Count, 1);
    },
  };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}
