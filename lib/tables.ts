import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  StreamViewType,
  TableClass,
  TableEncryptionV2,
  TableV2,
  type ITableV2,
  type TablePropsV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { isBeingCreated } from './first-creation.ts';
import type { StageSettings } from './settings.ts';
import { TABLE_DEFINITIONS, type TableDefinition } from './table-definitions.ts';

/** The tables that the gateway uses. */
export interface Tables {
  readonly gateway: ITableV2;
  readonly usage: ITableV2;
}

/** The two tables of the gateway, kept when the stack is deleted. */
export class GatewayTables extends Construct implements Tables {
  readonly gateway: ITableV2;
  readonly usage: ITableV2;

  constructor(scope: Construct, id: string, { stage, usageTableClass, warmWriteUnitsPerSecond }: StageSettings) {
    super(scope, id);
    const usageClass =
      usageTableClass === 'infrequentAccess' ? TableClass.STANDARD_INFREQUENT_ACCESS : TableClass.STANDARD;
    const options = {
      deletionProtection: stage !== 'dev' && !isBeingCreated(this),
      ...warmThroughput(warmWriteUnitsPerSecond),
    };
    const { gateway, usage } = TABLE_DEFINITIONS;
    this.gateway = createTable(this, 'Gateway', gateway, {
      ...{ ...options, tableClass: TableClass.STANDARD },
      // Notices are made from the stream. It costs nothing if nobody reads it.
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
    });
    this.usage = createTable(this, 'Usage', usage, { ...options, tableClass: usageClass });
  }
}

/** Read units a second that a new table takes at once by default. DynamoDB refuses less than a table takes. */
const READ_UNITS_ANYWAY = 12_000;

/** A charged ping reads fewer units than it writes, so the same number of both is enough. */
function warmThroughput(writeUnitsPerSecond: number | undefined): Pick<TablePropsV2, 'warmThroughput'> {
  if (writeUnitsPerSecond === undefined) return {};
  const reads = writeUnitsPerSecond > READ_UNITS_ANYWAY ? { readUnitsPerSecond: writeUnitsPerSecond } : {};
  return { warmThroughput: { writeUnitsPerSecond, ...reads } };
}

const createTable = (
  scope: Construct,
  id: string,
  definition: TableDefinition,
  options: Pick<TablePropsV2, 'tableClass' | 'deletionProtection' | 'warmThroughput' | 'dynamoStream'>,
): ITableV2 =>
  new TableV2(scope, id, {
    partitionKey: { name: definition.partitionKey, type: AttributeType.STRING },
    sortKey: { name: definition.sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: definition.timeToLiveAttribute,
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    ...options,
  }) as ITableV2;

/** Restored tables instead of the stack's own, when the settings name them. */
export const restoredTables = (
  scope: Construct,
  { restoredGatewayTable, restoredGatewayStreamArn, restoredUsageTable }: StageSettings,
): Tables | undefined =>
  restoredGatewayTable === undefined || restoredUsageTable === undefined
    ? undefined
    : {
        gateway: TableV2.fromTableAttributes(scope, 'RestoredGateway', {
          tableName: restoredGatewayTable,
          ...(restoredGatewayStreamArn !== undefined && { tableStreamArn: restoredGatewayStreamArn }),
        }),
        usage: TableV2.fromTableName(scope, 'RestoredUsage', restoredUsageTable),
      };
