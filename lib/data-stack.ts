import { Stack, type StackProps } from 'aws-cdk-lib';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { STACK_OUTPUTS } from './stack-names.ts';
import { Backups } from './backups.ts';
import { keyTagSecret } from './key-tag-secret.ts';
import { peoplesPool } from './portal/user-pool.ts';
import { stagePropsOf, type StageSettings } from './settings.ts';
import { addOutputs } from './stack-outputs.ts';
import { GatewayTables, tablesInUse, type RestoredTables, type Tables } from './tables.ts';

export interface DataStackProps extends StackProps {
  readonly settings: StageSettings;
}

/**
 * What must survive every deployment: the tables, the secret under which their keys are tagged, and the people whom
 * they name. It is a separate stack, so that no rollback of the gateway changes it.
 */
export class DataStack extends Stack {
  readonly keyTagSecret: ISecret;
  /** The user pool with the portal's people. It stays where another provider or no portal is set. */
  readonly people: IUserPool;
  readonly #tables: Tables;
  readonly #restored: RestoredTables | undefined;

  constructor(scope: Construct, id: string, { settings, ...props }: DataStackProps) {
    super(scope, id, props);
    const { production, backupCopyVaultArn, alarmEmail } = settings;
    const { restoredGatewayStreamArn: gatewayStreamArn, restoredUsageTable: usageTable } = settings;
    const tables = new GatewayTables(this, 'Tables', { deletionProtection: production });
    this.#tables = tables;
    this.#restored =
      gatewayStreamArn === undefined || usageTable === undefined ? undefined : { gatewayStreamArn, usageTable };
    this.keyTagSecret = keyTagSecret(this, 'KeyTagSecret');
    this.people = peoplesPool(this, 'People', settings);
    if (backupCopyVaultArn !== undefined) {
      // Of the tables that the stage uses: after a restore its own are not used any more.
      const { alarmTopicArn } = new Backups(this, 'Backups', {
        ...stagePropsOf(settings),
        tables: this.tablesFor(this),
        copyVaultArn: backupCopyVaultArn,
        alarmEmail,
      });
      addOutputs(this, { [STACK_OUTPUTS.alarmTopicArn]: alarmTopicArn });
    }
    // Always exported, used or not. While the gateway uses restored tables, its stack imports none of these. An export
    // that came and went with that could not be removed while the old version still imports it.
    for (const { tableName, tableArn } of [tables.gateway, tables.usage]) {
      this.exportValue(tableName);
      this.exportValue(tableArn);
    }
    this.exportValue(tables.gateway.tableStreamArn);
    this.exportValue(this.keyTagSecret.secretArn);
    this.exportValue(this.people.userPoolId);
  }

  /** The tables that the stage uses, for another stack: the restored ones where there are any. */
  tablesFor(stack: Stack): Tables {
    return tablesInUse(stack, this.#tables, this.#restored);
  }
}
