import { Stack, type StackProps, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import { Secret, type ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { keyTagSecret } from './key-tag-secret.ts';
import { peoplesPool } from './portal/user-pool.ts';
import { stagePropsOf, type StageSettings } from './settings.ts';
import { addOutputs } from './stack-outputs.ts';
import { GatewayTables, tablesInUse, type RestoredTables, type Tables } from './tables.ts';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { EventField, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { urgencyText, type AlarmDefinition } from './monitoring/alarm-definition.ts';
import { AlarmTopic } from './monitoring/alarm-topic.ts';
import { addAlarm, runbookEntry } from './monitoring/alarms.ts';
import { OperatorPolicies } from './operator-policies.ts';
import { OWN_RUNBOOK } from './setting-values.ts';
import type { StageProps } from './stage-props.ts';

export interface DataStackProps extends StackProps {
  readonly settings: StageSettings;
}

/**
 * What must survive every deployment: the tables, the secret under which their keys are tagged, and the people whom
 * they name. It is a separate stack, so that no rollback of the gateway changes it.
 */
export class DataStack extends Stack {
  /** The one that the stage uses: its own, or that of a setting. */
  readonly keyTagSecret: ISecret;
  /** The user pool with the portal's people. It stays where another provider or no portal is set. */
  readonly people: IUserPool;
  readonly #tables: Tables;
  readonly #restored: RestoredTables | undefined;

  constructor(scope: Construct, id: string, { settings, ...props }: DataStackProps) {
    super(scope, id, props);
    const { production, backupCopyVaultArn, alarmEmail, replicaRegion } = settings;
    const { restoredGatewayStreamArn: gatewayStreamArn, restoredUsageTable: usageTable } = settings;
    const tables = new GatewayTables(this, 'Tables', { deletionProtection: production, replicaRegion });
    this.#tables = tables;
    this.#restored =
      gatewayStreamArn === undefined || usageTable === undefined ? undefined : { gatewayStreamArn, usageTable };
    const ownSecret = keyTagSecret(this, 'KeyTagSecret', replicaRegion);
    this.keyTagSecret =
      settings.keyTagSecretArn === undefined
        ? ownSecret
        : Secret.fromSecretCompleteArn(this, 'GivenKeyTagSecret', settings.keyTagSecretArn);
    this.people = peoplesPool(this, 'People', settings);
    // Of the tables that the stage uses: after a restore its own are not used any more.
    const inUse = this.tablesFor(this);
    const { stage } = settings;
    const {
      keyTagSecret: { secretArn: keyTagSecretArn },
    } = this;
    const policies = new OperatorPolicies(this, 'Operators', { stage, tables: inUse, keyTagSecretArn });
    addOutputs(this, {
      CliPolicyArn: policies.cli.managedPolicyArn,
      RestorePolicyArn: policies.restore.managedPolicyArn,
    });
    if (backupCopyVaultArn !== undefined) {
      const { alarmTopicArn } = new Backups(this, 'Backups', {
        ...stagePropsOf(settings),
        tables: inUse,
        copyVaultArn: backupCopyVaultArn,
        alarmEmail,
      });
      addOutputs(this, { AlarmTopicArn: alarmTopicArn });
    }
    // Always exported, used or not. While the gateway uses restored tables, its stack imports none of these. An export
    // that came and went with that could not be removed while the old version still imports it.
    for (const { tableName, tableArn } of [tables.gateway, tables.usage]) {
      this.exportValue(tableName);
      this.exportValue(tableArn);
    }
    this.exportValue(tables.gateway.tableStreamArn);
    this.exportValue(ownSecret.secretArn);
    this.exportValue(this.people.userPoolId);
  }

  /** The tables that the stage uses, for another stack: the restored ones where there are any. */
  tablesFor(stack: Stack): Tables {
    return tablesInUse(stack, this.#tables, this.#restored);
  }
}

/** In UTC. */
const EVERY_NIGHT = Schedule.cron({ hour: '3', minute: '0' });
/**
 * How long backups stay in this vault. Each is a whole copy of the tables. A few days are enough, in case a copy to the
 * other vault failed: point-in-time recovery can restore any second.
 */
const KEPT_HERE = Duration.days(7);
/** In the other vault. */
const KEPT_THERE = Duration.days(90);
const MANAGED_POLICY = 'AWSBackupServiceRolePolicyForBackup';
/** States in which a job of AWS Backup ends without a whole backup, or without its copy. */
const WITHOUT_SUCCESS = ['FAILED', 'ABORTED', 'EXPIRED', 'PARTIAL'];
const ALARM = 'BackupMissing';

interface BackupsProps extends StageProps {
  readonly tables: Tables;
  /** A vault of AWS Backup in another account or region. */
  readonly copyVaultArn: string;
  /** Who is told of a missing backup. */
  readonly alarmEmail: string | undefined;
}

/**
 * A backup of both tables every night, copied to a vault of another account or region: somebody who can delete the
 * tables also ends their point-in-time recovery. A failed job, or a night without one, sends mail to the alarm's
 * address. The backed-up tables are those that the stage uses.
 */
class Backups extends Construct {
  readonly alarmTopicArn: string;

  constructor(scope: Construct, id: string, props: BackupsProps) {
    super(scope, id);
    const { stage, tables, copyVaultArn, alarmEmail, isWatched = true, runbookUrl = OWN_RUNBOOK } = props;
    const tableArns = [tables.gateway, tables.usage].map(({ tableArn }) => tableArn);
    const vault = new BackupVault(this, 'Vault', { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE });
    const plan = new BackupPlan(this, 'Plan', {
      backupVault: vault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: 'EveryNight',
          scheduleExpression: EVERY_NIGHT,
          deleteAfter: KEPT_HERE,
          copyActions: [
            {
              destinationBackupVault: BackupVault.fromBackupVaultArn(this, 'CopyVault', copyVaultArn),
              deleteAfter: KEPT_THERE,
            },
          ],
        }),
      ],
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('backup.amazonaws.com') });
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/${MANAGED_POLICY}]`,
      reason:
        'The policy that AWS keeps for this very purpose: the service alone may take on the role, for these tables.',
    });
    plan.addSelection('Tables', { role, resources: tableArns.map((arn) => BackupResource.fromArn(arn)) });

    const topic = new AlarmTopic(this, 'Topic', alarmEmail);
    this.alarmTopicArn = topic.topicArn;
    this.#tellOfFailures(topic, tableArns, runbookUrl);
    if (!isWatched) return;
    addAlarm(this, ALARM, backupMissing(vault.backupVaultName), {
      stage,
      topic,
      runbookUrl,
      whenMissing: 'No data means no backup, which is an alarm.',
    });
  }

  /** With EventBridge: a vault's own notifications no longer have an event for a failed backup. */
  #tellOfFailures(topic: AlarmTopic, tableArns: readonly string[], runbookUrl: string): void {
    new Rule(this, 'Failures', {
      description: 'Jobs of AWS Backup that ended without a backup of a table, or without its copy',
      eventPattern: {
        source: ['aws.backup'],
        detailType: ['Backup Job State Change', 'Copy Job State Change'],
        detail: { state: WITHOUT_SUCCESS, resourceArn: tableArns },
      },
      targets: [
        new SnsTopic(topic, {
          // An object with only the attributes of every event. With a text, a quoted or missing cause would prevent the
          // mail.
          message: RuleTargetInput.fromObject({
            AlarmDescription:
              `${urgencyText(false)} A nightly backup of a table, or its copy elsewhere, was not made: ` +
              `statusMessage says why. ${runbookEntry(runbookUrl, ALARM)}`,
            event: EventField.fromPath('$.detail-type'),
            job: EventField.fromPath('$.detail'),
          }),
        }),
      ],
    });
  }
}

/**
 * No event reports a job that never began, and events may be lost. The period is two days, because the sum of the
 * current day is incomplete. Days without a job have no data; they are filled, or the alarm would use older days
 * instead.
 */
const backupMissing = (vaultName: string): AlarmDefinition => ({
  metric: new MathExpression({
    expression: 'FILL(completed, 0)',
    usingMetrics: {
      completed: new Metric({
        namespace: 'AWS/Backup',
        metricName: 'NumberOfBackupJobsCompleted',
        dimensionsMap: { BackupVaultName: vaultName },
        statistic: Stats.SUM,
      }),
    },
    label: 'backups of a day',
    period: Duration.days(1),
  }),
  threshold: 2,
  goesOffBelow: true,
  over: { evaluationPeriods: 2, datapointsToAlarm: 2 },
  meaning: 'For two days there was no backup of both tables in the vault of the stage.',
  firstStep: 'Look at the jobs of AWS Backup in the region; before the second night of a new stage this is no fault.',
  missingIsBad: true,
});
