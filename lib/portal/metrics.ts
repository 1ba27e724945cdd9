import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { METRIC_NAMESPACE, PORTAL_SERVICE, type PortalMetricName } from '../../functions/shared/names.ts';
import type { Stage } from '../stack-names.ts';
import type { THROTTLED_REQUESTS } from '../monitoring/metrics.ts';

/** The monitored resources. */
export interface MonitoredPortal {
  readonly stage: Stage;
  readonly apiId: string;
  readonly live: Alias;
  readonly distributionId: string;
  /** Undefined with another provider. */
  readonly userPool: { readonly id: string; readonly clientId: string } | undefined;
}

const MINUTE = Duration.minutes(1);

/** A custom count of the portal. */
export const ownCount = (
  stage: Stage,
  metricName: PortalMetricName | typeof THROTTLED_REQUESTS,
  period = MINUTE,
): Metric =>
  new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: { service: PORTAL_SERVICE, stage },
    statistic: Stats.SUM,
    period,
  });

/** One series for each route or outcome of requests, such as `NOT_FOUND`. It is a search, so new ones are shown. */
export const requestsBy = (
  { stage }: Pick<MonitoredPortal, 'stage'>,
  metricName: string,
  dimension: 'route' | 'outcome',
  statistic: string,
  filter = '',
): MathExpression =>
  new MathExpression({
    expression: `SEARCH('${`{${METRIC_NAMESPACE},service,stage,route,outcome} MetricName="${metricName}" service="${PORTAL_SERVICE}" stage="${stage}" ${filter}`.trim()}', '${statistic}')`,
    label: `\${PROP('Dim.${dimension}')}`,
    period: MINUTE,
  });

/** API Gateway's view of all requests. */
export const apiMetric = (apiId: string, metricName: string, statistic: string, period = MINUTE): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    dimensionsMap: { ApiId: apiId, Stage: '$default' },
    statistic,
    period,
  });

/** Requests that the user pool throttled. */
export function poolThrottles(pool: NonNullable<MonitoredPortal['userPool']>): MathExpression {
  const usingMetrics = Object.fromEntries(
    ['SignInThrottles', 'SignUpThrottles'].map((metricName) => [
      metricName.toLowerCase(),
      new Metric({
        namespace: 'AWS/Cognito',
        metricName,
        dimensionsMap: { UserPool: pool.id, UserPoolClient: pool.clientId },
        statistic: Stats.SUM,
        period: MINUTE,
      }),
    ]),
  );
  const expression = Object.keys(usingMetrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, label: 'user pool throttled', period: MINUTE });
}
