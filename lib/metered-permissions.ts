import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { Tables } from './tables.ts';

/** Partitions of the Gateway table that requests work in; accounts are the operators'. */
const KEYS = 'KEY#*';
const PROJECTS = 'PROJECT#*';

/**
 * Gives the metered function what it does with the tables, and no more. IAM checks the parts of a transaction as the single
 * calls that they are: `TransactWriteItems` as UpdateItem and PutItem, `TransactGetItems` as GetItem.
 */
export function grantMetered(role: Role, { gateway, usage }: Tables): void {
  const inPartitions = (actions: string[], ...partitions: string[]) =>
    new PolicyStatement({
      effect: Effect.ALLOW,
      actions: actions.map((action) => `dynamodb:${action}`),
      resources: [gateway.tableArn],
      conditions: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
        // ForAllValues is also true of a request without any.
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    });
  // Admission counts in the key; settlement charges the quota.
  role.addToPolicy(inPartitions(['UpdateItem'], KEYS, PROJECTS));
  // The snapshot, the shards of a quota, the second look at a replay record, and the record itself.
  role.addToPolicy(inPartitions(['BatchGetItem', 'Query', 'GetItem', 'PutItem'], PROJECTS));
  role.addToPolicy(new PolicyStatement({ actions: ['dynamodb:PutItem'], resources: [usage.tableArn] }));
}
