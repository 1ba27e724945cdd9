import { Aws, CfnCondition, Duration, Fn, Stack, Token } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  MathExpression,
  Stats,
  TreatMissingData,
  type CfnAlarm,
  type IMetric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { PORTAL_METRICS } from '../../functions/wiring.ts';
import { runbookEntry } from '../monitoring/alarms.ts';
import { EDGE_REGION, edgeMetric, THROTTLED_REQUESTS } from '../monitoring/metrics.ts';
import { URGENCY_TEXT, type Urgency } from '../monitoring/alarm-definition.ts';
import { apiMetric, ownCount, poolThrottles, type MonitoredPortal } from './metrics.ts';

const MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);
const THREE_OF_FIVE = { evaluationPeriods: 5, datapointsToAlarm: 3 };
const AT_ONCE = { evaluationPeriods: 1, datapointsToAlarm: 1 };
/** With fewer requests, a percentile is only the slowest one, a cold start. */
const MIN_SAMPLES = 50;
/** As for the gateway: fewer in a minute are pages that were opened too often. */
const MANY_THROTTLED = 60;

interface AlarmDefinition {
  readonly urgency: Urgency;
  readonly metric: IMetric;
  /** The alarm goes off at this value and above. */
  readonly threshold: number;
  readonly over: { readonly evaluationPeriods: number; readonly datapointsToAlarm: number };
  readonly text: string;
  /** It rolls a deployment back. Only for what a new version can set off, and no caller. */
  readonly rollsBack?: true;
  /** Its metric is in us-east-1: an alarm can read only the metrics of its own region. */
  readonly atTheEdge?: true;
}

/** The alarms by name. docs/operating.md, "Runbook", has a heading `Alarm: <name>` for each. */
function definitions({
  stage,
  apiId,
  live,
  distributionId,
  userPool,
}: MonitoredPortal): Record<string, AlarmDefinition> {
  return {
    PortalServerErrors: {
      urgency: 'page',
      metric: new MathExpression({
        expression: '100 * errors / requests',
        usingMetrics: {
          errors: apiMetric(apiId, '5xx', Stats.SUM),
          requests: apiMetric(apiId, 'Count', Stats.SUM),
        },
        label: '5xx, percent',
        period: MINUTE,
      }),
      threshold: 5,
      over: THREE_OF_FIVE,
      text:
        "At least 5 % of the portal API's answers were 5xx in three of five minutes. " +
        'Roll back if it began with a deployment; run the saved query “5xx with cause” of the portal.',
    },
    PortalInternalErrors: {
      urgency: 'page',
      metric: ownCount(stage, PORTAL_METRICS.internalErrors),
      threshold: 1,
      over: THREE_OF_FIVE,
      text:
        'Requests to the portal were 500 INTERNAL_ERROR in three of five minutes: a defect. ' +
        'Roll back if it began with a deployment; run the saved query “5xx with cause” of the portal.',
      rollsBack: true,
    },
    PortalLatency: {
      urgency: 'tomorrow',
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
      over: AT_ONCE,
      text:
        `Of at least ${MIN_SAMPLES} answers in five minutes one of a hundred took 3 s or more. ` +
        'Compare the routes on the dashboard: sign-ins wait for the provider, all others for DynamoDB.',
    },
    PortalErrors: {
      urgency: 'tomorrow',
      metric: live.metricErrors({ period: MINUTE }),
      threshold: 1,
      over: THREE_OF_FIVE,
      text:
        'The portal function crashed or timed out in three of five minutes; it answers its own failures. ' +
        'Roll back if it began with a deployment; run the saved query “crashes and timeouts” of the portal.',
      rollsBack: true,
    },
    PortalThrottled: {
      urgency: 'page',
      metric: ownCount(stage, THROTTLED_REQUESTS),
      threshold: MANY_THROTTLED,
      over: THREE_OF_FIVE,
      text:
        `API Gateway refused ${MANY_THROTTLED} requests a minute to the portal for their rate in three of five minutes, whoever sent them. ` +
        'CloudFront’s log has their addresses; a web ACL with a rate rule refuses them before they take a place.',
    },
    PortalThrottles: {
      urgency: 'tomorrow',
      metric: live.metricThrottles({ period: MINUTE }),
      threshold: 1,
      over: THREE_OF_FIVE,
      text:
        'Lambda had no room for the portal function in three of five minutes: people saw 503. ' +
        'Compare concurrent executions with portalConcurrency; CloudFront’s log has the address of one that floods.',
    },
    SignInsFailing: {
      urgency: 'page',
      metric: ownCount(stage, PORTAL_METRICS.signInsFailed, FIVE_MINUTES),
      threshold: 3,
      over: AT_ONCE,
      text:
        'In three sign-ins of five minutes a call of ours failed: to the provider, for the client secret or to the store. ' +
        'The saved query “sign-in failures” has the cause.',
    },
    LedgerDifference: {
      urgency: 'page',
      metric: ownCount(stage, PORTAL_METRICS.ledgerDifferences, FIVE_MINUTES),
      threshold: 1,
      over: AT_ONCE,
      text:
        'The counter of a project and its events differ, as somebody who looked at its usage was told. ' +
        'The saved query “ledger differences” has project and period; run ledger verify for them.',
    },
    ...(userPool && {
      UserPoolThrottles: {
        urgency: 'tomorrow',
        metric: poolThrottles(userPool),
        threshold: 1,
        over: THREE_OF_FIVE,
        text:
          'Cognito refused sign-ins or sign-ups for their rate in three of five minutes. ' +
          'Look for one who tries passwords, then at the quotas of Cognito.',
      },
    }),
    EdgeErrors: {
      urgency: 'page',
      metric: edgeMetric(distributionId, '5xxErrorRate', Stats.AVERAGE),
      threshold: 5,
      over: THREE_OF_FIVE,
      text:
        'At least 5 % of CloudFront’s answers were 5xx in three of five minutes. ' +
        'Compare with PortalServerErrors: without it, the files or CloudFront itself fail.',
      atTheEdge: true,
    },
  };
}

