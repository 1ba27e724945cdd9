import { Stats, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { CHANGES_METRIC, PORTAL_METRICS, REQUEST_METRICS } from '../../functions/shared/names.ts';
import { apiMetric, EDGE_REGION, edgeMetric, THROTTLED_REQUESTS } from '../monitoring/metrics.ts';
import { concurrentOf, functionGraph, graph } from '../monitoring/monitoring.ts';
import { ownCount, poolThrottles, requestsBy, type MonitoredPortal } from './metrics.ts';

/** The graphs of a portal. */
export function portalGraphs(monitored: MonitoredPortal): IWidget[][] {
  const { stage, apiId, live, distributionId, userPool } = monitored;
  return [
    [
      graph(
        'Sign-ins',
        (['signIns', 'signInsRefused', 'signInsFailed'] as const).map((name) => ownCount(stage, PORTAL_METRICS[name])),
      ),
      graph('Changes by route', [requestsBy(stage, CHANGES_METRIC, 'route', Stats.SUM)]),
      graph('Refusals and failures by code', [
        requestsBy(stage, REQUEST_METRICS.requests, 'outcome', Stats.SUM, 'NOT outcome="ok"'),
      ]),
    ],
    [
      graph(
        'What people wait, ms',
        ['p50', 'p95', 'p99'].map((percentile) => apiMetric(apiId, 'Latency', percentile)),
      ),
      graph('Function: p99 by route, ms', [requestsBy(stage, REQUEST_METRICS.latency, 'route', 'p99', 'outcome="ok"')]),
      graph('Answers by API Gateway', [
        ...['Count', '4xx', '5xx'].map((metric) => apiMetric(apiId, metric, Stats.SUM)),
        ownCount(stage, THROTTLED_REQUESTS),
      ]),
    ],
    [
      functionGraph('Portal function', live, concurrentOf(live)),
      graph('CloudFront: errors, percent', [
        ...['4xxErrorRate', '5xxErrorRate'].map((name) => edgeMetric(distributionId, name, Stats.AVERAGE, EDGE_REGION)),
      ]),
      ...(userPool ? [graph('User pool throttled', [poolThrottles(userPool)])] : []),
    ],
  ];
}
