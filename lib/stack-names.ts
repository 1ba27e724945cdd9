/** The names of the stacks of a stage and of their outputs, by which the programs read them. Data only. */

/** The name of a stage, which is one deployment: `dev`, `prod`, `anna`. It has no meaning beyond that. */
export type Stage = string;

/** Names of stages are short, since they are part of other names. */
export const STAGE_NAME = /^[a-z][a-z0-9]{0,15}$/;

/** Name of the CloudFormation stack of a stage; its outputs are {@link STACK_OUTPUTS}. */
export const stackNameOf = (stage: Stage): string => `SandboxGateway-${stage}`;

/** The outputs of the stack, for people and the admin CLI. */
export const STACK_OUTPUTS = {
  apiUrl: 'ApiUrl',
  gatewayTableName: 'GatewayTableName',
  usageTableName: 'UsageTableName',
  quotaPeriod: 'QuotaPeriod',
  defaultRpm: 'DefaultRpm',
  defaultQuotaUnits: 'DefaultQuotaUnits',
  usageRetentionDays: 'UsageRetentionDays',
  keyTagSecretArn: 'KeyTagSecretArn',
  keyTagSecretVersion: 'KeyTagSecretVersion',
  alarmTopicArn: 'AlarmTopicArn',
  meteredFunctionName: 'MeteredFunctionName',
  healthFunctionName: 'HealthFunctionName',
  meteredLogGroup: 'MeteredLogGroup',
  healthLogGroup: 'HealthLogGroup',
  accessLogGroup: 'AccessLogGroup',
  dashboardUrl: 'DashboardUrl',
  probeName: 'ProbeName',
  /** Folder of the saved log queries. */
  savedQueries: 'SavedQueries',
} as const;

/** The outputs of the stack with the addresses of a stage. */
export const FRONT_STACK_OUTPUTS = {
  /** The target of the DNS record of the gateway's domain; with an edge this is an output of the edge's stack. */
  domainTarget: 'DomainTarget',
  /** With an edge: the target of the DNS record of the domain behind it. */
  originDomainTarget: 'OriginDomainTarget',
  /** The target of the DNS record of the portal's domain. */
  portalDomainTarget: 'PortalDomainTarget',
  portalFilesBucket: 'PortalFilesBucket',
  /** The bucket with CloudFront's log. */
  portalLogsBucket: 'PortalLogsBucket',
  portalDistributionId: 'PortalDistributionId',
} as const;

/** The outputs of the stack of an edge, in addition to its domain's target and its topic of alarms. */
export const EDGE_STACK_OUTPUTS = { refusedLogGroup: 'RefusedLogGroup' } as const;

/** Name of the CloudFormation stack of a stage's portal; its outputs are {@link PORTAL_STACK_OUTPUTS}. */
export const portalStackNameOf = (stage: Stage): string => `${stackNameOf(stage)}-portal`;

/** The outputs of the portal's stack. */
export const PORTAL_STACK_OUTPUTS = {
  url: 'PortalUrl',
  /** For a provider of your own, which must know it. */
  callbackUrl: 'SignInCallbackUrl',
  userPoolId: 'UserPoolId',
  functionName: 'PortalFunctionName',
  gatewayTableName: 'PortalGatewayTableName',
  /** The function's reserved concurrency; 0: none. */
  concurrency: 'PortalConcurrency',
  logGroup: 'PortalLogGroup',
  accessLogGroup: 'PortalAccessLogGroup',
  dashboardUrl: 'PortalDashboardUrl',
  savedQueries: 'PortalSavedQueries',
} as const;

/** Name of the CloudFormation stack of a stage's notices; its outputs are {@link NOTICES_STACK_OUTPUTS}. */
export const noticesStackNameOf = (stage: Stage): string => `${stackNameOf(stage)}-notices`;

/** The outputs of the notices' stack. */
export const NOTICES_STACK_OUTPUTS = {
  functionName: 'NoticesFunctionName',
  /** Table that the function was deployed with. */
  gatewayTableName: 'NoticesGatewayTableName',
  /** Undefined: the stage sends no mail. */
  mailFrom: 'NoticesMailFrom',
  /** The commands that show the sandbox of SES and the sender's verification. Undefined: as above. */
  mailCheck: 'NoticesMailCheck',
  /** Stream that the function reads; that of the table in use. */
  streamArn: 'NoticesStreamArn',
  mailDeadLetters: 'NoticesMailDeadLetters',
  webhookDeadLetters: 'NoticesWebhookDeadLetters',
  /** The bucket with records of the stream that the function could not work on. */
  failuresBucket: 'NoticesFailuresBucket',
  logGroup: 'NoticesLogGroup',
  dashboardUrl: 'NoticesDashboardUrl',
  savedQueries: 'NoticesSavedQueries',
} as const;

/** Stands for a version of the secret of key tags: the one that Secrets Manager calls current. */
export const CURRENT_SECRET_VERSION = 'AWSCURRENT';
