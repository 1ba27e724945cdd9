import { Duration } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS } from '../../functions/wiring.ts';
import {
  claimedConcurrency,
  latencyOfMany,
  ownCount,
  serverErrorPercent,
  tableSystemErrors,
  tableThrottles,
  THROTTLED_REQUESTS,
  type Monitored,
} from './metrics.ts';

const MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);
/** Three bad minutes of five: one bad minute is no reason to wake anybody, and a canary must be caught in its ten. */
const THREE_OF_FIVE = { evaluationPeriods: 5, datapointsToAlarm: 3 };
const TWO_OF_THREE = { evaluationPeriods: 3, datapointsToAlarm: 2 };
const AT_ONCE = { evaluationPeriods: 1, datapointsToAlarm: 1 };

/** Requests in five minutes from which on their p99 is more than the one slowest. */
const MANY_REQUESTS = 200;
/** The share of the account's concurrency at which there is still time to have it raised. */
const CONCURRENCY_SHARE = 0.8;

/** One alarm: what it watches, what its mail says. */
export interface AlarmDefinition {
  readonly metric: IMetric;
  /** The alarm goes off at this value and above. */
  readonly threshold: number;
  readonly over: { readonly evaluationPeriods: number; readonly datapointsToAlarm: number };
  readonly meaning: string;
  readonly firstStep: string;
  /** What no data means, and why that is no alarm. */
  readonly whenMissing: string;
  /** What watches from outside: no data is an alarm. */
  readonly missingIsBad?: true;
  /** Only a version can set it off, and nothing that a caller does: it rolls a deployment back. */
  readonly rollsBack?: true;
}

const NO_REQUESTS = 'No data means no requests, which is no failure.';
const NOTHING_COUNTED = 'No data is the normal state: it is counted only when it happens.';

/** The alarms by name. docs/operating.md, "Runbook", has a heading `Alarm: <name>` for each. */
export function alarmDefinitions(monitored: Monitored): Record<string, AlarmDefinition> {
  const { stage, apiId, functions, tables, concurrencyQuota, probe } = monitored;
  return {
    ...(probe && probeAlarms(probe)),
    ServerErrors: {
      metric: serverErrorPercent(apiId),
      threshold: 1,
      over: THREE_OF_FIVE,
      meaning: 'At least 1 % of all responses were 5xx in three of five minutes.',
      firstStep: 'Look for level ERROR in the function logs; roll back if it began with a deployment.',
      whenMissing: NO_REQUESTS,
    },
    InternalErrors: {
      metric: ownCount(stage, METRICS.internalErrors, MINUTE),
      threshold: 1,
      over: THREE_OF_FIVE,
      meaning: 'Requests were 500 INTERNAL_ERROR in three of five minutes: a defect.',
      firstStep: 'Look for level ERROR in the function logs; roll back if it began with a deployment.',
      whenMissing: NOTHING_COUNTED,
      rollsBack: true,
    },
    Latency: {
      metric: latencyOfMany(apiId, MANY_REQUESTS, FIVE_MINUTES),
      threshold: 1_500,
      over: TWO_OF_THREE,
      meaning: `One response of a hundred took 1.5 s or more, in two of three spans of five minutes with ${MANY_REQUESTS} requests or more.`,
      firstStep: 'Compare DynamoDB latency, conflicts and cold starts on the dashboard.',
      whenMissing: NO_REQUESTS,
    },
    Throttled: {
      metric: ownCount(stage, THROTTLED_REQUESTS, MINUTE),
      threshold: 60,
      over: THREE_OF_FIVE,
      meaning: 'API Gateway refused 60 requests a minute for their rate in three of five minutes, whoever sent them.',
      firstStep: 'Count the access log by routeKey and sourceIp: a flood, or a limit that is too low.',
      whenMissing: NOTHING_COUNTED,
    },
    Concurrency: {
      metric: claimedConcurrency(),
      threshold: Math.floor(concurrencyQuota * CONCURRENCY_SHARE),
      over: THREE_OF_FIVE,
      meaning: `Of the account’s ${concurrencyQuota} concurrent executions 80 % were taken in three of five minutes.`,
      firstStep: 'Have the quota raised, or find the function that takes them; at 100 % callers get 503.',
      whenMissing: 'No data means that nothing ran.',
    },
    ...functionAlarms('Metered', functions.metered),
    ...functionAlarms('Health', functions.health),
    GatewayTableThrottles: {
      metric: tableThrottles(tables.gateway, 'throttled'),
      threshold: 1,
      over: THREE_OF_FIVE,
      meaning: 'DynamoDB throttled the Gateway table in three of five minutes.',
      firstStep: 'Find the hot project or key in the request log; one partition takes 1,000 write units a second.',
      whenMissing: NOTHING_COUNTED,
    },
    UsageTableThrottles: {
      metric: tableThrottles(tables.usage, 'throttled'),
      threshold: 1,
      over: THREE_OF_FIVE,
      meaning: 'DynamoDB throttled the Usage table in three of five minutes.',
      firstStep: 'Find the hot project in the request log; one partition takes 1,000 write units a second.',
      whenMissing: NOTHING_COUNTED,
    },
    TableSystemErrors: {
      metric: tableSystemErrors(monitored),
      threshold: 1,
      over: THREE_OF_FIVE,
      meaning: 'DynamoDB failed to serve calls in three of five minutes.',
      firstStep: 'Look at the AWS Health Dashboard; nothing is lost, requests are answered 503 meanwhile.',
      whenMissing: NOTHING_COUNTED,
    },
    TransactionsGivenUp: {
      metric: ownCount(stage, METRICS.transactionsGivenUp, FIVE_MINUTES),
      threshold: 5,
      over: AT_ONCE,
      meaning:
        'Five requests in five minutes were 503: their transaction met others on the same items at every attempt.',
      firstStep: 'One project sends more at once than one counter can take: find it in the request log.',
      whenMissing: NOTHING_COUNTED,
    },
    TransactionsThrottled: {
      metric: ownCount(stage, METRICS.transactionsThrottled, FIVE_MINUTES),
      threshold: 5,
      over: AT_ONCE,
      meaning: 'Five requests in five minutes were 503: DynamoDB throttled their transaction until the end.',
      firstStep: 'Look which of the alarms GatewayTableThrottles and UsageTableThrottles is on: it has the way.',
      whenMissing: NOTHING_COUNTED,
    },
    UsageEventsLost: {
      metric: ownCount(stage, METRICS.usageEventLost, FIVE_MINUTES),
      threshold: 1,
      over: AT_ONCE,
      meaning: 'A refusal was answered but its event of 0 units could not be written. No units are affected.',
      firstStep: 'Look for level WARN in the log of the metered function: its cause says what the store answered.',
      whenMissing: NOTHING_COUNTED,
    },
    ClockAhead: {
      metric: ownCount(stage, METRICS.rateWindowAheadOfClock, FIVE_MINUTES),
      threshold: 1,
      over: AT_ONCE,
      meaning: 'A rate window stood over two minutes ahead of the clock: an instance with a broken clock wrote it.',
      firstStep: 'Publish a new version, which replaces every instance; tell AWS support if it comes back.',
      whenMissing: NOTHING_COUNTED,
    },
  };
}

