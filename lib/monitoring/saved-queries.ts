import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** Which logs a query reads: those of the functions, the access log, or both. */
type Reads = 'functions' | 'access' | 'both';

/** A query of the runbook. A person replaces the words in capitals. */
export interface SavedQuery {
  readonly reads: Reads;
  readonly text: string;
}

const query = (reads: Reads, ...lines: string[]): SavedQuery => ({ reads, text: lines.join('\n| ') });

/** The rows with the most of a field; of the time, the latest. */
const first = (count: number, by = '@timestamp'): string[] => [`sort ${by} desc`, `limit ${count}`];

const CAUSE = 'error.name, error.message, error.cause.name, error.cause.message';

const ofEach = {
  'crashes and timeouts': query(
    'functions',
    'fields @timestamp, @log, record.requestId, record.status, record.errorType, record.metrics.durationMs, record.metrics.maxMemoryUsedMB',
    'filter type like /^platform/ and ispresent(record.status) and record.status != "success"',
    ...first(100),
  ),
};

const ofBoth = {
  ...ofEach,
  '5xx of API Gateway': query(
    'access',
    'fields @timestamp, requestId, routeKey, status, integrationStatus, integrationError, error, responseLatencyMs, sourceIp',
    'filter status like /^5/',
    ...first(100),
  ),
  'throttled by address': query(
    'access',
    'filter status = "429" and integrationStatus = "-"',
    'stats count(*) as requests by routeKey, sourceIp',
    ...first(20, 'requests'),
  ),
};

/** The failures of the functions, and their causes. */
const failures = (route: string, whose: string): SavedQuery =>
  query(
    'functions',
    `fields @timestamp, requestId, apiRequestId, ${route}, status, code, ${whose}, ${CAUSE}, error.stack`,
    'filter level = "ERROR"',
    ...first(100),
  );

/** A simulated answer counts neither as a refusal nor as a failure. */
const NOT_SIMULATED = 'outcome != "simulated"';

const refusalsBy = (which: string, ...fields: string[]): SavedQuery =>
  query(
    'functions',
    `filter status >= 400 and status < 500${which}`,
    `stats count(*) as requests by code, ${fields.join(', ')}`,
    ...first(50, 'requests'),
  );

/** The queries of the gateway's logs by name. docs/runbook.md has all of them. */
export const GATEWAY_QUERIES = {
  '5xx with cause': failures('routeKey', 'projectId'),
  'refusals by code': refusalsBy(` and ${NOT_SIMULATED}`, 'projectId', 'keyId'),
  'one request': query(
    'both',
    `fields @timestamp, @log, requestId, apiRequestId, routeKey, status, code, event, units, projectId, keyId, durationMs, ${CAUSE}, integrationError, sourceIp`,
    'filter requestId = "REQUEST_ID" or apiRequestId = "REQUEST_ID"',
    'sort @timestamp asc',
  ),
  'slowest requests': query(
    'functions',
    'fields @timestamp, requestId, routeKey, status, code, event, projectId, keyId, durationMs',
    'filter ispresent(durationMs)',
    ...first(50, 'durationMs'),
  ),
  'conflicts and throttles': query(
    'functions',
    `filter code = "SERVICE_UNAVAILABLE" and ${NOT_SIMULATED}`,
    'stats count(*) as requests by projectId, error.message, error.cause.name',
    ...first(50, 'requests'),
  ),
  simulations: query(
    'functions',
    'filter outcome = "simulated"',
    'stats count(*) as requests by projectId, keyId, code',
    ...first(50, 'requests'),
  ),
  'busiest projects': query(
    'functions',
    'filter ispresent(projectId)',
    'stats count(*) as requests, sum(units) as unitsCharged by projectId, keyId',
    ...first(20, 'requests'),
  ),
  warnings: query(
    'functions',
    `fields @timestamp, message, requestId, ${CAUSE}`,
    'filter level = "WARN"',
    ...first(100),
  ),
  ...ofBoth,
} as const satisfies Record<string, SavedQuery>;

