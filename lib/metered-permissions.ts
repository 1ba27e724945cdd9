import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { Tables } from './tables.ts';

/** Partitions of the Gateway table that requests use; accounts belong to the control plane. */
const KEYS = 'KEY#*';
const PROJECTS = 'PROJECT#*';

/**
 * Grants the metered function exactly the permissions that it needs. IAM checks the parts of a transaction as single
 * calls: `TransactWriteItems` as UpdateItem and PutItem, `TransactGetItems` as GetItem.
 */
export function grantMetered(role: Role, { gateway, usage }: Tables): void {
  const inPartitions = (actions: string[], ...partitions: string[]) =>
    new PolicyStatement({
      effect: Effect.ALLOW,
      actions: actions.map((action) => `dynamodb:${action}`),
      resources: [gateway.tableArn],
      conditions: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
        // ForAllValues is also true for a request without any key.
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    });
  // Admission counts in the key item; settlement charges the quota.
  role.addToPolicy(inPartitions(['UpdateItem'], KEYS, PROJECTS));
  // The snapshot, the shards of a quota, the second read of a replay record, and the record itself.
  role.addToPolicy(inPartitions(['BatchGetItem', 'Query', 'GetItem', 'PutItem'], PROJECTS));
  role.addToPolicy(new PolicyStatement({ actions: ['dynamodb:PutItem'], resources: [usage.tableArn] }));
}
