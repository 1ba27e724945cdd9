import { Stack, type StackProps } from 'aws-cdk-lib';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { ENVIRONMENT, NOTICES_ENVIRONMENT, PORTAL_ENVIRONMENT, PORTAL_STACK_OUTPUTS } from '../../functions/wiring.ts';
import { GatewayFunction } from '../gateway-function.ts';
import { keyTagSecretText } from '../key-tag-secret.ts';
import { StageAlarms } from '../monitoring/alarms.ts';
import { PORTAL_QUERIES, saveQueries } from '../monitoring/saved-queries.ts';
import { StageDashboard } from '../monitoring/stage-dashboard.ts';
import type { StageSettings } from '../settings.ts';
import { addOutputs, dashboardUrl } from '../stack-outputs.ts';
import { restoredTables, type Tables } from '../tables.ts';
import { portalAlarms } from './alarms.ts';
import { PortalApi } from './api.ts';
import { portalGraphs } from './dashboard.ts';
import { PortalDistribution } from './distribution.ts';
import { PortalIdentity } from './identity.ts';
import { grantPortal } from './permissions.ts';
import { PortalSite } from './site.ts';

export interface PortalStackProps extends StackProps {
  readonly settings: StageSettings;
  /** The data stack's own tables; the settings may name restored ones instead. */
  readonly tables: Tables;
  readonly keyTagSecret: ISecret;
  /** The user pool; undefined with another provider. */
  readonly people: IUserPool | undefined;
  /** Origin of the gateway. */
  readonly gatewayUrl: string;
  readonly alarmTopic: ITopic;
}

/** Settings that the function reads from a variable of the same name. */
const OF_FUNCTION = [
  ...(['sessionIdleMinutes', 'sessionHours', 'accountsPerPerson', 'projectsPerAccount'] as const),
  'untaggedSessionsUntil',
  ...(['projectsPerPeriod', 'activeKeysPerProject', 'membersPerAccount', 'invitationsPerAddress'] as const),
  ...(['changesPerMinute', 'readsPerMinute', 'signInsPerMinute'] as const),
] as const;

/** The developer portal of a stage: one origin with the app and one function, the sign-in, and their monitoring. */
export class PortalStack extends Stack {
  /** As browsers use it. */
  readonly origin: string;

