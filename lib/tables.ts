import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  TableClass,
  TableEncryptionV2,
  TableV2,
  type ITableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { isBeingCreated } from './first-creation.ts';
import type { StageSettings } from './settings.ts';
import { TABLE_DEFINITIONS, type TableDefinition } from './table-definitions.ts';

/** The tables that the gateway works on. */
export interface Tables {
  readonly gateway: ITableV2;
  readonly usage: ITableV2;
}

/** The two tables of the gateway, kept when the stack is deleted. */
export class GatewayTables extends Construct implements Tables {
  readonly gateway: ITableV2;
  readonly usage: ITableV2;

  constructor(scope: Construct, id: string, { stage, usageTableClass }: StageSettings) {
    super(scope, id);
    const isProtected = stage !== 'dev' && !isBeingCreated(this);
    const usageClass =
      usageTableClass === 'infrequentAccess' ? TableClass.STANDARD_INFREQUENT_ACCESS : TableClass.STANDARD;
    this.gateway = createTable(this, 'Gateway', TABLE_DEFINITIONS.gateway, TableClass.STANDARD, isProtected);
    this.usage = createTable(this, 'Usage', TABLE_DEFINITIONS.usage, usageClass, isProtected);
  }
}

const createTable = (
  scope: Construct,
  id: string,
  definition: TableDefinition,
  tableClass: TableClass,
  deletionProtection: boolean,
): ITableV2 =>
  new TableV2(scope, id, {
    partitionKey: { name: definition.partitionKey, type: AttributeType.STRING },
    sortKey: { name: definition.sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: definition.timeToLiveAttribute,
    billing: Billing.onDemand(),
    tableClass,
    encryption: TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  }) as ITableV2;

/** Restored tables in place of the stack's own, when the settings name them. */
export const restoredTables = (
  scope: Construct,
  { restoredGatewayTable, restoredUsageTable }: StageSettings,
): Tables | undefined =>
  restoredGatewayTable === undefined || restoredUsageTable === undefined
    ? undefined
    : {
        gateway: TableV2.fromTableName(scope, 'RestoredGateway', restoredGatewayTable),
        usage: TableV2.fromTableName(scope, 'RestoredUsage', restoredUsageTable),
      };
