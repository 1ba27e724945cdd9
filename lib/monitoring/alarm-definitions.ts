import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { METRICS } from '../../functions/shared/names.ts';
import { concurrencyShares } from '../concurrency.ts';
import { ONE_OF_ONE, NO_REQUESTS, TWO_OF_THREE, TWO_OF_TWO, type AlarmDefinition } from './alarm-definition.ts';
import {
  claimedConcurrency,
  FEWEST_ERRORS,
  FIVE_MINUTES,
  latencyOfMany,
  ownCount,
  PAGER_TEST,
  serverErrorPercent,
  tableSystemErrors,
  tableThrottles,
  THROTTLED_REQUESTS,
  type Monitored,
  MINUTE,
} from './metrics.ts';

/** With fewer requests in five minutes, p99 is only the slowest one. */
const MANY_REQUESTS = 200;

/** The alarms by name. docs/runbook.md has a heading `Alarm: <name>` for each. */
export function alarmDefinitions(monitored: Monitored): Record<string, AlarmDefinition> {
  const { stage, apiId, functions, tables, concurrencyQuota, probe } = monitored;
  return {
    ...(probe && probeAlarms(probe)),
    ServerErrors: {
      pages: true,
      metric: serverErrorPercent(stage, apiId, FIVE_MINUTES),
      over: TWO_OF_TWO,
      meaning: `At least 1 % of all responses, and ${FEWEST_ERRORS} or more, were 5xx in each of two spans of five minutes, without simulated ones.`,
      firstStep: 'Roll back if it began with a deployment; run the saved query “5xx with cause”.',
      whenMissing: NO_REQUESTS,
    },
    InternalErrors: {
      metric: ownCount(stage, METRICS.internalErrors),
      meaning: 'Requests were 500 INTERNAL_ERROR in three of five minutes: a defect.',
      firstStep: 'Roll back if it began with a deployment; run the saved query “5xx with cause”.',
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
      pages: true,
      metric: ownCount(stage, THROTTLED_REQUESTS),
      threshold: 60,
      meaning: 'API Gateway refused 60 requests a minute for their rate in three of five minutes, from any caller.',
      firstStep: 'Run the saved query “throttled by address”: a flood, or a limit that is too low.',
    },
    Concurrency: {
      metric: claimedConcurrency(),
      threshold: concurrencyShares(concurrencyQuota).alarm,
      meaning: `80 % of the account’s ${concurrencyQuota} concurrent executions were in use, reserved or provisioned in three of five minutes.`,
      firstStep: 'Have the quota raised, or find the function that uses or reserves them; at 100 % callers get 503.',
      whenMissing: 'No data means that nothing ran.',
    },
    ...functionAlarms('Metered', functions.metered),
    ...functionAlarms('Health', functions.health),
    GatewayTableThrottles: throttledTable('Gateway', tables.gateway),
    UsageTableThrottles: throttledTable('Usage', tables.usage),
    TableSystemErrors: {
      metric: tableSystemErrors(monitored),
      meaning: 'DynamoDB failed to serve calls in three of five minutes.',
      firstStep: 'Look at the AWS Health Dashboard; nothing is lost, requests are answered 503 meanwhile.',
    },
    TransactionsGivenUp: {
      metric: ownCount(stage, METRICS.transactionsGivenUp, FIVE_MINUTES),
      threshold: 5,
      over: ONE_OF_ONE,
      meaning: 'Five requests in five minutes were 503: their transaction had a conflict at every attempt.',
      firstStep:
        'One project sends more at once than one counter takes: find it in the saved query “conflicts and throttles”.',
    },
    TransactionsThrottled: {
      metric: ownCount(stage, METRICS.transactionsThrottled, FIVE_MINUTES),
      threshold: 5,
      over: ONE_OF_ONE,
      meaning: 'Five requests in five minutes were 503: DynamoDB throttled their transaction until the end.',
      firstStep:
        'See which of the alarms GatewayTableThrottles and UsageTableThrottles is on, and follow its first step.',
    },
    UsageEventsLost: {
      metric: ownCount(stage, METRICS.usageEventLost, FIVE_MINUTES),
      over: ONE_OF_ONE,
      meaning: 'A refusal was answered but its event of 0 units could not be written. No units are affected.',
      firstStep: 'Run the saved query “warnings”: the cause says what the store answered.',
    },
    ClockAhead: {
      metric: ownCount(stage, METRICS.rateWindowAheadOfClock, FIVE_MINUTES),
      over: ONE_OF_ONE,
      meaning: 'A rate window was more than two minutes ahead of the clock: an instance with a broken clock wrote it.',
      firstStep: 'Publish a new version, which replaces every instance; tell AWS support if it comes back.',
    },
    PagerTest: {
      pages: true,
      metric: ownCount(stage, PAGER_TEST),
      meaning: 'This is a test: somebody set this alarm off by hand, and nothing is wrong.',
      firstStep: 'Tell them that it has reached you.',
      whenMissing: 'No data is its normal state, so it is over within minutes by itself.',
    },
  };
}

