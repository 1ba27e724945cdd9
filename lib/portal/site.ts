import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

const COMMON = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  encryption: BucketEncryption.S3_MANAGED,
  enforceSSL: true,
  // A bucket must be empty to be deleted, and CloudFormation would need a function to empty it. So it is kept.
  removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
} as const;

/** The buckets for the web app's files and for CloudFront's log. */
export class PortalSite extends Construct {
  readonly files: IBucket;
  readonly logs: IBucket;

  constructor(scope: Construct, id: string, { logRetention }: { readonly logRetention: RetentionDays }) {
    super(scope, id);
    const files = new Bucket(this, 'Files', { ...COMMON, objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED });
    const logs = new Bucket(this, 'Logs', {
      ...COMMON,
      // CloudFront needs an access control list to write its log.
      objectOwnership: ObjectOwnership.BUCKET_OWNER_PREFERRED,
      lifecycleRules: [{ expiration: Duration.days(logRetention) }],
    });
    Validations.of(files).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'CloudFront alone reads it, whose own log tells of each request; what is in it is public.',
    });
    Validations.of(logs).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'It holds a log itself, which CloudFront alone writes and the platform team reads.',
    });
    this.files = files as IBucket;
    this.logs = logs as IBucket;
  }
}
