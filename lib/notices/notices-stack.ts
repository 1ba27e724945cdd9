import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { NOTICES_STACK_OUTPUTS } from '../stack-names.ts';
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
      [NOTICES_STACK_OUTPUTS.functionName]: notices.function.function.functionName,
      [NOTICES_STACK_OUTPUTS.gatewayTableName]: tables.gateway.tableName,
      [NOTICES_STACK_OUTPUTS.mailFrom]: mailFrom,
      [NOTICES_STACK_OUTPUTS.mailCheck]: mailFrom === undefined ? undefined : mailCheck(mailFrom),
      [NOTICES_STACK_OUTPUTS.streamArn]: tables.gateway.tableStreamArn,
      [NOTICES_STACK_OUTPUTS.mailDeadLetters]: notices.mails.deadLetters.queueUrl,
      [NOTICES_STACK_OUTPUTS.webhookDeadLetters]: notices.webhooks.deadLetters.queueUrl,
      [NOTICES_STACK_OUTPUTS.failuresBucket]: notices.changes.failures.bucketName,
      [NOTICES_STACK_OUTPUTS.logGroup]: notices.function.logGroup.logGroupName,
      [NOTICES_STACK_OUTPUTS.dashboardUrl]: dashboardUrl(this, notices.dashboardName),
      [NOTICES_STACK_OUTPUTS.savedQueries]: notices.savedQueries,
    });
  }
}
