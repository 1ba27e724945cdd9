import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { TABLE_DEFINITIONS, type TableDefinition } from './table-definitions.ts';

/** The two tables of the gateway, kept when the stack is deleted. */
export class GatewayTables extends Construct {
  readonly gateway: TableV2;
  readonly usage: TableV2;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.gateway = createTable(this, 'Gateway', TABLE_DEFINITIONS.gateway);
    this.usage = createTable(this, 'Usage', TABLE_DEFINITIONS.usage);
  }
}

const createTable = (scope: Construct, id: string, definition: TableDefinition): TableV2 =>
  new TableV2(scope, id, {
    partitionKey: { name: definition.partitionKey, type: AttributeType.STRING },
    sortKey: { name: definition.sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: definition.timeToLiveAttribute,
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    removalPolicy: RemovalPolicy.RETAIN,
  });
