import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import * as v from 'valibot';
import {
  DEFAULT_USAGE_RETENTION_DAYS,
  ENVIRONMENT,
  METRIC_NAMESPACE,
  REQUEST_DIMENSIONS,
  REQUEST_METRICS,
  SERVICE,
} from '../shared/names.ts';
import { SOURCE_ADDRESSES } from '../shared/rules/caller-origin.ts';
import { errorView } from '../shared/rules/error-view.ts';
import { readKeyTagSecrets } from '../shared/rules/api-key.ts';
import { readNamed, setText, wholeNumber } from '../shared/rules/named-value.ts';
import { QuotaPeriodText, type QuotaPeriod } from '../shared/rules/period.ts';
import type { ChainDependencies } from './middleware/chain.ts';
import type { RequestLogEntry, Telemetry } from './middleware/telemetry.ts';
import { system } from '../shared/system.ts';

/** Value of the dimension `stage` when no stage is set. */
const LOCAL_STAGE = 'local';
/** A hundred years. */
const MAX_DAYS = 36_500;

const Days = v.optional(
  wholeNumber(1, MAX_DAYS, 'must be a whole number of days.'),
  String(DEFAULT_USAGE_RETENTION_DAYS),
);

const NO_FORM = `must be one of ${SOURCE_ADDRESSES.join(', ')}.`;

/** Reads a variable of the environment. Throws `SettingsError`. */
const read = <S extends v.GenericSchema>(name: string, schema: S): v.InferOutput<S> =>
  readNamed(name, process.env[name], schema);

/** The only access to the environment: the settings of a function, checked when it starts. */
export const settings = {
  /** Undefined: the stage knows no portal. */
  portalOrigin: (): string | undefined => process.env[ENVIRONMENT.portalOrigin] || undefined,
  /** Origins of `PORTAL_ORIGIN` and `LOCAL_DEV_ORIGIN`, if set. */
  allowedOrigins: (): string[] =>
    [settings.portalOrigin(), process.env[ENVIRONMENT.localDevOrigin]].flatMap((origin) => origin || []),
  tables: () => ({ gateway: read(ENVIRONMENT.gatewayTable, setText), usage: read(ENVIRONMENT.usageTable, setText) }),
  /** Required: without them no key can be distinguished from a forged one, and the function does not start. */
  keyTagSecrets: () => readKeyTagSecrets(ENVIRONMENT.keyTagSecrets, read(ENVIRONMENT.keyTagSecrets, setText)),
  quotaPeriod: () => read(ENVIRONMENT.quotaPeriod, QuotaPeriodText) as QuotaPeriod,
  sourceAddresses: () => read(ENVIRONMENT.sourceAddresses, v.optional(v.picklist(SOURCE_ADDRESSES, NO_FORM), 'none')),
  usageRetentionDays: () => Number(read(ENVIRONMENT.usageRetentionDays, Days)),
};

/** The dependencies of both functions' chains, from the environment. */
export const chainDependencies = (): ChainDependencies => ({
  ...system,
  portalOrigin: settings.portalOrigin(),
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
function publishRequest(metrics: Metrics, { routeKey, outcome, durationMs, units }: RequestLogEntry): void {
  metrics.captureColdStartMetric(process.env.AWS_LAMBDA_FUNCTION_NAME);
  metrics
    .addDimension(REQUEST_DIMENSIONS.route, routeKey || 'none')
    .addDimension(REQUEST_DIMENSIONS.outcome, outcome)
    .addMetric(REQUEST_METRICS.requests, MetricUnit.Count, 1)
    .addMetric(REQUEST_METRICS.latency, MetricUnit.Milliseconds, durationMs);
  if (units > 0) metrics.addMetric(REQUEST_METRICS.unitsCharged, MetricUnit.Count, units);
  metrics.publishStoredMetrics();
}
