import { Stats, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { CHANGES_METRIC, PORTAL_METRICS, REQUEST_METRICS } from '../../functions/shared/names.ts';
import { apiMetric, EDGE_REGION, edgeMetric, THROTTLED_REQUESTS } from '../monitoring/metrics.ts';
import { graph } from '../monitoring/monitoring.ts';
import type { StageDashboard } from '../monitoring/stage-dashboard.ts';
import { ownCount, requestsByOutcome, type MonitoredPortal } from './metrics.ts';

/** The graphs of a portal. */
export function portalGraphs(monitored: MonitoredPortal, dashboard: StageDashboard): IWidget[][] {
  const { stage, apiId, distributionId, userPool } = monitored;
  return [
    [
      graph(
        'Sign-ins',
        (['signIns', 'signInsRefused', 'signInsFailed'] as const).map((name) => ownCount(stage, PORTAL_METRICS[name])),
      ),
      graph('Requests by outcome', [requestsByOutcome(stage, REQUEST_METRICS.requests, Stats.SUM)]),
      graph('Changes', [requestsByOutcome(stage, CHANGES_METRIC, Stats.SUM)]),
    ],
    [
      graph(
        'What people wait, ms',
        ['p50', 'p95', 'p99'].map((percentile) => apiMetric(apiId, 'Latency', percentile)),
      ),
      graph('Function: p99 by outcome, ms', [requestsByOutcome(stage, REQUEST_METRICS.latency, 'p99')]),
      graph('Answers by API Gateway', [
        ...['Count', '4xx', '5xx'].map((metric) => apiMetric(apiId, metric, Stats.SUM)),
        ownCount(stage, THROTTLED_REQUESTS),
      ]),
    ],
    [
      dashboard.graphOf('PortalErrors', 'Portal function: crashes and time-outs'),
      dashboard.graphOf('PortalThrottles', 'Portal function: throttled'),
      graph('CloudFront: errors, percent', [
        ...['4xxErrorRate', '5xxErrorRate'].map((name) => edgeMetric(distributionId, name, Stats.AVERAGE, EDGE_REGION)),
      ]),
    ],
    ...(userPool ? [[dashboard.graphOf('UserPoolThrottles', 'User pool throttled')]] : []),
  ];
}
