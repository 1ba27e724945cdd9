import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { DataStack } from '../data-stack.ts';
import type { Gateway } from '../gateway.ts';
import type { StageSettings } from '../settings.ts';
import { addOutputs, dashboardUrl } from '../stack-outputs.ts';
import { mailCheck } from './mail.ts';
import { Notices } from './notices.ts';

export interface NoticesStackProps extends StackProps {
  readonly settings: StageSettings;
  readonly data: DataStack;
  /** The portal's origin. Mails link to it. */
  readonly portalOrigin: string;
  readonly gateway: Gateway;
}

/** The notices of a stage with a portal. */
export class NoticesStack extends Stack {
  constructor(scope: Construct, id: string, { settings, data, portalOrigin, gateway, ...props }: NoticesStackProps) {
    super(scope, id, props);
    const { mailFrom } = settings;
    const tables = data.tablesFor(this);
    const notices = new Notices(this, 'Notices', {
      settings,
      tables,
      keyTagSecret: data.keyTagSecret,
      portalOrigin,
      alarmTopic: gateway.alarmTopic,
    });
    addOutputs(this, {
      NoticesFunctionName: notices.function.function.functionName,
      NoticesGatewayTableName: tables.gateway.tableName,
      NoticesMailFrom: mailFrom,
      NoticesMailCheck: mailFrom === undefined ? undefined : mailCheck(mailFrom),
      NoticesStreamArn: tables.gateway.tableStreamArn,
      NoticesMailDeadLetters: notices.mails.deadLetters.queueUrl,
      NoticesWebhookDeadLetters: notices.webhooks.deadLetters.queueUrl,
      NoticesFailuresBucket: notices.changes.failures.bucketName,
      NoticesLogGroup: notices.function.logGroup.logGroupName,
      NoticesDashboardUrl: dashboardUrl(this, notices.dashboardName),
      NoticesSavedQueries: notices.savedQueries,
    });
  }
}
