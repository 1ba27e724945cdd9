/** Names that the functions, the CDK stack, the development server and the tests share. Data only. */

/** Path prefix of version 1. */
export const API_V1 = '/api/v1';
/** Path of the health check. */
export const HEALTH_PATH = `${API_V1}/health`;

/** The two Lambda functions of the gateway: one without authentication, and one for every metered operation. */
export type FunctionName = 'health' | 'metered';

/** One route of the API, and the function that serves it. */
export interface Route {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'OPTIONS';
  readonly path: string;
  readonly function: FunctionName;
}

/** The route key of one route, as API Gateway writes it (`POST /api/v1/sandbox/ping`). */
export const routeKeyOf = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${path}`;

/** The function for requests that no route matches: it answers 404 and 405. */
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
  /** The gateway's only. */
  sourceAddresses: 'SOURCE_ADDRESSES',
  keyTagSecrets: 'KEY_TAG_SECRETS',
  /** Prefixes of keys with commas between, that of new keys first; empty: the default. */
  keyPrefixes: 'KEY_PREFIXES',
} as const;

/**
 * Environment variables of the portal's function only. They are separate, so that the gateway's functions do not have
 * them.
 */
export const PORTAL_ENVIRONMENT = {
  gatewayUrl: 'GATEWAY_URL',
  /** Whom people may ask, https or mailto; empty: nobody is named. */
  supportUrl: 'SUPPORT_URL',
  /** The client libraries in registries; empty: the portal names its own packages. */
  clientPackages: 'CLIENT_PACKAGES',
  /** `revoke` or `notify`. */
  leakedKeys: 'LEAKED_KEYS',
  oidcIssuer: 'OIDC_ISSUER',
  oidcIssuerLabel: 'OIDC_ISSUER_LABEL',
  oidcClientId: 'OIDC_CLIENT_ID',
  /** On this machine only; in AWS the function gets the secret's ARN. */
  oidcClientSecret: 'OIDC_CLIENT_SECRET',
  oidcClientSecretArn: 'OIDC_CLIENT_SECRET_ARN',
  cognitoOrigin: 'COGNITO_ORIGIN',
  oidcTrustEmail: 'OIDC_TRUST_EMAIL',
  sessionIdleMinutes: 'SESSION_IDLE_MINUTES',
  sessionHours: 'SESSION_HOURS',
  accountsPerPerson: 'ACCOUNTS_PER_PERSON',
  projectsPerAccount: 'PROJECTS_PER_ACCOUNT',
  projectsPerPeriod: 'PROJECTS_PER_PERIOD',
  activeKeysPerProject: 'ACTIVE_KEYS_PER_PROJECT',
  membersPerAccount: 'MEMBERS_PER_ACCOUNT',
  invitationsPerAddress: 'INVITATIONS_PER_ADDRESS',
  changesPerMinute: 'CHANGES_PER_MINUTE',
  readsPerMinute: 'READS_PER_MINUTE',
  signInsPerMinute: 'SIGN_INS_PER_MINUTE',
  defaultRpm: 'DEFAULT_RPM',
  defaultQuotaUnits: 'DEFAULT_QUOTA_UNITS',
} as const;

/** Environment variables of the notices function only, in addition to {@link ENVIRONMENT}. */
export const NOTICES_ENVIRONMENT = {
  mailQueueUrl: 'MAIL_QUEUE_URL',
  webhookQueueUrl: 'WEBHOOK_QUEUE_URL',
  dailyQueueUrl: 'DAILY_QUEUE_URL',
  /** The sender of mails, a verified identity of SES. Empty: no mail is sent. The portal's function has it too. */
  mailFrom: 'MAIL_FROM',
  sesConfigurationSet: 'SES_CONFIGURATION_SET',
  /** Where the function keeps records that it leaves out. Empty: it only logs them, as on a developer's machine. */
  failuresBucket: 'FAILURES_BUCKET',
} as const;

/** The attributes that tables are built on; the same three in both tables. */
export const TABLE_ATTRIBUTES = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'ttl' } as const;

/** CloudWatch namespace of the metrics below. */
export const METRIC_NAMESPACE = 'SandboxGateway';
/** Value of the dimension `service`, which every metric has, like `stage`. */
export const SERVICE = 'sandbox-gateway';

/** Value of the dimension `service` of the portal's metrics: the gateway's sums do not include them. */
export const PORTAL_SERVICE = 'sandbox-gateway-portal';

/** Value of the dimension `service` of the metrics of the notices function. */
export const NOTICES_SERVICE = 'sandbox-gateway-notices';

/** Metrics of every request, with further dimensions: {@link REQUEST_DIMENSIONS}, or {@link PORTAL_DIMENSIONS}. */
export const REQUEST_METRICS = {
  /** Count. */
  requests: 'Requests',
  /** Milliseconds from receipt to response, settlement included. */
  latency: 'Latency',
  /** Count: request units; only of requests that were charged. */
  unitsCharged: 'UnitsCharged',
} as const;
/** Of low cardinality: the routes of the contract and `$default`; event names and error codes. */
export const REQUEST_DIMENSIONS = ['route', 'outcome'] as const;
/**
 * Of the portal, which has dozens of routes and codes, and each series has its price: the outcome alone, `ok`, `refused` or
 * `failed`. Route and code are in the log.
 */
export const PORTAL_DIMENSIONS = ['outcome'] as const;

/** Metrics of events that should not happen, and of those that only look like them, unit Count. */
export const METRICS = {
  /** A rate window was more than two minutes ahead: an instance has a broken clock. */
  rateWindowAheadOfClock: 'RateWindowAheadOfClock',
  /** Every attempt of a transaction had a conflict: the request was a 503. */
  transactionsGivenUp: 'TransactionsGivenUp',
  /** A transaction was given up because of throttles: the request was a 503. */
  transactionsThrottled: 'TransactionsThrottled',
  /** A request was a 500: a defect, which no caller can cause on purpose. */
  internalErrors: 'InternalErrors',
  /** A request was refused, but its usage event could not be written. */
  usageEventLost: 'UsageEventLost',
  /** A request was executed, and then refused: a limit was reached before its charge. */
  workUncharged: 'WorkUncharged',
  /** A simulated 5xx. API Gateway's own count of 5xx includes it, and alarms subtract it. */
  simulatedServerErrors: 'SimulatedServerErrors',
} as const;
export type MetricName = (typeof METRICS)[keyof typeof METRICS];

/** Metrics of the portal's function, unit Count. */
export const PORTAL_METRICS = {
  /** People who signed in. */
  signIns: 'SignIns',
  /** Sign-ins that failed because of the browser or the person. */
  signInsRefused: 'SignInsRefused',
  /** Sign-ins in which a call of ours failed: to the provider, for the client secret or to the store. */
  signInsFailed: 'SignInsFailed',
  /** A request was a 500: a defect, which nobody outside can cause on purpose. */
  internalErrors: 'InternalErrors',
  /** A counter and its events certainly differ. The comparison of a project's usage found it. */
  ledgerDifferences: 'LedgerDifferences',
} as const;
export type PortalMetricName = (typeof PORTAL_METRICS)[keyof typeof PORTAL_METRICS];
/** Metrics of the notices function, unit Count. */
export const NOTICES_METRICS = {
  /** Notices whose messages were put into the queues. A repeated one counts again. */
  noticesTold: 'NoticesTold',
  /** Records of the stream that cannot be read. They are skipped, and the log names their keys. */
  recordsUnreadable: 'NoticeRecordsUnreadable',
  /** Records or messages whose work failed, and is tried again. */
  failures: 'NoticeFailures',
  /** A mail was not taken for a reason of ours, such as SES's sandbox or a lost verification. It waits. */
  mailsHeldUp: 'MailsHeldUp',
  /** A message that was sent an hour ago or earlier failed again. */
  messagesStuck: 'NoticeMessagesStuck',
  /** No record of a batch, or a message, could be handled by a defect. */
  batchesFailed: 'NoticeBatchesFailed',
  /** A message went back into its queue as often as one may, and was left out. */
  hopsUsedUp: 'NoticeHopsUsedUp',
  /** The run of a UTC day looked at all that ends, and handed out all ledgers that were charged. */
  daysComplete: 'NoticeDaysComplete',
  /** A ledger is not consistent: two looks of the nightly verification found it. */
  ledgerDifferences: 'LedgerDifferences',
  /** A ledger has more events than the nightly verification reads. */
  ledgersTooLarge: 'LedgersTooLarge',
} as const;
export type NoticesMetricName = (typeof NOTICES_METRICS)[keyof typeof NOTICES_METRICS];

/** Changes that were made, with the dimensions of a request of the portal. */
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
  /** Of a draft: draft-ietf-httpapi-ratelimit-headers-11. */
  limitPolicies: 'RateLimit-Policy',
  limitsLeft: 'RateLimit',
  idempotencyReplayed: 'X-Service-Idempotency-Replayed',
  /** The request asked for this answer. */
  simulated: 'X-Service-Simulated',
  /** Of every error: whether a program should send the same request again by itself. */
  shouldRetry: 'X-Should-Retry',
} as const;

/** What the portal's function serves; everything else at its address are pages and files. */
export const PORTAL_PREFIXES = { page: '/api/', manage: '/manage/' } as const;

/**
 * The route to which the OpenID provider leads back. Anybody can make the portal call the provider by it: some hundred
 * people can sign in within a minute.
 */
export const SIGN_IN_CALLBACK = {
  method: 'GET',
  path: '/api/sign-in/callback',
  limit: { requestsPerSecond: 10, burst: 20 },
} as const;

/** The route of scanners for keys. Anybody can make the portal read 512 kB by it, and look 1,000 keys up. */
const LEAKED_KEYS_REPORT = {
  method: 'POST',
  path: '/api/leaked-keys',
  limit: { requestsPerSecond: 2, burst: 10 },
} as const;

/** The routes that API Gateway limits apart from all others, since one request of a stranger costs much there. */
export const LIMITED_ROUTES = [SIGN_IN_CALLBACK, LEAKED_KEYS_REPORT] as const;

/** The portal's page about codes, with the code as the anchor. */
export const ERROR_DOCS_PATH = '/docs/errors';

/** Default requests per minute of a new key. */
export const DEFAULT_RPM = 60;
/** Default request units per period of a new project. */
export const DEFAULT_QUOTA_UNITS = 10_000;
/** Default time that charged usage events and quota counters are kept. */
export const DEFAULT_USAGE_RETENTION_DAYS = 400;
/** Default origin of a portal under development. */
export const DEFAULT_LOCAL_DEV_ORIGIN = 'http://localhost:5173';

/** Kinds of usage event (docs/api/limits.md, "What a request costs"). */
export const USAGE_EVENT_NAMES = [
  'request_succeeded',
  'idempotency_replay',
  'rate_limit_rejected',
  'quota_rejected',
  'idempotency_conflict',
  'request_rejected',
] as const;
export type UsageEventName = (typeof USAGE_EVENT_NAMES)[number];

/** Replaces an event's name in sums, logs and metrics when its answer was simulated. */
export const SIMULATED = 'simulated';

/** The forms in which a stage keeps network addresses of callers. */
export const SOURCE_ADDRESSES = ['none', 'truncated', 'full'] as const;
export type SourceAddresses = (typeof SOURCE_ADDRESSES)[number];
