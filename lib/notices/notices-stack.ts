import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { CfnEventInvokeConfig, type CfnFunction, type IAlias, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { ENVIRONMENT, NOTICES_ENVIRONMENT, NOTICES_METRICS } from '../../functions/shared/names.ts';
import { RECURSIVE_LOOP, SCHEDULE_INPUT } from '../../functions/notices/names.ts';
import { concurrencyShares } from '../concurrency.ts';
import type { DataStack } from '../data-stack.ts';
import type { Gateway } from '../gateway.ts';
import { StageFunction } from '../stage-function.ts';
import { keyTagSecretText } from '../key-tag-secret.ts';
import { addMonitoring, graph } from '../monitoring/monitoring.ts';
import type { StageDashboard } from '../monitoring/stage-dashboard.ts';
import { NOTICES_QUERIES } from '../monitoring/saved-queries.ts';
import { stagePropsOf, type StageSettings } from '../settings.ts';
import { addOutputs } from '../stack-outputs.ts';
import { noticesAlarms } from './alarm-definitions.ts';
import { Mail, mailCheck } from './mail.ts';
import { MessageQueue } from './message-queue.ts';
import { grantDailyWork, grantNotices } from './permissions.ts';
import { TableChanges } from './stream.ts';
import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { ownCount, reputation, type MonitoredNotices } from './metrics.ts';

/** Time for what the hour hands out. A message takes seconds. */
const TIMEOUT = Duration.minutes(3);
/** Time, and a whole processor, for the ledger of one large project: 1,769 MB (AWS, "Configure Lambda function memory"). */
const DAILY_WORK = { timeout: Duration.minutes(15), memoryMb: 1_769 };
const SIX_HOURS_IN_SECONDS = 21_600;

export interface NoticesStackProps extends StackProps {
  readonly settings: StageSettings;
  readonly data: DataStack;
  /** The portal's origin. Mails link to it. */
  readonly portalOrigin: string;
  readonly gateway: Gateway;
}

/**
 * The notices of a stage with a portal, which tell people and endpoints of changes: one function, the table's stream,
 * queues and a schedule. A second function, of the same code, does the daily work: it has more time, and other rights.
 */
export class NoticesStack extends Stack {
  constructor(app: Construct, id: string, { settings, data, portalOrigin, gateway, ...props }: NoticesStackProps) {
    super(app, id, props);
    // Its name begins the logical ids of deployed resources, so it stays.
    const scope = new Construct(this, 'Notices');
    const tables = data.tablesFor(this);
    const topic = gateway.alarmTopic;
    const { stage, mailFrom } = settings;
    const stageProps = stagePropsOf(settings);
    const streamArn = tables.gateway.tableStreamArn;
    if (streamArn === undefined) throw new Error('the Gateway table has no stream');
    const changes = new TableChanges(scope, 'Changes');
    const mails = new MessageQueue(scope, 'Mails', TIMEOUT);
    const webhooks = new MessageQueue(scope, 'Webhooks', TIMEOUT);
    const daily = new MessageQueue(scope, 'Daily', DAILY_WORK.timeout);
    const mail = mailFrom === undefined ? undefined : new Mail(scope, 'Mail', stage, mailFrom);

    const common = {
      ...stageProps,
      name: 'notices',
      environment: {
        [ENVIRONMENT.portalOrigin]: portalOrigin,
        [ENVIRONMENT.gatewayTable]: tables.gateway.tableName,
        [ENVIRONMENT.usageTable]: tables.usage.tableName,
        [ENVIRONMENT.quotaPeriod]: settings.quotaPeriod,
        [ENVIRONMENT.keyTagSecrets]: keyTagSecretText(data.keyTagSecret, settings.keyTagSecretVersion),
        [NOTICES_ENVIRONMENT.mailQueueUrl]: mails.queue.queueUrl,
        [NOTICES_ENVIRONMENT.webhookQueueUrl]: webhooks.queue.queueUrl,
        [NOTICES_ENVIRONMENT.dailyQueueUrl]: daily.queue.queueUrl,
        [NOTICES_ENVIRONMENT.failuresBucket]: changes.failures.bucketName,
        [NOTICES_ENVIRONMENT.mailFrom]: mail?.from ?? '',
        [NOTICES_ENVIRONMENT.sesConfigurationSet]: mail?.configurationSet ?? '',
      },
    } as const;
    const notices = new StageFunction(scope, 'Notices', { ...common, timeout: TIMEOUT });
    // Once a day a canary would see nothing.
    const dailyWork = new StageFunction(scope, 'DailyWork', { ...common, ...DAILY_WORK, deployment: 'allAtOnce' });
    for (const each of [notices, dailyWork])
      (each.function.node.defaultChild as CfnFunction).recursiveLoop = RECURSIVE_LOOP;
    const [live, liveDaily] = [notices.live as IFunction, dailyWork.live as IFunction];
    grantDailyWork(dailyWork.role, tables, daily.queue);
    grantNotices(notices.role, {
      tables,
      streamArn,
      queues: [mails.queue, webhooks.queue],
      daily: daily.queue,
      failures: changes.failures,
      mail: mail && mailFrom !== undefined ? { address: mailFrom, configurationSet: mail.configurationSet } : undefined,
    });
    keepAsyncFailures(scope, notices, changes.failures);
    changes.serve(live, streamArn);
    const atOnce = concurrencyShares(settings.concurrencyQuota);
    mails.serve(live, atOnce.mails);
    webhooks.serve(live, atOnce.webhooks);
    daily.serve(liveDaily, atOnce.daily);
    mail?.serve(live);
    mail?.tellOfPauses(topic);
    new Rule(scope, 'EveryHour', {
      description: 'The hourly run of the notices function',
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [new LambdaFunction(live, { event: RuleTargetInput.fromObject(SCHEDULE_INPUT) })],
    });

    const monitored = { stage, live, liveDaily, mails, webhooks, daily, changes, sendsMail: mail !== undefined };
    const folder = `sandbox-gateway-${stage}-notices`;
    addMonitoring(scope, {
      ...stageProps,
      functions: [notices, dailyWork],
      alarms: noticesAlarms(monitored),
      topic,
      whenMissing: 'No data means that there was nothing to tell.',
      dashboard: gateway.dashboard,
      title: 'Alarms of the notices',
      graphs: (dashboard) => noticesGraphs(monitored, dashboard),
      queries: NOTICES_QUERIES,
      folder,
    });

    addOutputs(this, {
      NoticesFunctionName: notices.function.functionName,
      NoticesDailyFunctionName: dailyWork.function.functionName,
      NoticesGatewayTableName: tables.gateway.tableName,
      NoticesMailFrom: mailFrom,
      NoticesMailCheck: mailFrom === undefined ? undefined : mailCheck(mailFrom),
      NoticesStreamArn: streamArn,
      NoticesMailDeadLetters: mails.deadLetters.queueUrl,
      NoticesWebhookDeadLetters: webhooks.deadLetters.queueUrl,
      NoticesDailyDeadLetters: daily.deadLetters.queueUrl,
      NoticesFailuresBucket: changes.failures.bucketName,
      NoticesLogGroup: notices.logGroup.logGroupName,
      NoticesDailyLogGroup: dailyWork.logGroup.logGroupName,
      NoticesSavedQueries: folder,
    });
  }
}

/**
 * Bounces, complaints and the hourly run come asynchronously. One that fails three times within six hours goes into the
 * bucket of failures, with its event. The function's role may write there already.
 */
function keepAsyncFailures(scope: Construct, { function: { functionName }, live }: StageFunction, failures: IBucket) {
  const kept = new CfnEventInvokeConfig(scope, 'AsyncFailures', {
    functionName,
    qualifier: (live as IAlias).aliasName,
    maximumEventAgeInSeconds: SIX_HOURS_IN_SECONDS,
    maximumRetryAttempts: 2,
    destinationConfig: { onFailure: { destination: failures.bucketArn } },
  });
  // It names the alias by a text, which CloudFormation does not wait for.
  kept.node.addDependency(live);
}

/** The graphs of the notices. */
function noticesGraphs({ stage, sendsMail }: MonitoredNotices, dashboard: StageDashboard): IWidget[][] {
  return [
    [
      graph(
        'What was told, and what failed',
        Object.values(NOTICES_METRICS).map((name) => ownCount(stage, name)),
      ),
      dashboard.graphOf('NoticesLate', 'Behind the table, ms'),
      dashboard.graphOf('NoticesErrors', 'Notices function: crashes and time-outs'),
    ],
    [
      dashboard.graphOf('NoticesDead', 'Dead letters'),
      dashboard.graphOf('NoticesLeftOut', 'Changes left out'),
      ...(sendsMail
        ? [
            graph('Mails that came back, and complaints: share', [
              reputation('Reputation.BounceRate'),
              reputation('Reputation.ComplaintRate'),
            ]),
          ]
        : []),
    ],
  ];
}
