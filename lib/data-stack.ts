import { Stack, type StackProps } from 'aws-cdk-lib';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { Backups } from './backups.ts';
import { keyTagSecret } from './key-tag-secret.ts';
import type { StageSettings } from './settings.ts';
import { GatewayTables } from './tables.ts';

export interface DataStackProps extends StackProps {
  readonly settings: StageSettings;
}

/**
 * What must outlive every deployment: the tables, and the secret under which the keys in them are tagged. In a stack of
 * their own, which no rollback of the gateway touches.
 */
export class DataStack extends Stack {
  readonly tables: GatewayTables;
  readonly keyTagSecret: ISecret;

  constructor(scope: Construct, id: string, { settings, ...props }: DataStackProps) {
    super(scope, id, { terminationProtection: settings.stage !== 'dev', ...props });
    this.tables = new GatewayTables(this, 'Tables', settings);
    this.keyTagSecret = keyTagSecret(this, 'KeyTagSecret');
    if (settings.backupCopyVaultArn !== undefined) {
      new Backups(this, 'Backups', this.tables, settings.backupCopyVaultArn, settings);
    }
    // Exported whether they are used or not: while the gateway works on restored tables its stack imports none of these,
    // and an export that would come and go with that could not be removed while the old version still imports it.
    for (const { tableName, tableArn } of [this.tables.gateway, this.tables.usage]) {
      this.exportValue(tableName);
      this.exportValue(tableArn);
    }
    this.exportValue(this.keyTagSecret.secretArn);
  }
}
