import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { PORTAL_STACK_OUTPUTS } from '../stack-names.ts';
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
      [PORTAL_STACK_OUTPUTS.url]: front.origin,
      [PORTAL_STACK_OUTPUTS.callbackUrl]: `${front.origin}/api/sign-in/callback`,
      [PORTAL_STACK_OUTPUTS.userPoolId]: issuer === undefined ? data.people.userPoolId : undefined,
      [PORTAL_STACK_OUTPUTS.functionName]: portal.function.function.functionName,
      [PORTAL_STACK_OUTPUTS.gatewayTableName]: tables.gateway.tableName,
      [PORTAL_STACK_OUTPUTS.concurrency]: String(reservedConcurrency),
      [PORTAL_STACK_OUTPUTS.logGroup]: portal.function.logGroup.logGroupName,
      [PORTAL_STACK_OUTPUTS.accessLogGroup]: portal.accessLogGroup.logGroupName,
      [PORTAL_STACK_OUTPUTS.dashboardUrl]: dashboardUrl(this, portal.dashboardName),
      [PORTAL_STACK_OUTPUTS.savedQueries]: portal.savedQueries,
    });
  }
}

function issuerOf(settings: StageSettings): OwnIssuer | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecretArn: clientSecretArn } = settings;
  return issuer === undefined || clientId === undefined || clientSecretArn === undefined
    ? undefined
    : { issuer, clientId, clientSecretArn, trustEmail: settings.oidcTrustEmail };
}
