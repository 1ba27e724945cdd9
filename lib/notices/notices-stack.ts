import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { CfnFunction, IAlias, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { ENVIRONMENT, NOTICES_ENVIRONMENT, NOTICES_STACK_OUTPUTS } from '../../functions/wiring.ts';
import { MESSAGES_AT_ONCE, RECURSIVE_LOOP, SCHEDULE_INPUT } from '../../functions/notices/wiring.ts';
import { GatewayFunction } from '../gateway-function.ts';
import { keyTagSecretText } from '../key-tag-secret.ts';
import { StageAlarms } from '../monitoring/alarms.ts';
import { NOTICES_QUERIES, saveQueries } from '../monitoring/saved-queries.ts';
import { StageDashboard } from '../monitoring/stage-dashboard.ts';
import type { StageSettings } from '../settings.ts';
import { addOutputs, dashboardUrl } from '../stack-outputs.ts';
import { restoredTables, type Tables } from '../tables.ts';
import { keepAsyncFailures } from './async-failures.ts';
import { noticesAlarms } from './alarms.ts';
import { noticesGraphs } from './dashboard.ts';
import { Mail, mailCheck } from './mail.ts';
import { MessageQueue } from './message-queue.ts';
import { grantNotices } from './permissions.ts';
import { TableChanges } from './table-changes.ts';

/** Time for the daily run. A message takes seconds. */
const TIMEOUT = Duration.minutes(3);

export interface NoticesStackProps extends StackProps {
  readonly settings: StageSettings;
  /** The data stack's own tables; the settings may name restored ones instead. */
  readonly tables: Tables;
  readonly keyTagSecret: ISecret;
  /** The portal's origin. Mails link to it. */
  readonly portalOrigin: string;
  readonly alarmTopic: ITopic;
}

/** Tells people and endpoints of changes: one function, the table's stream, two queues and a schedule. */
export class NoticesStack extends Stack {
  constructor(scope: Construct, id: string, props: NoticesStackProps) {
    const { settings, tables: ownTables, keyTagSecret, portalOrigin, alarmTopic, ...stackProps } = props;
    super(scope, id, stackProps);
    const { stage, mailFrom, runbookUrl } = settings;
    const tables = restoredTables(this, settings) ?? ownTables;
    const streamArn = tables.gateway.tableStreamArn;
    if (streamArn === undefined) throw new Error('the Gateway table has no stream');
    const changes = new TableChanges(this, 'Changes');
    const [mails, webhooks] = [new MessageQueue(this, 'Mails'), new MessageQueue(this, 'Webhooks')];
    const mail = mailFrom === undefined ? undefined : new Mail(this, 'Mail', stage, mailFrom);

    const notices = new GatewayFunction(this, 'Notices', {
      name: 'notices',
      settings,
      environment: {
        [ENVIRONMENT.portalOrigin]: portalOrigin,
        [ENVIRONMENT.gatewayTable]: tables.gateway.tableName,
        [ENVIRONMENT.usageTable]: tables.usage.tableName,
        [ENVIRONMENT.quotaPeriod]: settings.quotaPeriod,
        [ENVIRONMENT.keyTagSecrets]: keyTagSecretText(keyTagSecret, settings.keyTagSecretVersion),
        [NOTICES_ENVIRONMENT.mailQueueUrl]: mails.queue.queueUrl,
        [NOTICES_ENVIRONMENT.webhookQueueUrl]: webhooks.queue.queueUrl,
        [NOTICES_ENVIRONMENT.failuresBucket]: changes.failures.bucketName,
        [NOTICES_ENVIRONMENT.mailFrom]: mail?.from ?? '',
        [NOTICES_ENVIRONMENT.sesConfigurationSet]: mail?.configurationSet ?? '',
      },
      timeout: TIMEOUT,
    });
    (notices.function.node.defaultChild as CfnFunction).recursiveLoop = RECURSIVE_LOOP;
    const { role } = notices;
    const live = notices.live as IFunction;
    grantNotices(role, {
      ...{ tables, streamArn, queues: [mails.queue, webhooks.queue], failures: changes.failures },
      mail: mail && mailFrom !== undefined ? { address: mailFrom, configurationSet: mail.configurationSet } : undefined,
    });
    keepAsyncFailures(this, notices.live as IAlias, changes.failures);
    changes.serve(live, streamArn);
    mails.serve(live, MESSAGES_AT_ONCE.mail);
    webhooks.serve(live, MESSAGES_AT_ONCE.webhook);
    mail?.serve(live);
    mail?.tellOfPauses(alarmTopic);
    new Rule(this, 'EveryHour', {
      description: 'The hourly run of the notices function',
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [new LambdaFunction(live, { event: RuleTargetInput.fromObject(SCHEDULE_INPUT) })],
    });

    const monitored = { stage, live, mails, webhooks, changes, sendsMail: mail !== undefined };
    const definitions = noticesAlarms(monitored);
    const { alarms, rollbackAlarms } = new StageAlarms(this, 'Alarms', {
      stage,
      definitions,
      topic: alarmTopic,
      runbookUrl,
    });
    const { dashboardName } = new StageDashboard(this, 'Monitoring', { alarms, rows: noticesGraphs(monitored) });
    const folder = `sandbox-gateway-${stage}-notices`;
    saveQueries(this, NOTICES_QUERIES, { folder, functions: [notices.logGroup] });
    if (settings.deployment === 'canary') for (const alarm of rollbackAlarms) notices.deployment.addAlarm(alarm);
    addOutputs(this, {
      [NOTICES_STACK_OUTPUTS.functionName]: notices.function.functionName,
      [NOTICES_STACK_OUTPUTS.mailFrom]: mailFrom,
      [NOTICES_STACK_OUTPUTS.mailCheck]: mailFrom === undefined ? undefined : mailCheck(mailFrom),
      [NOTICES_STACK_OUTPUTS.streamArn]: streamArn,
      [NOTICES_STACK_OUTPUTS.mailDeadLetters]: mails.deadLetters.queueUrl,
      [NOTICES_STACK_OUTPUTS.webhookDeadLetters]: webhooks.deadLetters.queueUrl,
      [NOTICES_STACK_OUTPUTS.failuresBucket]: changes.failures.bucketName,
      [NOTICES_STACK_OUTPUTS.logGroup]: notices.logGroup.logGroupName,
      [NOTICES_STACK_OUTPUTS.deploymentApplication]: notices.deployment.application.applicationName,
      [NOTICES_STACK_OUTPUTS.deploymentGroup]: notices.deployment.deploymentGroupName,
      [NOTICES_STACK_OUTPUTS.dashboardUrl]: dashboardUrl(this, dashboardName),
      [NOTICES_STACK_OUTPUTS.savedQueries]: folder,
    });
  }
}
