import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats, type IMetric, type MetricProps } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import {
  METRIC_NAMESPACE,
  METRICS,
  REQUEST_DIMENSIONS,
  SERVICE,
  type FunctionName,
  type MetricName,
} from '../../functions/shared/names.ts';
import type { Stage } from '../stack-names.ts';
import type { Tables } from '../tables.ts';

/** The monitored resources. */
export interface Monitored {
  readonly stage: Stage;
  readonly apiId: string;
  readonly functions: Readonly<Record<FunctionName, Alias>>;
  readonly tables: Tables;
  /** Concurrent executions that the account may have in the region. */
  readonly concurrencyQuota: number;
  /** With a probe: shares of its runs, in percent. */
  readonly probe?: {
    readonly failed: IMetric;
    readonly wrongAnswers: IMetric;
    readonly portalFailed: IMetric | undefined;
  };
}

export const MINUTE = Duration.minutes(1);
export const FIVE_MINUTES = Duration.minutes(5);
export const HOUR = Duration.hours(1);

/** Requests that API Gateway throttled, counted from its access log: its own metrics do not separate 429. */
export const THROTTLED_REQUESTS = 'ThrottledRequests';

/** Nobody counts it: its alarm is set off by hand. */
export const PAGER_TEST = 'PagerTest';

/** A custom count of a service, by its name, summed over a time. */
export type Counts<Name> = (stage: Stage, metricName: Name, period?: Duration) => Metric;

/** The custom counts of a service. */
export const countsOf =
  (service: string, usualPeriod: Duration): Counts<string> =>
  (stage, metricName, period = usualPeriod) =>
    new Metric({
      namespace: METRIC_NAMESPACE,
      metricName,
      dimensionsMap: { service, stage },
      statistic: Stats.SUM,
      period,
    });

/** A custom count of the gateway. */
export const ownCount: Counts<MetricName | typeof THROTTLED_REQUESTS | typeof PAGER_TEST> = countsOf(SERVICE, MINUTE);

/**
 * One series for each outcome of a service's requests, such as `request_succeeded` or `RATE_LIMIT_EXCEEDED`. It is a
 * search, so a new one is shown from its first request on.
 */
export const outcomesOf =
  (service: string, dimensions: readonly string[]) =>
  (stage: Stage, metricName: string, statistic: string, filter = ''): MathExpression =>
    search(
      `{${[METRIC_NAMESPACE, 'service', 'stage', ...dimensions].join(',')}} MetricName="${metricName}" service="${service}" stage="${stage}" ${filter}`.trim(),
      statistic,
      "${PROP('Dim.outcome')}",
    );

/** The same of the gateway. */
export const requestsByOutcome = outcomesOf(SERVICE, REQUEST_DIMENSIONS);

/** Cold starts of each function. */
export const coldStarts = (stage: Stage): MathExpression =>
  search(
    `{${METRIC_NAMESPACE},function_name,service,stage} MetricName="ColdStart" stage="${stage}"`,
    Stats.SUM,
    "${PROP('Dim.function_name')}",
  );

/** All metrics that a search finds, each as a series of its own. */
const search = (query: string, statistic: string, label: string): MathExpression =>
  new MathExpression({ expression: `SEARCH('${query}', '${statistic}')`, label, period: MINUTE });

/** API Gateway's view of all requests. */
export const apiMetric = (apiId: string, metricName: string, statistic: string, period = MINUTE): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    dimensionsMap: { ApiId: apiId, Stage: '$default' },
    statistic,
    period,
  });

/**
 * The p99 of response times for callers, with cold starts and API Gateway's own time; 0 with too few requests: then it
 * is only the slowest one, a cold start.
 */
export const latencyOfMany = (apiId: string, leastRequests: number, period: Duration): MathExpression =>
  new MathExpression({
    expression: `IF(requests >= ${leastRequests}, p99, 0)`,
    usingMetrics: {
      requests: apiMetric(apiId, 'Latency', Stats.SAMPLE_COUNT, period),
      p99: apiMetric(apiId, 'Latency', 'p99', period),
    },
    label: 'p99, ms',
    period,
  });

