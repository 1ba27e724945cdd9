import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { OWN_RUNBOOK } from '../setting-values.ts';
import { THREE_OF_FIVE, urgencyText, type AlarmDefinition } from './alarm-definition.ts';

/** The common settings of one stack's alarms. */
export interface AlarmContext {
  /** Begins their names, which must differ within an account and region. */
  readonly stage: string;
  readonly topic: ITopic;
  readonly runbookUrl: string;
  /** What is not production wakes nobody. */
  readonly production?: boolean | undefined;
  /** What missing data means, for definitions that do not say it. */
  readonly whenMissing: string;
}

/** The name of an alarm of a stage; of an edge, which is in another region, of `<stage>-<region>`. */
export const alarmNameOf = (stage: string, name: string): string => `sandbox-gateway-${stage}-${name}`;

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
  { stage, topic, runbookUrl, production = false, whenMissing: usually }: AlarmContext,
): Alarm {
  const { pages = false, metric, threshold = 1, over = THREE_OF_FIVE, whenMissing = usually } = definition;
  const { meaning, firstStep } = definition;
  const alarm = new Alarm(scope, name, {
    alarmName: alarmNameOf(stage, name),
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
