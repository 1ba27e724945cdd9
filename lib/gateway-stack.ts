import { Stack, type StackProps } from 'aws-cdk-lib';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { CURRENT_SECRET_VERSION, ENVIRONMENT, STACK_OUTPUTS } from '../functions/wiring.ts';
import { edgeOf } from './edge/edge.ts';
import { GatewayFunction } from './gateway-function.ts';
import { GatewayHttpApi } from './http-api.ts';
import { AlarmTopic } from './monitoring/alarm-topic.ts';
import { alarmDefinitions } from './monitoring/alarm-definitions.ts';
import { StageAlarms } from './monitoring/alarms.ts';
import { monthlyBudget } from './monitoring/budget.ts';
import { gatewayGraphs } from './monitoring/dashboard.ts';
import { GATEWAY_QUERIES, saveQueries } from './monitoring/saved-queries.ts';
import { StageDashboard } from './monitoring/stage-dashboard.ts';
import { Probe } from './probe/probe.ts';
import { keyTagSecretText } from './key-tag-secret.ts';
import { hasPortal } from './portal/settings.ts';
import type { StageSettings } from './settings.ts';
import { addOutputs, dashboardUrl } from './stack-outputs.ts';
import { inPartitions } from './table-grants.ts';
import { restoredTables, type Tables } from './tables.ts';

export interface GatewayStackProps extends StackProps {
  readonly settings: StageSettings;
  /** The stack's own tables; the settings may name restored ones instead. */
  readonly tables: Tables;
  /** Also for the keys in restored tables, which were tagged under it. */
  readonly keyTagSecret: ISecret;
}

/** Everything without data: two functions, one HTTP API, and their monitoring. */
export class GatewayStack extends Stack {
  /** Origin of the API. */
  readonly url: string;
  readonly alarmTopic: ITopic;

