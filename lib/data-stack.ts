import { Stack, type StackProps } from 'aws-cdk-lib';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import type { Construct } from 'constructs';
import { STACK_OUTPUTS } from '../functions/wiring.ts';
import { Backups } from './backups.ts';
import { keyTagSecret } from './key-tag-secret.ts';
import { peoplesPool } from './portal/user-pool.ts';
import type { StageSettings } from './settings.ts';
import { addOutputs } from './stack-outputs.ts';
import { GatewayTables, restoredTables } from './tables.ts';

export interface DataStackProps extends StackProps {
  readonly settings: StageSettings;
}

/**
 * What must survive every deployment: the tables, the secret under which their keys are tagged, and the people whom
 * they name. It is a separate stack, so that no rollback of the gateway changes it.
 */
export class DataStack extends Stack {
  readonly tables: GatewayTables;
  readonly keyTagSecret: ISecret;
  /** The user pool with the portal's people, in use or only kept. */
  readonly people: IUserPool | undefined;

  constructor(scope: Construct, id: string, { settings, ...props }: DataStackProps) {
    super(scope, id, { terminationProtection: settings.stage !== 'dev', ...props });
    this.tables = new GatewayTables(this, 'Tables', settings);
    this.keyTagSecret = keyTagSecret(this, 'KeyTagSecret');
    if (settings.backupCopyVaultArn !== undefined) {
      // Of the tables that the stage uses: after a restore its own are not used any more.
      const tables = restoredTables(this, settings) ?? this.tables;
      const { alarmTopicArn } = new Backups(this, 'Backups', tables, settings.backupCopyVaultArn, settings);
      addOutputs(this, { [STACK_OUTPUTS.alarmTopicArn]: alarmTopicArn });
    }
    // Always exported, used or not. While the gateway uses restored tables, its stack imports none of these. An export
    // that came and went with that could not be removed while the old version still imports it.
    for (const { tableName, tableArn } of [this.tables.gateway, this.tables.usage]) {
      this.exportValue(tableName);
      this.exportValue(tableArn);
    }
    this.exportValue(this.tables.gateway.tableStreamArn);
    this.exportValue(this.keyTagSecret.secretArn);
    this.people = peoplesPool(this, 'People', settings);
    if (this.people) this.exportValue(this.people.userPoolId);
  }
}
