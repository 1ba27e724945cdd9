import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

/**
 * A bucket of the stage's own, which is never public. It must be empty to be deleted, and CloudFormation would need a
 * function to empty it; so it is kept.
 *
 * @param withoutLog why nobody needs S3's log of its requests
 */
export function ownBucket(scope: Construct, id: string, withoutLog: string, props: BucketProps): IBucket {
  const bucket = new Bucket(scope, id, {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    ...props,
  });
  Validations.of(bucket).acknowledge({ id: 'AwsSolutions-S1', reason: withoutLog });
  return bucket as IBucket;
}