export interface PortalAlarmsProps {
  readonly monitored: MonitoredPortal;
  readonly topic: ITopic;
  readonly runbookUrl: string;
}

/** Every alarm of a portal. Each publishes to the topic when it goes off and when it is over. */
export class PortalAlarms extends Construct {
  readonly alarms: readonly Alarm[];
  readonly rollbackAlarms: readonly Alarm[];

  constructor(scope: Construct, id: string, { monitored, topic, runbookUrl }: PortalAlarmsProps) {
    super(scope, id);
    const action = new SnsAction(topic);
    // The region is known if the stack names it; otherwise CloudFormation decides.
    const { region } = Stack.of(this);
    const isElsewhere = !Token.isUnresolved(region) && region !== EDGE_REGION;
    const wanted = Object.entries(definitions(monitored)).filter(([, { atTheEdge }]) => !(atTheEdge && isElsewhere));
    const made = wanted.map(([name, { urgency, metric, threshold, over, text, ...kind }]) => {
      const alarm = new Alarm(this, name, {
        alarmName: `sandbox-gateway-${monitored.stage}-${name}`,
        alarmDescription: `${URGENCY_TEXT[urgency]} ${text} No data means nobody was here. ${runbookEntry(runbookUrl, name)}`,
        metric,
        threshold,
        ...over,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
      if (kind.atTheEdge) {
        const expression = Fn.conditionEquals(Aws.REGION, EDGE_REGION);
        const isAtTheEdge = new CfnCondition(this, 'IsAtTheEdge', { expression });
        (alarm.node.defaultChild as CfnAlarm).cfnOptions.condition = isAtTheEdge;
      }
      return { alarm, ...kind };
    });
    // A dashboard cannot show an alarm that may not exist.
    this.alarms = made.filter(({ atTheEdge }) => !atTheEdge).map(({ alarm }) => alarm);
    this.rollbackAlarms = made.filter(({ rollsBack }) => rollsBack).map(({ alarm }) => alarm);
  }
}
