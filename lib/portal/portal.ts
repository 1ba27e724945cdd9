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
} from '../../functions/shared/names.ts';
import { StageFunction } from '../stage-function.ts';
import { HttpApiRoutes, type RateLimit } from '../http-api.ts';
import { keyTagSecretText } from '../key-tag-secret.ts';
import { StageAlarms } from '../monitoring/alarms.ts';
import { PORTAL_QUERIES, saveQueries } from '../monitoring/saved-queries.ts';
import { StageDashboard } from '../monitoring/stage-dashboard.ts';
import { stagePropsOf, type StageSettings } from '../settings.ts';
import type { Tables } from '../tables.ts';
import { portalAlarms } from './alarms.ts';
import { portalGraphs } from './dashboard.ts';
import type { PortalFront } from './front.ts';
import { PortalIdentity, type OwnIssuer } from './identity.ts';
import { PortalPages } from './pages.ts';
import { grantPortal } from './permissions.ts';

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