  constructor(scope: Construct, id: string, props: GatewayStackProps) {
    const { settings, tables: ownTables, keyTagSecret, ...stackProps } = props;
    // The address of the API is lost with the stack, and cannot be restored.
    super(scope, id, { terminationProtection: settings.stage === 'prod', ...stackProps });
    const tables = restoredTables(this, settings) ?? ownTables;
    const health = new GatewayFunction(this, 'Health', { name: 'health', settings });
    const metered = new GatewayFunction(this, 'Metered', {
      name: 'metered',
      settings,
      environment: {
        [ENVIRONMENT.gatewayTable]: tables.gateway.tableName,
        [ENVIRONMENT.usageTable]: tables.usage.tableName,
        [ENVIRONMENT.quotaPeriod]: settings.quotaPeriod,
        [ENVIRONMENT.usageRetentionDays]: String(settings.usageRetentionDays),
        [ENVIRONMENT.keyTagSecrets]: keyTagSecretText(keyTagSecret, settings.keyTagSecretVersion),
      },
      provisionedConcurrency: settings.provisionedConcurrency,
    });
    grantMetered(metered.role, tables);

    const functions = { health: health.live, metered: metered.live };
    const api = new GatewayHttpApi(this, 'HttpApi', { settings, functions });

    const topic = new AlarmTopic(this, 'AlarmTopic', settings.alarmEmail);
    const { stage, concurrencyQuota, monthlyBudgetUsd, alarmEmail } = settings;
    if (monthlyBudgetUsd !== 'none' && alarmEmail !== undefined) {
      monthlyBudget(this, 'Budget', monthlyBudgetUsd, alarmEmail);
    }
    const probe = settings.probe === 'on' ? new Probe(this, 'Probe', api.url, settings) : undefined;
    const monitored = { stage, apiId: api.apiId, functions, tables, concurrencyQuota, ...(probe && { probe }) };
    const { alarms, rollbackAlarms } = new StageAlarms(this, 'Alarms', {
      stage,
      definitions: alarmDefinitions(monitored),
      topic,
      runbookUrl: settings.runbookUrl,
    });
    const { dashboardName } = new StageDashboard(this, 'Monitoring', {
      alarms,
      rows: gatewayGraphs(monitored),
      alarmsHeight: 4,
      // Names of dashboards must differ within the account, across regions.
      dashboardName: `sandbox-gateway-${stage}-${this.region}`,
    });
    const folder = `sandbox-gateway-${stage}`;
    saveQueries(this, GATEWAY_QUERIES, {
      folder,
      functions: [metered.logGroup, health.logGroup],
      access: api.accessLog.group,
    });
    if (settings.deployment === 'canary') {
      for (const { deployment } of [health, metered]) for (const alarm of rollbackAlarms) deployment.addAlarm(alarm);
    }

    this.url = api.url;
    this.alarmTopic = topic;
    if (hasPortal(settings)) {
      // Always exported: with a domain the portal does not use it, and an export in use cannot be removed.
      this.exportValue(api.endpoint);
      this.exportValue(topic.topicArn);
    }

    addOutputs(this, {
      [STACK_OUTPUTS.apiUrl]: api.url,
      [STACK_OUTPUTS.gatewayTableName]: tables.gateway.tableName,
      [STACK_OUTPUTS.usageTableName]: tables.usage.tableName,
      [STACK_OUTPUTS.quotaPeriod]: settings.quotaPeriod,
      [STACK_OUTPUTS.defaultRpm]: String(settings.rpmDefault),
      [STACK_OUTPUTS.defaultQuotaUnits]: String(settings.quotaDefault),
      [STACK_OUTPUTS.usageRetentionDays]: String(settings.usageRetentionDays),
      [STACK_OUTPUTS.keyTagSecretArn]: keyTagSecret.secretArn,
      [STACK_OUTPUTS.keyTagSecretVersion]: settings.keyTagSecretVersion ?? CURRENT_SECRET_VERSION,
      [STACK_OUTPUTS.alarmTopicArn]: topic.topicArn,
      [edgeOf(settings) ? STACK_OUTPUTS.originDomainTarget : STACK_OUTPUTS.domainTarget]: api.domainTarget,
      [STACK_OUTPUTS.meteredFunctionName]: metered.function.functionName,
      [STACK_OUTPUTS.healthFunctionName]: health.function.functionName,
      [STACK_OUTPUTS.meteredLogGroup]: metered.logGroup.logGroupName,
      [STACK_OUTPUTS.healthLogGroup]: health.logGroup.logGroupName,
      [STACK_OUTPUTS.accessLogGroup]: api.accessLog.group.logGroupName,
      [STACK_OUTPUTS.meteredDeploymentApplication]: metered.deployment.application.applicationName,
      [STACK_OUTPUTS.meteredDeploymentGroup]: metered.deployment.deploymentGroupName,
      [STACK_OUTPUTS.healthDeploymentApplication]: health.deployment.application.applicationName,
      [STACK_OUTPUTS.healthDeploymentGroup]: health.deployment.deploymentGroupName,
      [STACK_OUTPUTS.dashboardUrl]: dashboardUrl(this, dashboardName),
      [STACK_OUTPUTS.probeName]: probe?.canaryName,
      [STACK_OUTPUTS.savedQueries]: folder,
    });
  }
}

/** Partitions of the Gateway table that requests use; accounts belong to the control plane. */
const KEYS = 'KEY#*';
const PROJECTS = 'PROJECT#*';

/**
 * Grants the metered function exactly the permissions that it needs. IAM checks the parts of a transaction as single
 * calls: `TransactWriteItems` as UpdateItem and PutItem, `TransactGetItems` as GetItem.
 */
function grantMetered(role: Role, { gateway, usage }: Tables): void {
  // Admission counts in the key item; settlement charges the quota.
  role.addToPolicy(inPartitions(gateway, ['UpdateItem'], [KEYS, PROJECTS]));
  // The snapshot, the shards of a quota, the second read of a replay record, and the record itself.
  role.addToPolicy(inPartitions(gateway, ['BatchGetItem', 'Query', 'GetItem', 'PutItem'], [PROJECTS]));
  role.addToPolicy(new PolicyStatement({ actions: ['dynamodb:PutItem'], resources: [usage.tableArn] }));
}
