import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
  type ITableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { TABLE_ATTRIBUTES } from '../functions/shared/names.ts';

/** The tables that the gateway uses. */
export interface Tables {
  readonly gateway: ITableV2;
  readonly usage: ITableV2;
}

export interface GatewayTablesProps {
  /** Whether DynamoDB refuses to delete them. Default: it does not. */
  readonly deletionProtection?: boolean;
  /** Another region with a copy of both, a second behind. Default: none. */
  readonly replicaRegion?: string | undefined;
}

/** The two tables of the gateway, kept when the stack is deleted. */
export class GatewayTables extends Construct implements Tables {
  readonly gateway: ITableV2;
  readonly usage: ITableV2;

  constructor(scope: Construct, id: string, props: GatewayTablesProps = {}) {
    super(scope, id);
    this.gateway = createTable(this, 'Gateway', props);
    this.usage = createTable(this, 'Usage', props);
  }
}

const createTable = (
  scope: Construct,
  id: string,
  { deletionProtection = false, replicaRegion }: GatewayTablesProps,
): ITableV2 =>
  new TableV2(scope, id, {
    partitionKey: { name: TABLE_ATTRIBUTES.partitionKey, type: AttributeType.STRING },
    sortKey: { name: TABLE_ATTRIBUTES.sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: TABLE_ATTRIBUTES.timeToLive,
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    // Notices are made from that of the Gateway table. A replica needs one of both, and it can be changed only while
    // there is none. It costs nothing if nobody reads it.
    dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
    deletionProtection,
    ...(replicaRegion !== undefined && { replicas: [{ region: replicaRegion }] }),
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  }) as ITableV2;

/**
 * Tables that a restore has made, instead of the stack's own. The name of the Gateway table follows from its stream.
 */
export interface RestoredTables {
  readonly gatewayStreamArn: string;
  readonly usageTable: string;
}

/** The tables to use: the restored ones where there are any. */
export const tablesInUse = (scope: Construct, own: Tables, restored: RestoredTables | undefined): Tables =>
  restored === undefined
    ? own
    : {
        gateway: TableV2.fromTableAttributes(scope, 'RestoredGateway', {
          tableArn: restored.gatewayStreamArn.replace(/\/stream\/.*$/, ''),
          tableStreamArn: restored.gatewayStreamArn,
        }),
        usage: TableV2.fromTableName(scope, 'RestoredUsage', restored.usageTable),
      };