/** The queries of the portal's logs by name. */
export const PORTAL_QUERIES = {
  '5xx with cause': failures('route', 'userId'),
  'refusals by code': refusalsBy('', 'route', 'userId'),
  'one request': query(
    'both',
    `fields @timestamp, @log, requestId, apiRequestId, route, routeKey, status, code, userId, durationMs, ${CAUSE}, integrationError, sourceIp`,
    'filter requestId = "REQUEST_ID" or apiRequestId = "REQUEST_ID"',
    'sort @timestamp asc',
  ),
  'slowest requests': query(
    'functions',
    'fields @timestamp, requestId, route, status, code, userId, durationMs',
    'filter ispresent(durationMs)',
    ...first(50, 'durationMs'),
  ),
  'requests by route': query(
    'functions',
    'filter ispresent(durationMs)',
    'stats count(*) as requests, pct(durationMs, 50) as p50Ms, pct(durationMs, 99) as p99Ms by route, status',
    ...first(100, 'requests'),
  ),
  'ledger differences': query(
    'functions',
    'fields @timestamp, requestId, error.message',
    'filter level = "WARN" and message = "A counter and its events differ."',
    ...first(50),
  ),
  'sign-in failures': query(
    'functions',
    `fields @timestamp, requestId, ${CAUSE}`,
    'filter message = "A sign-in failed."',
    ...first(100),
  ),
  'requests by address': query(
    'access',
    'stats count(*) as requests by sourceIp, routeKey, status',
    ...first(50, 'requests'),
  ),
  ...ofBoth,
} as const satisfies Record<string, SavedQuery>;

/** The queries of the log of the notices function by name. */
export const NOTICES_QUERIES = {
  'failed work': query(
    'functions',
    `fields @timestamp, message, sequenceNumber, messageId, ${CAUSE}`,
    'filter level = "WARN"',
    ...first(100),
  ),
  ledgers: query(
    'functions',
    'fields @timestamp, message, projectId, period, quotaUsed, ledgerUnits, atLeast, atMost, caps, irregularEvents, reason, differingRollups',
    'filter ispresent(projectId) and ispresent(period)',
    ...first(100),
  ),
  'one notice': query(
    'functions',
    'fields @timestamp, message, type, accountId, memberId, mails, deliveries, endpointId, attempts, failure, outcome, messageId',
    'filter id like /NOTICE_ID/ or noticeId like /NOTICE_ID/',
    'sort @timestamp asc',
  ),
  'notices by account': query(
    'functions',
    'filter message = "notice"',
    'stats count(*) as notices, sum(mails) as mailsToSend, sum(deliveries) as deliveriesToMake by accountId, type',
    ...first(50, 'notices'),
  ),
  'mails by account': query(
    'functions',
    'filter message = "mail"',
    'stats count(*) as mails by accountId, outcome, reason',
    ...first(50, 'mails'),
  ),
  'failing endpoints': query(
    'functions',
    'filter message = "delivery" and failure like /./',
    'stats count(*) as tries by accountId, endpointId, failure',
    ...first(50, 'tries'),
  ),
  ...ofEach,
} as const satisfies Record<string, SavedQuery>;

/** The folder of a stack's queries in CloudWatch. */
export interface QueryFolder {
  readonly folder: string;
  readonly functions: readonly ILogGroup[];
  /** Absent: no query reads one. */
  readonly access?: ILogGroup;
}

/** Saves queries in Logs Insights, each with its log groups selected. */
export function saveQueries(
  scope: Construct,
  queries: Readonly<Record<string, SavedQuery>>,
  { folder, functions, access }: QueryFolder,
): void {
  const groups: Record<Reads, readonly ILogGroup[]> = {
    functions,
    access: access ? [access] : [],
    both: [...functions, ...(access ? [access] : [])],
  };
  for (const [name, { reads, text }] of Object.entries(queries)) {
    const id = `Query${name.replaceAll(/\W/g, '')}`;
    new CfnQueryDefinition(scope, id, {
      name: `${folder}/${name}`,
      queryString: text,
      logGroupNames: groups[reads].map(({ logGroupName }) => logGroupName),
    });
  }
}
