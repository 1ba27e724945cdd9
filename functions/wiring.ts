/** Names that the functions, the CDK stack, the development server and the tests share. Data only. */

/** Path prefix of version 1. */
export const API_V1 = '/api/v1';
/** Path of the health check. */
export const HEALTH_PATH = `${API_V1}/health`;

/** The two Lambda functions: the one without authentication, and the one that serves every metered operation. */
export type FunctionName = 'health' | 'metered';
/** The portal's, which no route of the gateway reaches. */
export type PortalFunctionName = 'portal';

/** One route of the API, and the function that serves it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'OPTIONS';
  readonly path: string;
  readonly function: FunctionName;
}

/** The route key of one route, as API Gateway writes it (`POST /api/v1/sandbox/ping`). */
export const routeKeyOf = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${path}`;

/** Receives what no route matches: the function without authentication answers 404 and 405. */
export const DEFAULT_ROUTE_FUNCTION: FunctionName = 'health';

/** Environment variables of the functions. */
export const ENVIRONMENT = {
  stage: 'STAGE',
  gatewayTable: 'GATEWAY_TABLE',
  usageTable: 'USAGE_TABLE',
  portalOrigin: 'PORTAL_ORIGIN',
  localDevOrigin: 'LOCAL_DEV_ORIGIN',
  quotaPeriod: 'QUOTA_PERIOD',
  usageRetentionDays: 'USAGE_RETENTION_DAYS',
  keyTagSecrets: 'KEY_TAG_SECRETS',
} as const;

/** Environment variables of the portal's function alone. Apart, or the gateway's functions would hold them, too. */
export const PORTAL_ENVIRONMENT = {
  gatewayUrl: 'GATEWAY_URL',
  oidcIssuer: 'OIDC_ISSUER',
  oidcIssuerLabel: 'OIDC_ISSUER_LABEL',
  oidcClientId: 'OIDC_CLIENT_ID',
  /** On this machine only; in AWS the function is told where the secret is. */
  oidcClientSecret: 'OIDC_CLIENT_SECRET',
  oidcClientSecretArn: 'OIDC_CLIENT_SECRET_ARN',
  cognitoOrigin: 'COGNITO_ORIGIN',
  oidcTrustEmail: 'OIDC_TRUST_EMAIL',
  sessionIdleMinutes: 'SESSION_IDLE_MINUTES',
  sessionHours: 'SESSION_HOURS',
  untaggedSessionsUntil: 'UNTAGGED_SESSIONS_UNTIL',
  accountsPerPerson: 'ACCOUNTS_PER_PERSON',
  projectsPerAccount: 'PROJECTS_PER_ACCOUNT',
  projectsPerPeriod: 'PROJECTS_PER_PERIOD',
  activeKeysPerProject: 'ACTIVE_KEYS_PER_PROJECT',
  membersPerAccount: 'MEMBERS_PER_ACCOUNT',
  changesPerMinute: 'CHANGES_PER_MINUTE',
  readsPerMinute: 'READS_PER_MINUTE',
  signInsPerMinute: 'SIGN_INS_PER_MINUTE',
  defaultRpm: 'DEFAULT_RPM',
  defaultQuotaUnits: 'DEFAULT_QUOTA_UNITS',
} as const;

/** Where the gateway can be deployed to. */
export const STAGES = ['dev', 'staging', 'prod'] as const;
export type Stage = (typeof STAGES)[number];

/** Name of the CloudFormation stack of a stage; its outputs are {@link STACK_OUTPUTS}. */
export const stackNameOf = (stage: Stage): string => `SandboxGateway-${stage}`;

/** What the stack tells of itself: to people, and to the admin CLI. */
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
  domainTarget: 'DomainTarget',
  originDomainTarget: 'OriginDomainTarget',
  refusedLogGroup: 'RefusedLogGroup',
  meteredFunctionName: 'MeteredFunctionName',
  healthFunctionName: 'HealthFunctionName',
  meteredLogGroup: 'MeteredLogGroup',
  healthLogGroup: 'HealthLogGroup',
  accessLogGroup: 'AccessLogGroup',
  meteredDeploymentApplication: 'MeteredDeploymentApplication',
  meteredDeploymentGroup: 'MeteredDeploymentGroup',
  healthDeploymentApplication: 'HealthDeploymentApplication',
  healthDeploymentGroup: 'HealthDeploymentGroup',
  dashboardUrl: 'DashboardUrl',
  probeName: 'ProbeName',
  /** Folder of the saved log queries. */
  savedQueries: 'SavedQueries',
} as const;

/** Name of the CloudFormation stack of a stage's portal; its outputs are {@link PORTAL_STACK_OUTPUTS}. */
export const portalStackNameOf = (stage: Stage): string => `${stackNameOf(stage)}-portal`;

/** What the portal's stack tells of itself: to people, and to the deployment that puts the app's files into it. */
export const PORTAL_STACK_OUTPUTS = {
  url: 'PortalUrl',
  filesBucket: 'PortalFilesBucket',
  /** Where CloudFront's log is. */
  logsBucket: 'PortalLogsBucket',
  region: 'PortalRegion',
  /** What DNS must point the portal's domain to. */
  domainTarget: 'PortalDomainTarget',
  /** The same of the API's domain, where it is closed. */
  originDomainTarget: 'PortalOriginDomainTarget',
  /** For a provider of the team's own, which must know it. */
  callbackUrl: 'SignInCallbackUrl',
  userPoolId: 'UserPoolId',
  nextDeployment: 'NextDeployment',
  functionName: 'PortalFunctionName',
  gatewayTableName: 'PortalGatewayTableName',
  /** Requests at once that are kept for the function, 0: no bound. */
  concurrency: 'PortalConcurrency',
  logGroup: 'PortalLogGroup',
  accessLogGroup: 'PortalAccessLogGroup',
  deploymentApplication: 'PortalDeploymentApplication',
  deploymentGroup: 'PortalDeploymentGroup',
  distributionId: 'PortalDistributionId',
  dashboardUrl: 'PortalDashboardUrl',
  savedQueries: 'PortalSavedQueries',
} as const;

/** In place of a version of the secret of key tags: the one that Secrets Manager calls current. */
export const CURRENT_SECRET_VERSION = 'AWSCURRENT';

/** Attributes that tables are built on; the same three in both tables. */
export const TABLE_ATTRIBUTES = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'ttl' } as const;

/** CloudWatch namespace of the metrics below. */
export const METRIC_NAMESPACE = 'SandboxGateway';
/** Value of the dimension `service`, which every metric has beside `stage`. */
export const SERVICE = 'sandbox-gateway';

/** Value of the dimension `service` of the portal's metrics: none of the gateway's sums holds them. */
export const PORTAL_SERVICE = 'sandbox-gateway-portal';

/** Metrics of every request, with the further dimensions {@link REQUEST_DIMENSIONS}. */
export const REQUEST_METRICS = {
  /** Count. */
  requests: 'Requests',
  /** Milliseconds from receipt to response, settlement included. */
  latency: 'Latency',
  /** Count: request units; only of requests that were charged. */
  unitsCharged: 'UnitsCharged',
} as const;
/** Of low cardinality: the routes of the contract and `$default`; event names and error codes. */
export const REQUEST_DIMENSIONS = { route: 'route', outcome: 'outcome' } as const;

/** Metrics that count what should not happen, unit Count. */
export const METRICS = {
  /** A rate window stood more than two minutes ahead: some instance's clock is broken. */
  rateWindowAheadOfClock: 'RateWindowAheadOfClock',
  /** A transaction met others on the same items at each of its attempts: the request was a 503. */
  transactionsGivenUp: 'TransactionsGivenUp',
  /** A transaction was given up while the table throttled it: the request was a 503. */
  transactionsThrottled: 'TransactionsThrottled',
  /** A request was a 500: a defect, which no caller can bring about on purpose. */
  internalErrors: 'InternalErrors',
  /** A refusal was answered but its usage event could not be written. */
  usageEventLost: 'UsageEventLost',
} as const;
export type MetricName = (typeof METRICS)[keyof typeof METRICS];

/** Metrics of the portal's function, unit Count. */
export const PORTAL_METRICS = {
  /** People who signed in. */
  signIns: 'SignIns',
  /** Attempts to sign in that came to nothing by what the browser or the person did. */
  signInsRefused: 'SignInsRefused',
  /** Attempts to sign in in which a call of ours failed: to the provider, for the client secret or to the store. */
  signInsFailed: 'SignInsFailed',
  /** A request was a 500: a defect, which nobody from outside can bring about on purpose. */
  internalErrors: 'InternalErrors',
} as const;
export type PortalMetricName = (typeof PORTAL_METRICS)[keyof typeof PORTAL_METRICS];
/** With the dimensions of a request: changes that were made. */
export const CHANGES_METRIC = 'Changes';

/** Response headers of the public contract (openapi.yaml). */
export const HEADERS = {
  requestId: 'X-Service-Request-Id',
  rateLimit: 'X-RateLimit-Limit',
  rateRemaining: 'X-RateLimit-Remaining',
  rateReset: 'X-RateLimit-Reset',
  quotaLimit: 'X-Service-Quota-Limit',
  quotaRemaining: 'X-Service-Quota-Remaining',
  quotaReset: 'X-Service-Quota-Reset',
  quotaMetric: 'X-Service-Quota-Metric',
  idempotencyReplayed: 'X-Service-Idempotency-Replayed',
} as const;

/** The most active keys that a project may have, whoever makes them: what one item of the database holds. */
export const MAX_ACTIVE_KEYS = 10_000;

/** Default requests per minute of a new key. */
export const DEFAULT_RPM = 60;
/** Default request units per period of a new project. */
export const DEFAULT_QUOTA_UNITS = 10_000;
/** Default time that charged usage events and quota counters are kept. */
export const DEFAULT_USAGE_RETENTION_DAYS = 400;
/** Default origin of a portal under development. */
export const DEFAULT_LOCAL_DEV_ORIGIN = 'http://localhost:5173';
