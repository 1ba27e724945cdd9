import { CfnOutput, type Stack } from 'aws-cdk-lib';

/** The outputs of the stacks of a stage, for people, the admin CLI and a restore: what each says. */
export const OUTPUTS = {
  // Of the gateway's stack; AlarmTopicArn also of the stacks of the data and of an edge.
  ApiUrl: 'Base address of the API: what developers call, and npm run smoke takes',
  GatewayTableName: 'Table of accounts, projects, keys, counters and replay records that the stage works on',
  UsageTableName: 'Table of usage events that the stage works on',
  QuotaPeriod: 'Setting quotaPeriod, for the CLI',
  DefaultRpm: 'Setting rpmDefault, for the CLI',
  DefaultQuotaUnits: 'Setting quotaDefault, for the CLI',
  UsageRetentionDays: 'Setting usageRetentionDays, for the CLI',
  KeyPrefixes: 'Settings keyPrefix and formerKeyPrefixes, for the CLI',
  KeyTagSecretArn: 'Secret of key tags, under which the CLI makes keys',
  KeyTagSecretVersion: 'Version of that secret that the functions were deployed with',
  Standby: 'Only of a standby: no function of it may run',
  AlarmTopicArn:
    'Topic that the alarms tell, those of backups and of an edge one of their own; subscribe whoever is on call',
  MeteredFunctionName: 'Function that serves every metered operation',
  HealthFunctionName: 'Function that serves the health check, 404 and 405',
  MeteredLogGroup: 'Log of the metered function: one line a request',
  HealthLogGroup: 'Log of the health function: one line a request',
  AccessLogGroup: 'Access log of the API: one line a request, also of those that reached no function',
  DashboardUrl: 'Dashboard of the stage, with portal and notices; none where nobody watches it',
  ProbeName: 'Canary of the probe, in CloudWatch, Synthetics canaries: what each run got',
  SavedQueries: 'Folder of the saved queries in CloudWatch, Logs Insights, Queries',
  // Of the stack of the data.
  CliPolicyArn: 'Managed policy with what npm run admin does; attach it to the role of the platform team',
  RestorePolicyArn: 'Managed policy with what npm run restore does in addition',
  // Of the stacks with the addresses. With an edge, DomainTarget is of the edge's stack.
  DomainTarget: 'What DNS must point the domain of the API to',
  OriginDomainTarget: 'What DNS must point edgeOriginDomainName to',
  PortalDomainTarget: 'What DNS must point the domain of the portal to',
  PortalFilesBucket: 'Bucket with the files of the portal; open pages need those of older versions',
  PortalLogsBucket: 'Bucket with the log of CloudFront, which has the addresses of callers',
  PortalDistributionId: 'CloudFront distribution of the portal',
  // Of the edge's stack.
  RefusedLogGroup: 'Log of what the edge refused, in us-east-1',
  // Of the portal's stack. Another provider than the user pool must know SignInCallbackUrl.
  PortalUrl: 'Address of the portal',
  SignInCallbackUrl: 'Redirect address, for an OpenID provider of your own',
  UserPoolId: 'User pool with the people of the portal',
  PortalFunctionName: 'Function that serves the API of the portal',
  PortalGatewayTableName: 'Table that the portal works on: that of the gateway, but in the middle of a restore',
  PortalConcurrency: 'Reserved concurrency of the portal function, for npm run restore; 0: none',
  PortalLogGroup: 'Log of the portal function: one line a request',
  PortalAccessLogGroup: 'Access log of the API of the portal: one line a request',
  PortalSavedQueries: 'Folder of its saved queries in CloudWatch, Logs Insights, Queries',
  // Of the notices' stack; NoticesMailFrom and NoticesMailCheck only where the stage sends mail.
  NoticesFunctionName: 'Function that tells people and endpoints of changes',
  NoticesDailyFunctionName: 'Function of the daily work: what ends, and the nightly verification',
  NoticesGatewayTableName: 'Table that the notices work on: that of the gateway, but in the middle of a restore',
  NoticesMailFrom: 'Setting mailFrom: the sender of mails',
  NoticesMailCheck: 'Commands that show whether SES is out of its sandbox, and the sender verified',
  NoticesStreamArn: 'Stream of the Gateway table that it reads',
  NoticesMailDeadLetters: 'Queue of mails that failed for a day',
  NoticesWebhookDeadLetters: 'Queue of deliveries to endpoints that failed for a day',
  NoticesDailyDeadLetters: 'Queue of daily work that failed for a day',
  NoticesFailuresBucket: 'Bucket with changes that could not be worked on',
  NoticesLogGroup: 'Log of the notices function',
  NoticesDailyLogGroup: 'Log of the function of daily work',
  NoticesSavedQueries: 'Folder of its saved queries in CloudWatch, Logs Insights, Queries',
} as const;
export type OutputName = keyof typeof OUTPUTS;

/** Adds outputs with descriptions to a stack; undefined ones are omitted. */
export function addOutputs(stack: Stack, outputs: Readonly<Partial<Record<OutputName, string | undefined>>>): void {
  for (const [name, value] of Object.entries(outputs)) {
    if (value === undefined) continue;
    new CfnOutput(stack, name, { value, description: OUTPUTS[name as OutputName] });
  }
}

/** The page of a dashboard in the console. */
export const dashboardUrl = ({ region }: Stack, dashboardName: string): string =>
  `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${dashboardName}`;
