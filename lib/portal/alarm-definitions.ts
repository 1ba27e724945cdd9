import { MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { PORTAL_METRICS } from '../../functions/shared/names.ts';
import { ONE_OF_ONE, type AlarmDefinition } from '../monitoring/alarm-definition.ts';
import {
  apiMetric,
  edgeErrorPercent,
  FEWEST_ERRORS,
  FIVE_MINUTES,
  MINUTE,
  THROTTLED_REQUESTS,
} from '../monitoring/metrics.ts';
import { ownCount, poolThrottles, type MonitoredPortal } from './metrics.ts';

/** With fewer requests, a percentile is only the slowest one, a cold start. */
const MIN_SAMPLES = 50;
/** As for the gateway: fewer in a minute are pages that were opened too often. */
const MANY_THROTTLED = 60;

/** The alarms of a portal, by name. */
export function portalAlarms({
  stage,
  apiId,
  live,
  distributionId,
  userPool,
}: MonitoredPortal): Record<string, AlarmDefinition> {
  return {
    PortalServerErrors: {
      pages: true,
      metric: new MathExpression({
        expression: `IF(errors >= ${FEWEST_ERRORS}, 100 * errors / requests, 0)`,
        usingMetrics: {
          errors: apiMetric(apiId, '5xx', Stats.SUM),
          requests: apiMetric(apiId, 'Count', Stats.SUM),
        },
        label: '5xx, percent',
        period: MINUTE,
      }),
      threshold: 5,
      meaning: `At least 5 % of the portal API's answers, and ${FEWEST_ERRORS} or more a minute, were 5xx in three of five minutes.`,
      firstStep: 'Roll back if it began with a deployment; run the saved query “5xx with cause” of the portal.',
    },
    PortalInternalErrors: {
      metric: ownCount(stage, PORTAL_METRICS.internalErrors),
      meaning: 'Requests to the portal were 500 INTERNAL_ERROR in three of five minutes: a defect.',
      firstStep: 'Roll back if it began with a deployment; run the saved query “5xx with cause” of the portal.',
      rollsBack: true,
    },
    PortalLatency: {
      metric: new MathExpression({
        expression: `IF(samples >= ${MIN_SAMPLES}, slowest, 0)`,
        usingMetrics: {
          samples: apiMetric(apiId, 'Latency', Stats.SAMPLE_COUNT, FIVE_MINUTES),
          slowest: apiMetric(apiId, 'Latency', 'p99', FIVE_MINUTES),
        },
        label: 'p99, ms',
        period: FIVE_MINUTES,
      }),
      threshold: 3_000,
      over: ONE_OF_ONE,
      meaning: `Of at least ${MIN_SAMPLES} answers in five minutes one of a hundred took 3 s or more.`,
      firstStep:
        'Compare the routes in the saved query “requests by route”: sign-ins wait for the provider, all others for DynamoDB.',
    },
    PortalErrors: {
      metric: live.metricErrors({ period: MINUTE }),
      meaning: 'The portal function crashed or timed out in three of five minutes; it answers its own failures.',
      firstStep: 'Roll back if it began with a deployment; run the saved query “crashes and timeouts” of the portal.',
      rollsBack: true,
    },
    PortalThrottled: {
      pages: true,
      metric: ownCount(stage, THROTTLED_REQUESTS),
      threshold: MANY_THROTTLED,
      meaning: `API Gateway refused ${MANY_THROTTLED} requests a minute to the portal for their rate in three of five minutes, from any caller.`,
      firstStep: 'CloudFront’s log has their addresses; a web ACL with a rate rule refuses them before they count.',
    },
    PortalThrottles: {
      metric: live.metricThrottles({ period: MINUTE }),
      meaning: 'Lambda had no room for the portal function in three of five minutes: people saw 503.',
      firstStep:
        'Compare concurrent executions with concurrencyQuota, of which it has a part; CloudFront’s log has the address of a caller that floods.',
    },
    SignInsFailing: {
      pages: true,
      metric: ownCount(stage, PORTAL_METRICS.signInsFailed, FIVE_MINUTES),
      threshold: 5,
      over: ONE_OF_ONE,
      meaning:
        'In five sign-ins of five minutes a call of ours failed: to the provider, for the client secret or to the store.',
      firstStep: 'The saved query “sign-in failures” has the cause.',
    },
    LedgerDifference: {
      pages: true,
      metric: ownCount(stage, PORTAL_METRICS.ledgerDifferences, FIVE_MINUTES),
      over: ONE_OF_ONE,
      meaning: 'The counter of a project differs from its events. The portal found it when somebody opened its usage.',
      firstStep: 'The saved query “ledger differences” has project and period; run ledger verify for them.',
    },
    ...(userPool && {
      UserPoolThrottles: {
        metric: poolThrottles(userPool),
        meaning: 'Cognito refused sign-ins or sign-ups for their rate in three of five minutes.',
        firstStep: 'Look for somebody who tries passwords, then check the quotas of Cognito.',
      },
    }),
    EdgeErrors: {
      pages: true,
      metric: edgeErrorPercent(distributionId),
      threshold: 5,
      meaning: `At least 5 % of CloudFront’s answers, and ${FEWEST_ERRORS} or more a minute, were 5xx in three of five minutes.`,
      firstStep: 'Compare with PortalServerErrors: without it, the files or CloudFront itself fail.',
      atTheEdge: true,
    },
  };
}
