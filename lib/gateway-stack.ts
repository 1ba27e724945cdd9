import { Stack, type StackProps } from 'aws-cdk-lib';
import { CURRENT_SECRET_VERSION } from './stack-names.ts';
import type { Construct } from 'constructs';
import type { DataStack } from './data-stack.ts';
import { Gateway } from './gateway.ts';
import type { PortalFrontStack } from './front-stacks.ts';
import type { HttpApiAddress } from './http-api.ts';
import { AlarmTopic } from './monitoring/alarm-topic.ts';
import { stagePropsOf, type StageSettings } from './settings.ts';
import { addOutputs, dashboardUrl } from './stack-outputs.ts';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';

export interface GatewayStackProps extends StackProps {
  readonly settings: StageSettings;
  readonly data: DataStack;
  readonly address: HttpApiAddress;
  /** Undefined: the stage has no portal of its own. */
  readonly portal: PortalFrontStack | undefined;
}

/** The gateway of a stage, with what only a stage has: the topic of its alarms, and its budget. */
export class GatewayStack extends Stack {
  readonly gateway: Gateway;

  constructor(scope: Construct, id: string, { settings, data, address, portal, ...props }: GatewayStackProps) {
    super(scope, id, props);
    const { alarmEmail, monthlyBudgetUsd, keyTagSecretVersion, probe } = settings;
    const alarmTopic = new AlarmTopic(this, 'AlarmTopic', alarmEmail);
    const tables = data.tablesFor(this);
    const portalOrigin = portal?.origin ?? settings.portalOrigin;
    const gateway = new Gateway(this, 'Gateway', {
      ...stagePropsOf(settings),
      tables,
      keyTagSecret: data.keyTagSecret,
      keyTagSecretVersion,
      address,
      alarmTopic,
      portalOrigin,
      localDevOrigin: settings.localDevOrigin,
      quotaPeriod: settings.quotaPeriod,
      usageRetentionDays: settings.usageRetentionDays,
      sourceAddresses: settings.sourceAddresses,
      meteredRequestsPerSecond: settings.meteredRequestsPerSecond,
      provisionedConcurrency: settings.provisionedConcurrency,
      concurrencyQuota: settings.concurrencyQuota,
      ...(probe === 'on' && {
        probe: { portalOrigin: portal?.origin, keySecretArn: settings.probeKeySecretArn },
      }),
    });
    this.gateway = gateway;
    if (monthlyBudgetUsd !== 'none' && alarmEmail !== undefined) {
      monthlyBudget(this, 'Budget', monthlyBudgetUsd, alarmEmail);
    }
    // Always exported: an export in use cannot be removed.
    this.exportValue(alarmTopic.topicArn);
    const { health, metered } = gateway.functions;
    addOutputs(this, {
      ApiUrl: gateway.url,
      GatewayTableName: tables.gateway.tableName,
      UsageTableName: tables.usage.tableName,
      QuotaPeriod: settings.quotaPeriod,
      DefaultRpm: String(settings.rpmDefault),
      DefaultQuotaUnits: String(settings.quotaDefault),
      UsageRetentionDays: String(settings.usageRetentionDays),
      KeyPrefixes: stagePropsOf(settings).keyPrefixes,
      KeyTagSecretArn: data.keyTagSecret.secretArn,
      KeyTagSecretVersion: keyTagSecretVersion ?? CURRENT_SECRET_VERSION,
      Standby: settings.standby ? 'true' : undefined,
      AlarmTopicArn: alarmTopic.topicArn,
      MeteredFunctionName: metered.function.functionName,
      HealthFunctionName: health.function.functionName,
      MeteredLogGroup: metered.logGroup.logGroupName,
      HealthLogGroup: health.logGroup.logGroupName,
      AccessLogGroup: gateway.accessLogGroup.logGroupName,
      DashboardUrl: gateway.dashboard && dashboardUrl(this, gateway.dashboard.dashboardName),
      ProbeName: gateway.probeName,
      SavedQueries: gateway.savedQueries,
    });
  }
}

/** When mail is sent: for actual and for forecast costs. */
const NOTIFIED_AT = [
  { notificationType: 'ACTUAL', threshold: 50 },
  { notificationType: 'ACTUAL', threshold: 100 },
  { notificationType: 'FORECASTED', threshold: 100 },
] as const;

/**
 * Sends mail when the account, including everything else in it, costs more in a month than set. AWS checks about three
 * times a day.
 */
function monthlyBudget(scope: Construct, id: string, usd: number, email: string): void {
  new CfnBudget(scope, id, {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: usd, unit: 'USD' } },
    notificationsWithSubscribers: NOTIFIED_AT.map((notified) => ({
      notification: { ...notified, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
      subscribers: [{ subscriptionType: 'EMAIL', address: email }],
    })),
  });
}
