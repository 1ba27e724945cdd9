import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { concurrencyShares } from '../concurrency.ts';
import type { DataStack } from '../data-stack.ts';
import type { Gateway } from '../gateway.ts';
import type { StageSettings } from '../settings.ts';
import { addOutputs, dashboardUrl } from '../stack-outputs.ts';
import type { PortalFront } from './front.ts';
import type { OwnIssuer } from './identity.ts';
import { Portal } from './portal.ts';

export interface PortalStackProps extends StackProps {
  readonly settings: StageSettings;
  readonly data: DataStack;
  readonly front: PortalFront;
  readonly gateway: Gateway;
  /** The folder of the built pages. */
  readonly pagesDirectory: string;
}

/** The portal of a stage. */
export class PortalStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { settings, data, front, gateway, pagesDirectory, ...props }: PortalStackProps,
  ) {
    super(scope, id, props);
    const tables = data.tablesFor(this);
    const { portal: reservedConcurrency } = concurrencyShares(settings.concurrencyQuota);
    const issuer = issuerOf(settings);
    const portal = new Portal(this, 'Portal', {
      settings,
      tables,
      keyTagSecret: data.keyTagSecret,
      front,
      pagesDirectory,
      people: issuer ?? data.people,
      gatewayUrl: gateway.url,
      alarmTopic: gateway.alarmTopic,
      reservedConcurrency,
    });
    addOutputs(this, {
      PortalUrl: front.origin,
      SignInCallbackUrl: `${front.origin}/api/sign-in/callback`,
      UserPoolId: issuer === undefined ? data.people.userPoolId : undefined,
      PortalFunctionName: portal.function.function.functionName,
      PortalGatewayTableName: tables.gateway.tableName,
      PortalConcurrency: String(reservedConcurrency),
      PortalLogGroup: portal.function.logGroup.logGroupName,
      PortalAccessLogGroup: portal.accessLogGroup.logGroupName,
      PortalDashboardUrl: dashboardUrl(this, portal.dashboardName),
      PortalSavedQueries: portal.savedQueries,
    });
  }
}

function issuerOf(settings: StageSettings): OwnIssuer | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecretArn: clientSecretArn } = settings;
  return issuer === undefined || clientId === undefined || clientSecretArn === undefined
    ? undefined
    : { issuer, clientId, clientSecretArn, trustEmail: settings.oidcTrustEmail };
}
