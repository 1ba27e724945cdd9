import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault, BackupVaultEvents } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { AlarmTopic } from './monitoring/alarm-topic.ts';
import type { StageSettings } from './settings.ts';
import type { Tables } from './tables.ts';

/** In UTC. */
const EVERY_NIGHT = Schedule.cron({ hour: '3', minute: '0' });
/** As long as the tables can be restored to any second. */
const KEPT_HERE = Duration.days(35);
const MANAGED_POLICY = 'AWSBackupServiceRolePolicyForBackup';

/**
 * A backup of both tables every night, copied to a vault of another account or region: where someone may delete the tables,
 * their point-in-time recovery ends with them. A backup or a copy that fails tells the alarm's address.
 */
export class Backups extends Construct {
  constructor(scope: Construct, id: string, tables: Tables, copyVaultArn: string, settings: StageSettings) {
    super(scope, id);
    const vault = new BackupVault(this, 'Vault', {
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      notificationTopic: new AlarmTopic(this, 'Topic', settings.alarmEmail),
      notificationEvents: [BackupVaultEvents.BACKUP_JOB_FAILED, BackupVaultEvents.COPY_JOB_FAILED],
    });
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
              deleteAfter: Duration.days(settings.backupCopyRetentionDays),
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
    plan.addSelection('Tables', {
      role,
      resources: [tables.gateway, tables.usage].map(({ tableArn }) => BackupResource.fromArn(tableArn)),
    });
  }
}
