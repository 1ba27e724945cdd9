import { Aws, CfnCondition, Fn, Stack, Token } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData, type CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { OWN_RUNBOOK } from '../setting-values.ts';
import type { StageProps } from '../stage-props.ts';
import { urgencyText, type AlarmDefinition } from './alarm-definition.ts';
import { EDGE_REGION } from './metrics.ts';

/** The common settings of one stack's alarms. */
export interface AlarmContext {
  /** The prefix of their names, which must differ within an account and region. */
  readonly prefix: string;
  readonly topic: ITopic;
  readonly runbookUrl: string;
  /** What is not production wakes nobody. */
  readonly production?: boolean | undefined;
  /** What missing data means, for definitions that do not say it. */
  readonly whenMissing: string;
}

/** The runbook's entry for an alarm: its address, or its heading in this repository if there is no address. */
export const runbookEntry = (runbookUrl: string, name: string): string =>
  runbookUrl === OWN_RUNBOOK
    ? `Runbook: ${OWN_RUNBOOK} of the gateway's repository, Alarm: ${name}`
    : `Runbook: ${runbookUrl}#alarm-${name.toLowerCase()}`;

/** Makes one alarm from its definition. It publishes to the topic when it goes off and when it is over. */
export function addAlarm(
  scope: Construct,
  name: string,
  definition: AlarmDefinition,
  { prefix, topic, runbookUrl, production = false, whenMissing: usually }: AlarmContext,
): Alarm {
  const { pages = false, metric, threshold = 1, over, meaning, firstStep, whenMissing = usually } = definition;
  const alarm = new Alarm(scope, name, {
    alarmName: `${prefix}-${name}`,
    alarmDescription: `${urgencyText(production && pages)} ${meaning} ${firstStep} ${whenMissing} ${runbookEntry(runbookUrl, name)}`,
    metric,
    threshold,
    ...over,
    comparisonOperator: definition.goesOffBelow
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: definition.missingIsBad ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
  const action = new SnsAction(topic);
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
  return alarm;
}

export interface StageAlarmsProps extends StageProps, Pick<AlarmContext, 'topic' | 'whenMissing'> {
  /** By name. docs/runbook.md has a heading `Alarm: <name>` for each. */
  readonly definitions: Readonly<Record<string, AlarmDefinition>>;
}

/** Every alarm of one stack of a stage. */
export class StageAlarms extends Construct {
  /** The alarms that certainly exist: a dashboard can show only these. */
  readonly alarms: readonly Alarm[];
  /** The alarms that only a version can set off. CodeDeploy accepts ten for a deployment group. */
  readonly rollbackAlarms: readonly Alarm[];

  constructor(
    scope: Construct,
    id: string,
    { stage, production, runbookUrl = OWN_RUNBOOK, topic, whenMissing, definitions }: StageAlarmsProps,
  ) {
    super(scope, id);
    // The region is known if the stack names it; otherwise CloudFormation decides.
    const { region } = Stack.of(this);
    const isElsewhere = !Token.isUnresolved(region) && region !== EDGE_REGION;
    const made = Object.entries(definitions)
      .filter(([, { atTheEdge }]) => !(atTheEdge && isElsewhere))
      .map(([name, { rollsBack, atTheEdge, ...definition }]) => {
        const context = { prefix: `sandbox-gateway-${stage}`, topic, runbookUrl, production, whenMissing };
        const alarm = addAlarm(this, name, definition, context);
        if (atTheEdge) {
          const expression = Fn.conditionEquals(Aws.REGION, EDGE_REGION);
          const isAtTheEdge = new CfnCondition(this, 'IsAtTheEdge', { expression });
          (alarm.node.defaultChild as CfnAlarm).cfnOptions.condition = isAtTheEdge;
        }
        return { alarm, rollsBack, atTheEdge };
      });
    this.alarms = made.filter(({ atTheEdge }) => !atTheEdge).map(({ alarm }) => alarm);
    this.rollbackAlarms = made.filter(({ rollsBack }) => rollsBack).map(({ alarm }) => alarm);
  }
}