/** Concurrent executions of the account in the region that are used or reserved. */
export const claimedConcurrency = (): Metric =>
  new Metric({
    namespace: 'AWS/Lambda',
    metricName: 'ClaimedAccountConcurrency',
    statistic: Stats.MAXIMUM,
    period: MINUTE,
  });

/** With fewer, a share of errors is 0: one of ten requests at night must wake nobody. */
export const FEWEST_ERRORS = 5;

/**
 * Share of 5xx among all responses, in percent, without those that were simulated; 0 with fewer than {@link
 * FEWEST_ERRORS}. API Gateway counts simulated ones, too, and may do so in another minute than the function: so the time
 * is longer than a minute.
 */
export const serverErrorPercent = (stage: Stage, apiId: string, period: Duration): MathExpression =>
  new MathExpression({
    expression: `IF(errors - FILL(simulated, 0) >= ${FEWEST_ERRORS}, 100 * (errors - FILL(simulated, 0)) / (requests - FILL(simulated, 0)), 0)`,
    usingMetrics: {
      errors: apiMetric(apiId, '5xx', Stats.SUM, period),
      requests: apiMetric(apiId, 'Count', Stats.SUM, period),
      simulated: ownCount(stage, METRICS.simulatedServerErrors, period),
    },
    label: '5xx, percent',
    period,
  });

/** Reads and writes that a table refused for their rate. */
export const tableThrottles = (table: ITableV2, label: string): MathExpression =>
  // Ids must differ within a graph, so they begin with the label.
  sum(
    {
      [`${label}0`]: table.metric('ReadThrottleEvents', { statistic: Stats.SUM }),
      [`${label}1`]: table.metric('WriteThrottleEvents', { statistic: Stats.SUM }),
    },
    label,
  );

/** The region of CloudFront's certificates, web ACLs and metrics, for every stage. */
export const EDGE_REGION = 'us-east-1';

/**
 * CloudFront's view of all requests. `region`: for a reader in another region; a dashboard can do that, an alarm
 * cannot.
 */
export const edgeMetric = (distributionId: string, metricName: string, statistic: string, region?: string): Metric =>
  new Metric({
    namespace: 'AWS/CloudFront',
    metricName,
    dimensionsMap: { DistributionId: distributionId, Region: 'Global' },
    statistic,
    period: MINUTE,
    ...(region !== undefined && { region }),
  });

/** CloudFront's share of 5xx among all its answers, in percent; 0 with fewer than {@link FEWEST_ERRORS}. */
export const edgeErrorPercent = (distributionId: string): MathExpression =>
  new MathExpression({
    expression: `IF(rate * requests >= ${100 * FEWEST_ERRORS}, rate, 0)`,
    usingMetrics: {
      rate: edgeMetric(distributionId, '5xxErrorRate', Stats.AVERAGE),
      requests: edgeMetric(distributionId, 'Requests', Stats.SUM),
    },
    label: '5xx, percent',
    period: MINUTE,
  });

/** Calls of the metered function, by table. */
export const TABLE_CALLS = {
  gateway: ['UpdateItem', 'BatchGetItem', 'TransactWriteItems', 'TransactGetItems'],
  usage: ['PutItem', 'TransactWriteItems'],
} as const;

/** A metric of one kind of call to a table. */
export const tableCall = (
  table: ITableV2,
  metricName: string,
  operation: string,
  props: Partial<MetricProps>,
): IMetric =>
  table.metric(metricName, {
    dimensionsMap: { TableName: table.tableName, Operation: operation },
    label: operation,
    period: MINUTE,
    ...props,
  });

/**
 * Calls that DynamoDB failed to serve, over both tables, of all callers including the portal and the CLI. It is a
 * query: each kind of call is a metric, and an alarm can add up only ten.
 */
export const tableSystemErrors = ({ tables }: Monitored): MathExpression =>
  new MathExpression({
    expression: `SELECT SUM(SystemErrors) FROM SCHEMA("AWS/DynamoDB", Operation, TableName) WHERE TableName = '${tables.gateway.tableName}' OR TableName = '${tables.usage.tableName}'`,
    label: 'failed',
    period: MINUTE,
  });

/** The sum of metrics by their ids; some may have no data. */
export function sum(usingMetrics: Record<string, IMetric>, label: string, period = MINUTE): MathExpression {
  const expression = Object.keys(usingMetrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, label, period });
}
