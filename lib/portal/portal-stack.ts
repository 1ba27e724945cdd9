import { Stack, type StackProps } from 'aws-cdk-lib';
import { HttpMethod, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import {
  ENVIRONMENT,
  LIMITED_ROUTES,
  NOTICES_ENVIRONMENT,
  PORTAL_ENVIRONMENT,
  PORTAL_PREFIXES,
  PORTAL_SERVICE,
  SIGN_IN_CALLBACK,
} from '../../functions/shared/names.ts';
import { concurrencyShares } from '../concurrency.ts';
import type { DataStack } from '../data-stack.ts';
import type { PortalFrontStack } from '../front-stacks.ts';
import type { Gateway } from '../gateway.ts';
import { HttpApiRoutes } from '../http-api.ts';
import { keyTagSecretText } from '../key-tag-secret.ts';
import { addMonitoring } from '../monitoring/monitoring.ts';
import { PORTAL_QUERIES } from '../monitoring/saved-queries.ts';
import { rateLimit } from '../rate-limit.ts';
import { stagePropsOf, type StageSettings } from '../settings.ts';
import { addOutputs } from '../stack-outputs.ts';
import { StageFunction } from '../stage-function.ts';
import { portalAlarms } from './alarm-definitions.ts';
import { portalGraphs } from './dashboard.ts';
import { PortalIdentity, type OwnIssuer } from './identity.ts';
import { PortalPages } from './pages.ts';
import { grantPortal } from './permissions.ts';

export interface PortalStackProps extends StackProps {
  readonly settings: StageSettings;
  readonly data: DataStack;
  /** What browsers know of the portal. */
  readonly front: PortalFrontStack;
  readonly gateway: Gateway;
  /** The folder of the built pages. */
  readonly pagesDirectory: string;
}

/** The portal of a stage: one function behind its front, its pages, the sign-in, and their monitoring. */
export class PortalStack extends Stack {
  constructor(
    app: Construct,
    id: string,
    { settings, data, front, gateway, pagesDirectory, ...props }: PortalStackProps,
  ) {
    super(app, id, props);
    // Its name begins the logical ids of deployed resources, so it stays.
    const scope = new Construct(this, 'Portal');
    const tables = data.tablesFor(this);
    const { portal: reservedConcurrency } = concurrencyShares(settings.concurrencyQuota);
    const issuer = issuerOf(settings);
    const people = issuer ?? data.people;
    const stageProps = stagePropsOf(settings);
    const { stage, logRetention, production } = stageProps;
    const { origin, distribution, address, site } = front;
    const identity = new PortalIdentity(scope, 'Identity', { stage, origin, people });
    const portal = new StageFunction(scope, 'Portal', {
      ...stageProps,
      name: 'portal',
      reservedConcurrency,
      environment: {
        [ENVIRONMENT.portalOrigin]: origin,
        [ENVIRONMENT.gatewayTable]: tables.gateway.tableName,
        [ENVIRONMENT.usageTable]: tables.usage.tableName,
        [ENVIRONMENT.quotaPeriod]: settings.quotaPeriod,
        [ENVIRONMENT.usageRetentionDays]: String(settings.usageRetentionDays),
        [ENVIRONMENT.keyTagSecrets]: keyTagSecretText(data.keyTagSecret, settings.keyTagSecretVersion),
        [PORTAL_ENVIRONMENT.gatewayUrl]: gateway.url,
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
    // One for all routes, with one permission: the API has no others.
    const integration = new HttpLambdaIntegration('Portal', portal.live as IFunction, {
      scopePermissionToRoute: false,
    });
    const routes = new HttpApiRoutes(scope, 'Routes', {
      ...stageProps,
      address,
      name,
      service: PORTAL_SERVICE,
      limit: rateLimit(settings.portalRequestsPerSecond, this.region),
      // The function checks paths and methods itself.
      routes: [
        ...Object.values(PORTAL_PREFIXES).map((prefix) => ({
          key: HttpRouteKey.with(`${prefix}{proxy+}`, HttpMethod.ANY),
          integration,
        })),
        ...LIMITED_ROUTES.map(({ method, path, limit }) => ({
          key: HttpRouteKey.with(path, HttpMethod[method]),
          integration,
          limit,
        })),
      ],
      withoutAuthorizer:
        'A session is read at every request, never cached, in the same round trip as what it is asked for.',
    });
    new PortalPages(scope, 'Pages', {
      directory: pagesDirectory,
      supportUrl: settings.supportUrl,
      keyPrefixes: stageProps.keyPrefixes,
      bucket: site.files,
      after: portal.live,
      logRetention,
      production,
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
    const access = routes.accessLog.group;
    addMonitoring(scope, {
      ...stageProps,
      functions: [portal],
      alarms: portalAlarms(monitored),
      topic: gateway.alarmTopic,
      whenMissing: 'No data means nobody was here.',
      dashboard: gateway.dashboard,
      title: 'Alarms of the portal',
      graphs: (dashboard) => portalGraphs(monitored, dashboard),
      queries: PORTAL_QUERIES,
      folder: name,
      access,
    });

    addOutputs(this, {
      PortalUrl: origin,
      SignInCallbackUrl: origin + SIGN_IN_CALLBACK.path,
      UserPoolId: issuer === undefined ? data.people.userPoolId : undefined,
      PortalFunctionName: portal.function.functionName,
      PortalGatewayTableName: tables.gateway.tableName,
      PortalConcurrency: String(reservedConcurrency),
      PortalLogGroup: portal.logGroup.logGroupName,
      PortalAccessLogGroup: access.logGroupName,
      PortalSavedQueries: name,
    });
  }
}

function issuerOf(settings: StageSettings): OwnIssuer | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecretArn: clientSecretArn } = settings;
  return issuer === undefined || clientId === undefined || clientSecretArn === undefined
    ? undefined
    : { issuer, clientId, clientSecretArn, trustEmail: settings.oidcTrustEmail };
}
