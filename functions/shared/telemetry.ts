import { withoutApiKeys } from './credentials/credential-text.ts';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { lambdaName, stageName } from './system.ts';
import { METRIC_NAMESPACE, REQUEST_METRICS } from './names.ts';

/** What a log may show of an error. */
export interface ErrorView {
  readonly name: string;
  readonly message: string;
  /** Where it was thrown, without the message. */
  readonly stack?: string;
  readonly cause?: ErrorView;
}

/** From the first to the last quote or brace: services and runtimes quote their input there. */
const QUOTED = /['"`{][^]*['"`}]/;

/**
 * The lines at the end of a stack that name places. A line of a message can begin like one, but does not end like one.
 */
const FRAMES = /(?:\n +at .*[\d>]\)?)*$/;

/** How many causes are followed: an error may be its own cause. */
const MAX_CAUSES = 5;

/**
 * The loggable part of an error and its causes. The errors of the AWS SDK contain the raw response and the items of a
 * failed condition. A parser's message quotes its input, and a service's message quotes the request. None of that may
 * be logged.
 */
export function errorView(error: unknown, causesLeft = MAX_CAUSES): ErrorView {
  if (!(error instanceof Error)) return { name: typeof error, message: 'not an error' };
  const { name, message, stack = '', cause } = error;
  const frames = FRAMES.exec(stack)?.[0].slice(1);
  return {
    name,
    message: error instanceof SyntaxError ? 'withheld: it quotes what was parsed' : withoutInput(message),
    ...(frames && { stack: frames }),
    ...(cause !== undefined && causesLeft > 0 && { cause: errorView(cause, causesLeft - 1) }),
  };
}

const withoutInput = (message: string): string => withoutApiKeys(message.replace(QUOTED, '…'));

// A static import of names. The bundler cannot remove unused code from a dynamically imported module: it would have 38
// kB instead of 14.

interface LoggedRequest {
  readonly durationMs: number;
}

/** How a request is counted. */
interface CountedRequest {
  /** Besides service and stage: of low cardinality. */
  readonly dimensions: Readonly<Record<string, string>>;
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
    request: (entry: LoggedRequest, failure: unknown, { dimensions, also }: CountedRequest): void => {
      if (failure === undefined) logger.info('request', { ...entry });
      else logger.error('request', { ...entry, error: errorView(failure) });
      metrics.captureColdStartMetric(lambdaName());
      for (const [name, value] of Object.entries(dimensions)) metrics.addDimension(name, value);
      metrics
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
