// A static import of names. The bundler cannot remove unused code from a dynamically imported module.
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type * as v from 'valibot';
import { errorView } from '../shared/rules/error-view.ts';
import { readKeyTagSecrets } from '../shared/rules/api-key.ts';
import { readNamed, setText } from '../shared/rules/named-value.ts';
import { QuotaPeriodText, type QuotaPeriod } from '../shared/rules/period.ts';
import { ENVIRONMENT, METRIC_NAMESPACE, NOTICES_ENVIRONMENT, NOTICES_SERVICE } from '../shared/names.ts';
import type { NoticesTelemetry } from './dependencies.ts';

/** The default name of the stage. */
const LOCAL_STAGE = 'local';

/** Reads a variable of the environment. Throws `SettingsError`. */
const read = <S extends v.GenericSchema>(name: string, schema: S): v.InferOutput<S> =>
  readNamed(name, process.env[name], schema);
const required = (name: string): string => read(name, setText);
const optional = (name: string): string | undefined => process.env[name] || undefined;

/** The notices function's only access to the environment. It checks its settings at start. */
export const settings = {
  tables: () => ({ gateway: required(ENVIRONMENT.gatewayTable), usage: required(ENVIRONMENT.usageTable) }),
  /** Whether `npm start` runs it. Then endpoints on this machine may be called. */
  isLocal: (): boolean => !process.env[ENVIRONMENT.stage] && process.env.AWS_LAMBDA_FUNCTION_NAME === undefined,
  stage: (): string => process.env[ENVIRONMENT.stage] || LOCAL_STAGE,
  quotaPeriod: () => read(ENVIRONMENT.quotaPeriod, QuotaPeriodText) as QuotaPeriod,
  portalOrigin: () => required(ENVIRONMENT.portalOrigin),
  keyTagSecrets: () => readKeyTagSecrets(ENVIRONMENT.keyTagSecrets, required(ENVIRONMENT.keyTagSecrets)),
  mailQueueUrl: () => required(NOTICES_ENVIRONMENT.mailQueueUrl),
  webhookQueueUrl: () => required(NOTICES_ENVIRONMENT.webhookQueueUrl),
  mailFrom: () => optional(NOTICES_ENVIRONMENT.mailFrom),
  failuresBucket: () => optional(NOTICES_ENVIRONMENT.failuresBucket),
  sesConfigurationSet: () => optional(NOTICES_ENVIRONMENT.sesConfigurationSet),
};

/** Powertools' own variable. */
const LOG_LEVEL = 'POWERTOOLS_LOG_LEVEL';

/** Structured JSON log lines, and metrics in CloudWatch's embedded format, on stdout. */
export function powertoolsTelemetry(): NoticesTelemetry {
  const logger = new Logger({
    serviceName: NOTICES_SERVICE,
    // On this machine the mailbox shows the mails. Log lines about them would push the banner of `npm start` off the
    // screen.
    ...(settings.isLocal() && !process.env[LOG_LEVEL] && { logLevel: 'WARN' }),
  });
  const metrics = new Metrics({
    namespace: METRIC_NAMESPACE,
    serviceName: NOTICES_SERVICE,
    defaultDimensions: { stage: settings.stage() },
  });
  return {
    info: (message, details) => {
      logger.info(message, details);
    },
    warn: (message, details, cause) => {
      logger.warn(message, { ...details, ...(cause !== undefined && { error: errorView(cause) }) });
    },
    count: (metric, by = 1) => {
      metrics.singleMetric().addMetric(metric, MetricUnit.Count, by);
    },
  };
}
