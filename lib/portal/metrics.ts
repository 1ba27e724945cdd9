import { Metric, Stats, type MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { PORTAL_DIMENSIONS, PORTAL_SERVICE, type PortalMetricName } from '../../functions/shared/names.ts';
import { countsOf, MINUTE, outcomesOf, sum, type Counts, type THROTTLED_REQUESTS } from '../monitoring/metrics.ts';
import type { Stage } from '../stack-names.ts';

/** The monitored resources. */
export interface MonitoredPortal {
  readonly stage: Stage;
  readonly apiId: string;
  readonly live: Alias;
  readonly distributionId: string;
  /** Undefined with another provider. */
  readonly userPool: { readonly id: string; readonly clientId: string } | undefined;
}

/** A custom count of the portal. */
export const ownCount: Counts<PortalMetricName | typeof THROTTLED_REQUESTS> = countsOf(PORTAL_SERVICE, MINUTE);

/** One series for each outcome of requests. */
export const requestsByOutcome = outcomesOf(PORTAL_SERVICE, PORTAL_DIMENSIONS);

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
  return sum(usingMetrics, 'user pool throttled');
}
