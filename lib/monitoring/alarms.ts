import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { METRICS } from '../../functions/wiring.ts';
import { ownCount, latency, serverErrorPercent, tableSystemErrors, tableThrottles, type Monitored } from './metrics.ts';

const FIVE_MINUTES = Duration.minutes(5);
/** Three bad minutes of five: one bad minute is no reason to wake anybody, and a canary must be caught in its ten. */
const THREE_OF_FIVE = { evaluationPeriods: 5, datapointsToAlarm: 3 };
const AT_ONCE = { evaluationPeriods: 1, datapointsToAlarm: 1 };

/** One alarm: what it watches, what its mail says. */
interface AlarmDefinition {
  readonly metric: IMetric;
  /** The alarm goes off at this value and above. */
  readonly threshold: number;
  readonly over: { readonly evaluationPeriods: number; readonly datapointsToAlarm: number };
  readonly meaning: string;
  readonly firstStep: string;
  /** Why no data is no alarm. */
  readonly whenMissing: string;
  /** A percentile, which of few requests is the slowest, a cold start: then it is not looked at. */
  readonly needsManySamples?: true;
  /** No new version can set it off: it tells of DynamoDB's or a machine's troubles. */
  readonly noVersionsFault?: true;
}

const NO_REQUESTS = 'No data means no requests, which is no failure.';
const NOTHING_COUNTED = 'No data is the normal state: it is counted only when it happens.';

/** The alarms by name. docs/operating.md, "Runbook", has a heading `Alarm: <name>` for each. */
function definitions(monitored: Monitored): Record<string, AlarmDefinition> {
  const { stage, apiId, functions, tables } = monitored;
  return {
    ServerErrors: {
      metric: serverErrorPercent(apiId),
      threshold: 1,
      over: THREE_OF_FIVE,
      meaning: 'At least 1 % of all responses were 5xx in three of five minutes.',
      firstStep: 'Look for level ERROR in the function logs; roll back if it began with a deployment.',
      whenMissing: NO_REQUESTS,
    },
    Latency: {
      metric: latency(apiId, 'p99', FIVE_MINUTES),
      threshold: 1_500,
      over: AT_ONCE,
      meaning: 'One response of a hundred took 1.5 s or more, over five minutes.',
      firstStep: 'Compare DynamoDB latency, conflicts and cold starts on the dashboard.',
      whenMissing: NO_REQUESTS,
      needsManySamples: true,
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
      noVersionsFault: true,
    },
    TransactionsGivenUp: {
      metric: ownCount(stage, METRICS.transactionsGivenUp, FIVE_MINUTES),
      threshold: 5,
      over: AT_ONCE,
      meaning: 'Five requests in five minutes were 503: their transaction met conflicts or throttles at every attempt.',
      firstStep: 'One project sends more at once than one counter can take: find it in the request log.',
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
      noVersionsFault: true,
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

export interface GatewayAlarmsProps {
  readonly monitored: Monitored;
  readonly topic: ITopic;
  readonly runbookUrl: string;
}

/** Every alarm of a stage; each tells the topic when it goes off and when it is over. */
export class GatewayAlarms extends Construct {
  readonly alarms: readonly Alarm[];
  /** Those that a new version can set off. CodeDeploy takes ten for a deployment group, no more. */
  readonly rollbackAlarms: readonly Alarm[];

  constructor(scope: Construct, id: string, { monitored, topic, runbookUrl }: GatewayAlarmsProps) {
    super(scope, id);
    const action = new SnsAction(topic);
    const alarms = Object.entries(definitions(monitored)).map(([name, definition]) => {
      const { metric, threshold, over, meaning, firstStep, whenMissing, needsManySamples, noVersionsFault } =
        definition;
      const alarm = new Alarm(this, name, {
        alarmName: `sandbox-gateway-${monitored.stage}-${name}`,
        alarmDescription: `${meaning} ${firstStep} ${whenMissing} Runbook: ${runbookUrl}#alarm-${name.toLowerCase()}`,
        metric,
        threshold,
        ...over,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
        ...(needsManySamples && { evaluateLowSampleCountPercentile: 'ignore' }),
      });
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
      return { alarm, canRollBack: !noVersionsFault };
    });
    this.alarms = alarms.map(({ alarm }) => alarm);
    this.rollbackAlarms = alarms.filter(({ canRollBack }) => canRollBack).map(({ alarm }) => alarm);
  }
}
