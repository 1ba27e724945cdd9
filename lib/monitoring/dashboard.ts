import { Stats, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS, REQUEST_METRICS } from '../../functions/shared/names.ts';
import {
  apiMetric,
  coldStarts,
  MINUTE,
  TABLE_CALLS,
  ownCount,
  requestsByOutcome,
  tableCall,
  tableThrottles,
  THROTTLED_REQUESTS,
  type Monitored,
} from './metrics.ts';
import { concurrentOf, functionGraph, graph } from './monitoring.ts';

const PERCENTILES = ['p50', 'p95', 'p99'];

/** The graphs of a gateway: first what callers see, then the causes. */
export const gatewayGraphs = (monitored: Monitored): IWidget[][] => [
  traffic(monitored),
  waiting(monitored),
  functions(monitored),
  database(monitored),
  ledger(monitored),
];

const traffic = ({ stage, apiId }: Monitored): IWidget[] => [
  graph('Traffic by outcome', [requestsByOutcome(stage, REQUEST_METRICS.requests, Stats.SUM)], { stacked: true }),
  // Error codes are in capitals, other outcomes are not.
  graph('Refusals and failures by code', [
    requestsByOutcome(
      stage,
      REQUEST_METRICS.requests,
      Stats.SUM,
      'NOT outcome="request_succeeded" NOT outcome="idempotency_replay" NOT outcome="simulated" NOT outcome="ok"',
    ),
  ]),
  graph('Responses by API Gateway', [
    apiMetric(apiId, 'Count', Stats.SUM).with({ label: 'all' }),
    apiMetric(apiId, '4xx', Stats.SUM),
    apiMetric(apiId, '5xx', Stats.SUM),
    ownCount(stage, METRICS.simulatedServerErrors),
    ownCount(stage, THROTTLED_REQUESTS),
  ]),
];

const waiting = ({ stage, apiId }: Monitored): IWidget[] => [
  graph(
    'What callers wait, ms',
    PERCENTILES.map((percentile) => apiMetric(apiId, 'Latency', percentile)),
  ),
  graph('Function: p99 by outcome, ms', [requestsByOutcome(stage, REQUEST_METRICS.latency, 'p99')]),
  graph('Units charged', [requestsByOutcome(stage, REQUEST_METRICS.unitsCharged, Stats.SUM)]),
];

const functions = ({ stage, functions: { metered, health } }: Monitored): IWidget[] => [
  graph('Cold starts', [coldStarts(stage)]),
  functionGraph('Metered function', metered, concurrentOf(metered)),
  functionGraph('Health function', health),
];

const database = ({ tables }: Monitored): IWidget[] => [
  graph(
    'DynamoDB latency, p99 ms',
    (['gateway', 'usage'] as const).flatMap((name) =>
      TABLE_CALLS[name].map((operation) =>
        tableCall(tables[name], 'SuccessfulRequestLatency', operation, {
          statistic: 'p99',
          label: `${name} ${operation}`,
        }),
      ),
    ),
  ),
  graph('DynamoDB throttles', [tableThrottles(tables.gateway, 'gateway'), tableThrottles(tables.usage, 'usage')]),
  graph(
    'Consumed capacity, units a minute',
    (['gateway', 'usage'] as const).flatMap((name) => [
      tables[name].metricConsumedWriteCapacityUnits({ label: `${name} writes`, period: MINUTE }),
      tables[name].metricConsumedReadCapacityUnits({ label: `${name} reads`, period: MINUTE }),
    ]),
  ),
];

const ledger = ({ stage, tables }: Monitored): IWidget[] => [
  graph('Transactions in conflict, and given up', [
    tables.gateway.metric('TransactionConflict', { label: 'in conflict', statistic: Stats.SUM, period: MINUTE }),
    ownCount(stage, METRICS.transactionsGivenUp),
    ownCount(stage, METRICS.transactionsThrottled),
  ]),
  graph('Usage events lost, and work uncharged', [
    ownCount(stage, METRICS.usageEventLost),
    ownCount(stage, METRICS.workUncharged),
  ]),
  graph('Rate windows ahead of the clock', [ownCount(stage, METRICS.rateWindowAheadOfClock)]),
];
