import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { OWN_RUNBOOK } from '../setting-values.ts';
import { URGENCY_TEXT, type AlarmDefinition } from './alarm-definition.ts';
import { alarmDefinitions } from './alarm-definitions.ts';
import type { Monitored } from './metrics.ts';

/** The common settings of one stack's alarms. */
export interface AlarmContext {
  /** The prefix of their names, which must differ within an account and region. */
  readonly prefix: string;
  readonly topic: ITopic;
  readonly runbookUrl: string;
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
  { prefix, topic, runbookUrl }: AlarmContext,
): Alarm {
  const { urgency, metric, threshold, over, meaning, firstStep, whenMissing } = definition;
  const alarm = new Alarm(scope, name, {
    alarmName: `${prefix}-${name}`,
    alarmDescription: `${URGENCY_TEXT[urgency]} ${meaning} ${firstStep} ${whenMissing} ${runbookEntry(runbookUrl, name)}`,
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

export interface GatewayAlarmsProps {
  readonly monitored: Monitored;
  readonly topic: ITopic;
  readonly runbookUrl: string;
}

/** Every alarm of a stage's gateway. */
export class GatewayAlarms extends Construct {
  readonly alarms: readonly Alarm[];
  /** The alarms that only a version can set off. CodeDeploy accepts ten for a deployment group. */
  readonly rollbackAlarms: readonly Alarm[];

  constructor(scope: Construct, id: string, { monitored, topic, runbookUrl }: GatewayAlarmsProps) {
    super(scope, id);
    const context = { prefix: `sandbox-gateway-${monitored.stage}`, topic, runbookUrl };
    const made = Object.entries(alarmDefinitions(monitored)).map(([name, definition]) => ({
      alarm: addAlarm(this, name, definition, context),
      rollsBack: definition.rollsBack === true,
    }));
    this.alarms = made.map(({ alarm }) => alarm);
    this.rollbackAlarms = made.filter(({ rollsBack }) => rollsBack).map(({ alarm }) => alarm);
  }
}