const functionAlarms = (name: string, live: Monitored['functions']['metered']): Record<string, AlarmDefinition> => ({
  [`${name}Errors`]: {
    metric: live.metricErrors({ period: Duration.minutes(1) }),
    threshold: 1,
    over: THREE_OF_FIVE,
    meaning: `The ${name.toLowerCase()} function crashed or timed out in three of five minutes; it answers its own failures.`,
    firstStep:
      'Look for the platform’s lines in its log (timeout, out of memory); roll back if it began with a deployment.',
    whenMissing: NO_REQUESTS,
    rollsBack: true,
  },
  [`${name}Throttles`]: {
    metric: live.metricThrottles({ period: Duration.minutes(1) }),
    threshold: 1,
    over: THREE_OF_FIVE,
    meaning: `Lambda had no room for the ${name.toLowerCase()} function in three of five minutes: callers got 503 without our error body.`,
    firstStep: 'Compare concurrent executions with the quota of the account; raise it or lower pingRequestsPerSecond.',
    whenMissing: NO_REQUESTS,
  },
});

const probeAlarms = ({ failed, wrongAnswers }: NonNullable<Monitored['probe']>): Record<string, AlarmDefinition> => ({
  Probe: {
    metric: failed,
    threshold: 1,
    over: THREE_OF_FIVE,
    meaning: 'In three of five minutes the probe did not get what it must get, or did not run.',
    firstStep: 'Call the health check yourself; the log of the probe’s run says what it got.',
    whenMissing: 'No data means that the probe does not run, which is an alarm: nobody else looks from outside.',
    missingIsBad: true,
  },
  ProbeAnswers: {
    metric: wrongAnswers,
    threshold: 1,
    over: THREE_OF_FIVE,
    meaning:
      'In three of five minutes the gateway answered the probe, whose key is good, with something else than 200.',
    firstStep: 'Roll back if it began with a deployment; the log of the probe’s run says what it got.',
    whenMissing: 'No data is left to the alarm Probe.',
    rollsBack: true,
  },
});
