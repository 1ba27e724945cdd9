import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { alarmDefinitions } from './alarm-definitions.ts';
import type { Monitored } from './metrics.ts';
import { URGENCY_TEXT } from './urgency.ts';

export interface GatewayAlarmsProps {
  readonly monitored: Monitored;
  readonly topic: ITopic;
  readonly runbookUrl: string;
}

/** Every alarm of a stage; each tells the topic when it goes off and when it is over. */
export class GatewayAlarms extends Construct {
  readonly alarms: readonly Alarm[];
  /** Those that only a version can set off. CodeDeploy takes ten for a deployment group, no more. */
  readonly rollbackAlarms: readonly Alarm[];

  constructor(scope: Construct, id: string, { monitored, topic, runbookUrl }: GatewayAlarmsProps) {
    super(scope, id);
    const action = new SnsAction(topic);
    const alarms = Object.entries(alarmDefinitions(monitored)).map(([name, definition]) => {
      const {
        urgency,
        metric,
        threshold,
        over,
        meaning,
        firstStep,
        whenMissing,
        missingIsBad,
        rollsBack = false,
      } = definition;
      const alarm = new Alarm(this, name, {
        alarmName: `sandbox-gateway-${monitored.stage}-${name}`,
        alarmDescription: `${URGENCY_TEXT[urgency]} ${meaning} ${firstStep} ${whenMissing} Runbook: ${runbookUrl}#alarm-${name.toLowerCase()}`,
        metric,
        threshold,
        ...over,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: missingIsBad ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      });
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
      return { alarm, rollsBack };
    });
    this.alarms = alarms.map(({ alarm }) => alarm);
    this.rollbackAlarms = alarms.filter(({ rollsBack }) => rollsBack).map(({ alarm }) => alarm);
  }
}