  constructor(scope: Construct, id: string, props: PortalStackProps) {
    const { settings, tables: ownTables, keyTagSecret, people, gatewayUrl, alarmTopic, ...stackProps } = props;
    // CloudFront's domain is lost with the stack, and cannot be restored.
    super(scope, id, { terminationProtection: settings.stage === 'prod', ...stackProps });
    const tables = restoredTables(this, settings) ?? ownTables;
    const site = new PortalSite(this, 'Site', settings);
    const api = new PortalApi(this, 'Api', settings);
    const distribution = new PortalDistribution(this, 'Web', {
      settings,
      site,
      apiHost: api.host,
      gatewayOrigin: gatewayUrl,
    });
    this.origin = distribution.origin;
    // Always exported, as the gateway's: with a domain the notices do not use it.
    this.exportValue(distribution.host);
    const identity = new PortalIdentity(this, 'Identity', { settings, origin: distribution.origin, people });
    const portal = new GatewayFunction(this, 'Portal', {
      name: 'portal',
      settings,
      environment: {
        [ENVIRONMENT.portalOrigin]: distribution.origin,
        [ENVIRONMENT.gatewayTable]: tables.gateway.tableName,
        [ENVIRONMENT.usageTable]: tables.usage.tableName,
        [ENVIRONMENT.quotaPeriod]: settings.quotaPeriod,
        [ENVIRONMENT.usageRetentionDays]: String(settings.usageRetentionDays),
        [ENVIRONMENT.keyTagSecrets]: keyTagSecretText(keyTagSecret, settings.keyTagSecretVersion),
        [PORTAL_ENVIRONMENT.gatewayUrl]: gatewayUrl,
        [PORTAL_ENVIRONMENT.defaultRpm]: String(settings.rpmDefault),
        [PORTAL_ENVIRONMENT.defaultQuotaUnits]: String(settings.quotaDefault),
        [NOTICES_ENVIRONMENT.mailFrom]: settings.mailFrom ?? '',
        [PORTAL_ENVIRONMENT.supportUrl]: settings.supportUrl ?? '',
        ...identity.environment,
        ...limitVariables(settings),
      },
      reservedConcurrency: settings.portalConcurrency,
    });
    grantPortal(portal.role, tables, identity.secretArn);
    api.serve(portal.live);

    const monitored = {
      stage: settings.stage,
      apiId: api.apiId,
      live: portal.live,
      distributionId: distribution.distributionId,
      userPool: people && { id: people.userPoolId, clientId: identity.clientId ?? '' },
    };
    const { stage, runbookUrl } = settings;
    const definitions = portalAlarms(monitored);
    const { alarms, rollbackAlarms } = new StageAlarms(this, 'Alarms', {
      stage,
      definitions,
      topic: alarmTopic,
      runbookUrl,
    });
    const { dashboardName } = new StageDashboard(this, 'Monitoring', { alarms, rows: portalGraphs(monitored) });
    const folder = `sandbox-gateway-${settings.stage}-portal`;
    saveQueries(this, PORTAL_QUERIES, { folder, functions: [portal.logGroup], access: api.accessLogGroup });
    if (settings.deployment === 'canary') for (const alarm of rollbackAlarms) portal.deployment.addAlarm(alarm);

    const { portalDomainName } = settings;
    addOutputs(this, {
      [PORTAL_STACK_OUTPUTS.url]: distribution.origin,
      [PORTAL_STACK_OUTPUTS.filesBucket]: site.files.bucketName,
      [PORTAL_STACK_OUTPUTS.logsBucket]: site.logs.bucketName,
      [PORTAL_STACK_OUTPUTS.region]: this.region,
      [PORTAL_STACK_OUTPUTS.domainTarget]: distribution.host,
      [PORTAL_STACK_OUTPUTS.originDomainTarget]: api.domainTarget,
      [PORTAL_STACK_OUTPUTS.callbackUrl]: `${distribution.origin}/api/sign-in/callback`,
      [PORTAL_STACK_OUTPUTS.userPoolId]: people?.userPoolId,
      [PORTAL_STACK_OUTPUTS.nextDeployment]:
        portalDomainName === undefined
          ? `The gateway does not know this origin yet: deploy once more with portalDomainName=${distribution.host}`
          : undefined,
      [PORTAL_STACK_OUTPUTS.functionName]: portal.function.functionName,
      [PORTAL_STACK_OUTPUTS.gatewayTableName]: tables.gateway.tableName,
      [PORTAL_STACK_OUTPUTS.concurrency]: String(settings.portalConcurrency),
      [PORTAL_STACK_OUTPUTS.logGroup]: portal.logGroup.logGroupName,
      [PORTAL_STACK_OUTPUTS.accessLogGroup]: api.accessLogGroup.logGroupName,
      [PORTAL_STACK_OUTPUTS.deploymentApplication]: portal.deployment.application.applicationName,
      [PORTAL_STACK_OUTPUTS.deploymentGroup]: portal.deployment.deploymentGroupName,
      [PORTAL_STACK_OUTPUTS.distributionId]: distribution.distributionId,
      [PORTAL_STACK_OUTPUTS.dashboardUrl]: dashboardUrl(this, dashboardName),
      [PORTAL_STACK_OUTPUTS.savedQueries]: folder,
    });
  }
}

const limitVariables = (settings: StageSettings): Record<string, string> =>
  Object.fromEntries(
    OF_FUNCTION.flatMap((name) => {
      const value = settings[name];
      return value === undefined ? [] : [[PORTAL_ENVIRONMENT[name], String(value)]];
    }),
  );
