import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';

/**
 * Allows calls of DynamoDB in some partitions of a table only. IAM checks the parts of a transaction as single calls.
 *
 * @param actions without their prefix, such as `GetItem`
 * @param partitions keys, with `*` for any rest
 */
export const inPartitions = (
  { tableArn }: Pick<ITableV2, 'tableArn'>,
  actions: readonly string[],
  partitions: readonly string[],
): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.ALLOW,
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [tableArn],
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...partitions] },
      // ForAllValues is also true for a request without any key.
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  });