const throttledTable = (name: string, table: ITableV2): AlarmDefinition => ({
  metric: tableThrottles(table, 'throttled'),
  meaning: `DynamoDB throttled the ${name} table in three of five minutes.`,
  firstStep: 'Find the project in the saved query “busiest projects”; one partition takes 1,000 write units a second.',
});

/** Alarms of one function: its crashes and its throttles, which are 5xx, so that ServerErrors pages for many. */
const functionAlarms = (name: string, live: Monitored['functions']['metered']): Record<string, AlarmDefinition> => ({
  [`${name}Errors`]: {
    metric: live.metricErrors({ period: MINUTE }),
    meaning: `The ${name.toLowerCase()} function crashed or timed out in three of five minutes; it answers its own failures.`,
    firstStep: 'Roll back if it began with a deployment; run the saved query “crashes and timeouts”.',
    whenMissing: NO_REQUESTS,
    rollsBack: true,
  },
  [`${name}Throttles`]: {
    metric: live.metricThrottles({ period: MINUTE }),
    meaning: `Lambda had no room for the ${name.toLowerCase()} function in three of five minutes: callers got 503 without our error body.`,
    firstStep:
      'Compare concurrent executions with the quota of the account; raise it or lower meteredRequestsPerSecond.',
    whenMissing: NO_REQUESTS,
  },
});

/** Alarms of the probe. */
const probeAlarms = ({
  failed,
  wrongAnswers,
  portalFailed,
}: NonNullable<Monitored['probe']>): Record<string, AlarmDefinition> => ({
  Probe: {
    pages: true,
    metric: failed,
    meaning: 'In three of five minutes the probe did not get what it must get, or did not run.',
    firstStep: 'Call the health check yourself; the log of the probe’s run says what it got.',
    whenMissing: 'No data means that the probe does not run, which is an alarm: nothing else checks from outside.',
    missingIsBad: true,
  },
  // Probe pages for the same answers.
  ProbeAnswers: {
    metric: wrongAnswers,
    meaning:
      'In three of five minutes the gateway answered the probe, whose key is good, with something else than 200.',
    firstStep: 'Roll back if it began with a deployment; the log of the probe’s run says what it got.',
    whenMissing: 'No data means no alarm here: the alarm Probe reports it.',
    rollsBack: true,
  },
  ...(portalFailed && {
    PortalProbe: {
      pages: true,
      metric: portalFailed,
      meaning:
        'In three of five minutes the portal did not give the probe its page, a file of it, or the answer of its API.',
      firstStep: 'Open the portal yourself; the log of the probe’s run says what it got.',
      whenMissing: 'No data means no alarm here: the alarm Probe reports it.',
    },
  }),
});
