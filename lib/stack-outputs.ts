import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type {
  EDGE_STACK_OUTPUTS,
  FRONT_STACK_OUTPUTS,
  NOTICES_STACK_OUTPUTS,
  PORTAL_STACK_OUTPUTS,
  STACK_OUTPUTS,
} from './stack-names.ts';

type Names<T> = T[keyof T];
type OutputName =
  | Names<typeof STACK_OUTPUTS>
  | Names<typeof FRONT_STACK_OUTPUTS>
  | Names<typeof PORTAL_STACK_OUTPUTS>
  | Names<typeof NOTICES_STACK_OUTPUTS>
  | Names<typeof EDGE_STACK_OUTPUTS>;

const DESCRIPTIONS: Readonly<Record<OutputName, string>> = {
  ApiUrl: 'Base address of the API: what developers call, and npm run smoke takes',
  GatewayTableName: 'Table of accounts, projects, keys, counters and replay records that the stage works on',
  UsageTableName: 'Table of usage events that the stage works on',
  QuotaPeriod: 'Setting quotaPeriod, for the CLI',
  DefaultRpm: 'Setting rpmDefault, for the CLI',
  DefaultQuotaUnits: 'Setting quotaDefault, for the CLI',
  UsageRetentionDays: 'Setting usageRetentionDays, for the CLI',
  KeyTagSecretArn: 'Secret of key tags, under which the CLI makes keys',
  KeyTagSecretVersion: 'Version of that secret that the functions were deployed with',
  AlarmTopicArn:
    'Topic that the alarms tell, those of backups and of an edge one of their own; subscribe whoever is on call',
  DomainTarget: 'What DNS must point the domain of the API to',
  OriginDomainTarget: 'What DNS must point edgeOriginDomainName to',
  RefusedLogGroup: 'Log of what the edge refused, in us-east-1',
  MeteredFunctionName: 'Function that serves every metered operation',
  HealthFunctionName: 'Function that serves the health check, 404 and 405',
  MeteredLogGroup: 'Log of the metered function: one line a request',
  HealthLogGroup: 'Log of the health function: one line a request',
  AccessLogGroup: 'Access log of the API: one line a request, also of those that reached no function',
  DashboardUrl: 'Dashboard of the stage',
  ProbeName: 'Canary of the probe, in CloudWatch, Synthetics canaries: what each run got',
  SavedQueries: 'Folder of the saved queries in CloudWatch, Logs Insights, Queries',
  PortalUrl: 'Address of the portal',
  PortalFilesBucket: 'Bucket with the files of the portal; open pages need those of older versions',
  PortalLogsBucket: 'Bucket with the log of CloudFront, which has the addresses of callers',
  PortalDomainTarget: 'What DNS must point the domain of the portal to',
  SignInCallbackUrl: 'Redirect address, for an OpenID provider of your own',
  UserPoolId: 'User pool with the people of the portal',
  PortalFunctionName: 'Function that serves the API of the portal',
  PortalGatewayTableName: 'Table that the portal works on: that of the gateway, but in the middle of a restore',
  PortalConcurrency: 'Reserved concurrency of the portal function, for npm run restore; 0: none',
  PortalLogGroup: 'Log of the portal function: one line a request',
  PortalAccessLogGroup: 'Access log of the API of the portal: one line a request',
  PortalDistributionId: 'CloudFront distribution of the portal',
  PortalDashboardUrl: 'Dashboard of the portal',
  NoticesFunctionName: 'Function that tells people and endpoints of changes',
  NoticesGatewayTableName: 'Table that the notices work on: that of the gateway, but in the middle of a restore',
  NoticesMailCheck: 'Commands that show whether SES is out of its sandbox, and the sender verified',
  NoticesMailFrom: 'Setting mailFrom: the sender of mails',
  NoticesStreamArn: 'Stream of the Gateway table that it reads',
  NoticesMailDeadLetters: 'Queue of mails that failed for a day',
  NoticesWebhookDeadLetters: 'Queue of deliveries to endpoints that failed for a day',
  NoticesFailuresBucket: 'Bucket with changes that could not be worked on',
  NoticesLogGroup: 'Log of the notices function',
  NoticesDashboardUrl: 'Dashboard of the notices',
  NoticesSavedQueries: 'Folder of its saved queries in CloudWatch, Logs Insights, Queries',
  PortalSavedQueries: 'Folder of its saved queries in CloudWatch, Logs Insights, Queries',
};

/** Adds outputs with descriptions to a stack; undefined ones are omitted. */
export function addOutputs(stack: Stack, outputs: Readonly<Partial<Record<OutputName, string | undefined>>>): void {
  for (const [name, value] of Object.entries(outputs)) {
    if (value === undefined) continue;
    new CfnOutput(stack, name, { value, description: DESCRIPTIONS[name as OutputName] });
  }
}

/** The page of a dashboard in the console. */
export const dashboardUrl = ({ region }: Stack, dashboardName: string): string =>
  `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${dashboardName}`;
