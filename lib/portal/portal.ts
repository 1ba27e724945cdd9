import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import { HttpMethod, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import {
  ENVIRONMENT,
  NOTICES_ENVIRONMENT,
  PORTAL_ENVIRONMENT,
  PORTAL_PREFIXES,
  PORTAL_SERVICE,
  CHANGES_METRIC,
  PORTAL_METRICS,
  REQUEST_METRICS,
} from '../../functions/shared/names.ts';
import { StageFunction } from '../stage-function.ts';
import { HttpApiRoutes, type RateLimit } from '../http-api.ts';
import { keyTagSecretText } from '../key-tag-secret.ts';
import { StageAlarms } from '../monitoring/alarms.ts';
import { PORTAL_QUERIES, saveQueries } from '../monitoring/saved-queries.ts';
import { StageDashboard, graph } from '../monitoring/stage-dashboard.ts';
import { stagePropsOf, type StageSettings } from '../settings.ts';
import type { Tables } from '../tables.ts';
import { portalAlarms } from './alarms.ts';
import type { PortalFront } from './front.ts';
import { PortalIdentity, type OwnIssuer } from './identity.ts';
import { PortalPages } from './pages.ts';
import { Stats, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { apiMetric, EDGE_REGION, edgeMetric, MINUTE, THROTTLED_REQUESTS } from '../monitoring/metrics.ts';
import { ownCount, poolThrottles, requestsBy, type MonitoredPortal } from './metrics.ts';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { inPartitions } from '../table-grants.ts';

/** For all people together: some twenty opened pages a second. */
const ALL_PEOPLE: RateLimit = { requestsPerSecond: 100, burst: 200 };

export interface PortalProps {
  readonly settings: StageSettings;
  readonly tables: Tables;
  readonly keyTagSecret: ISecret;
  /** What browsers know of the portal. */
  readonly front: PortalFront;
  /** The folder of the built pages. */
  readonly pagesDirectory: string;
  /** Where people sign in: a user pool, or an issuer of the team. */
  readonly people: IUserPool | OwnIssuer;
  /** Origin of the gateway. */
  readonly gatewayUrl: string;
  readonly alarmTopic: ITopic;
  /** Reserved for the function, which is also its bound; 0: nothing. */
  readonly reservedConcurrency: number;
}

/** The developer portal: one function behind its front, its pages, the sign-in, and their monitoring. */
export class Portal extends Construct {
  readonly function: StageFunction;
  readonly accessLogGroup: ILogGroup;
  readonly dashboardName: string;
  /** Folder of the saved queries in CloudWatch. */
  readonly savedQueries: string;

  constructor(scope: Construct, id: string, props: PortalProps) {
    super(scope, id);
    const { settings, tables, front, people, gatewayUrl, alarmTopic, reservedConcurrency } = props;
    const stageProps = stagePropsOf(settings);
    const { stage, logRetention } = stageProps;
    const { origin, distribution, address, site } = front;
    const identity = new PortalIdentity(this, 'Identity', { stage, origin, people });
    const portal = new StageFunction(this, 'Portal', {
      ...stageProps,
      name: 'portal',
      reservedConcurrency,
      environment: {
        [ENVIRONMENT.portalOrigin]: origin,
        [ENVIRONMENT.gatewayTable]: tables.gateway.tableName,
        [ENVIRONMENT.usageTable]: tables.usage.tableName,
        [ENVIRONMENT.quotaPeriod]: settings.quotaPeriod,
        [ENVIRONMENT.usageRetentionDays]: String(settings.usageRetentionDays),
        [ENVIRONMENT.keyTagSecrets]: keyTagSecretText(props.keyTagSecret, settings.keyTagSecretVersion),
        [PORTAL_ENVIRONMENT.gatewayUrl]: gatewayUrl,
        [PORTAL_ENVIRONMENT.defaultRpm]: String(settings.rpmDefault),
        [PORTAL_ENVIRONMENT.defaultQuotaUnits]: String(settings.quotaDefault),
        [NOTICES_ENVIRONMENT.mailFrom]: settings.mailFrom ?? '',
        [PORTAL_ENVIRONMENT.leakedKeys]: settings.leakedKeys,
        [PORTAL_ENVIRONMENT.supportUrl]: settings.supportUrl ?? '',
        [PORTAL_ENVIRONMENT.clientPackages]: settings.clientPackages ?? '',
        ...identity.environment,
      },
    });
    grantPortal(portal.role, tables, identity.secretArn);
    const name = `sandbox-gateway-${stage}-portal`;
    const routes = new HttpApiRoutes(this, 'Routes', {
      ...stageProps,
      address,
      name,
      service: PORTAL_SERVICE,
      limit: ALL_PEOPLE,
      // The function checks paths and methods itself.
      routes: Object.values(PORTAL_PREFIXES).map((prefix) => ({
        key: HttpRouteKey.with(`${prefix}{proxy+}`, HttpMethod.ANY),
        integration: new HttpLambdaIntegration('Portal', portal.live as IFunction),
      })),
      withoutAuthorizer:
        'A session is read at every request, never cached, in the same round trip as what it is asked for.',
    });
    new PortalPages(this, 'Pages', {
      directory: props.pagesDirectory,
      bucket: site.files,
      after: portal.live,
      logRetention,
    });

    const monitored = {
      stage,
      apiId: address.api.apiId,
      live: portal.live,
      distributionId: distribution.distributionId,
      userPool:
        'userPoolId' in people && identity.clientId !== undefined
          ? { id: people.userPoolId, clientId: identity.clientId }
          : undefined,
    };
    const definitions = portalAlarms(monitored);
    const { alarms, rollbackAlarms } = new StageAlarms(this, 'Alarms', {
      ...stageProps,
      definitions,
      topic: alarmTopic,
    });
    const { dashboardName } = new StageDashboard(this, 'Monitoring', { alarms, rows: portalGraphs(monitored) });
    const access = routes.accessLog.group;
    saveQueries(this, PORTAL_QUERIES, { folder: name, functions: [portal.logGroup], access });
    portal.rollBackOn(rollbackAlarms);

    this.function = portal;
    this.accessLogGroup = access;
    this.dashboardName = dashboardName;
    this.savedQueries = name;
  }
}

/** The graphs of a portal. */
function portalGraphs(monitored: MonitoredPortal): IWidget[][] {
  const { stage, apiId, live, distributionId, userPool } = monitored;
  return [
    [
      graph(
        'Sign-ins',
        (['signIns', 'signInsRefused', 'signInsFailed'] as const).map((name) => ownCount(stage, PORTAL_METRICS[name])),
      ),
      graph('Changes by route', [requestsBy(monitored, CHANGES_METRIC, 'route', Stats.SUM)]),
      graph('Refusals and failures by code', [
        requestsBy(monitored, REQUEST_METRICS.requests, 'outcome', Stats.SUM, 'NOT outcome="ok"'),
      ]),
    ],
    [
      graph(
        'What people wait, ms',
        ['p50', 'p95', 'p99'].map((percentile) => apiMetric(apiId, 'Latency', percentile)),
      ),
      graph('Function: p99 by route, ms', [
        requestsBy(monitored, REQUEST_METRICS.latency, 'route', 'p99', 'outcome="ok"'),
      ]),
      graph('Answers by API Gateway', [
        ...['Count', '4xx', '5xx'].map((metric) => apiMetric(apiId, metric, Stats.SUM)),
        ownCount(stage, THROTTLED_REQUESTS),
      ]),
    ],
    [
      graph('Portal function', [
        live.metricErrors({ label: 'errors', period: MINUTE }),
        live.metricThrottles({ label: 'throttles', period: MINUTE }),
        live.metric('ConcurrentExecutions', { label: 'concurrent', statistic: Stats.MAXIMUM, period: MINUTE }),
      ]),
      graph('CloudFront: errors, percent', [
        ...['4xxErrorRate', '5xxErrorRate'].map((name) => edgeMetric(distributionId, name, Stats.AVERAGE, EDGE_REGION)),
      ]),
      ...(userPool ? [graph('User pool throttled', [poolThrottles(userPool)])] : []),
    ],
  ];
}

/** Kinds of partitions of the Gateway table (docs/architecture.md, "Data model"). */
const USER = 'USER#*';
const IDENTITY = 'IDENTITY#*';
const USED = 'USED#*';
const INVITED = 'INVITED#*';
const MAILED = 'MAILED#*';
const ACCOUNT = 'ACCOUNT#*';
const ACCOUNTS = 'ACCOUNTS';
const PROJECT = 'PROJECT#*';
const KEY = 'KEY#*';
const TOKEN = 'TOKEN#*';
const ROLLUP = 'ROLLUP#*';
/** Endpoints, their deliveries, and the results of mails. */
const NOTICES = 'NOTICES#*';

/** The calls of the portal's function, by partitions. IAM checks the parts of a transaction as single calls. */
const IN_PARTITIONS: Readonly<Record<string, readonly string[]>> = {
  BatchGetItem: [USER, USED, ACCOUNT, PROJECT, KEY, TOKEN, NOTICES],
  GetItem: [USER, IDENTITY, INVITED, ACCOUNT, PROJECT, KEY, TOKEN, NOTICES, MAILED],
  Query: [USER, INVITED, ACCOUNT, PROJECT, ROLLUP, NOTICES],
  ConditionCheckItem: [USER, USED, ACCOUNT, PROJECT, KEY, TOKEN],
  PutItem: [USER, IDENTITY, INVITED, ACCOUNT, ACCOUNTS, PROJECT, KEY, TOKEN, ROLLUP, NOTICES, MAILED],
  UpdateItem: [USER, USED, ACCOUNT, PROJECT, KEY, TOKEN, NOTICES],
  // Sessions, memberships, a person with identity; the remainder of a person who comes back; members; invitations; an
  // unseen key or token, whose secret a repeated creation replaces; endpoints; stops of mails.
  DeleteItem: [USER, USED, IDENTITY, ACCOUNT, INVITED, KEY, TOKEN, NOTICES, MAILED],
};

/**
 * Grants the portal's function exactly the permissions that it needs for the tables and the client secret. Of the usage
 * log it only reads a project's events.
 */
function grantPortal(role: Role, { gateway, usage }: Tables, clientSecretArn: string): void {
  for (const [action, partitions] of Object.entries(IN_PARTITIONS)) {
    role.addToPolicy(inPartitions(gateway, [action], partitions));
  }
  role.addToPolicy(
    new PolicyStatement({ actions: ['dynamodb:Query', 'dynamodb:GetItem'], resources: [usage.tableArn] }),
  );
  role.addToPolicy(new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [clientSecretArn] }));
}
