import { Duration } from 'aws-cdk-lib';
import { ObjectOwnership, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ownBucket } from '../own-bucket.ts';

/** The buckets for the web app's files and for CloudFront's log. */
export class PortalSite extends Construct {
  readonly files: IBucket;
  readonly logs: IBucket;

  constructor(scope: Construct, id: string, { logRetention }: { readonly logRetention: RetentionDays }) {
    super(scope, id);
    this.files = ownBucket(
      this,
      'Files',
      'CloudFront alone reads it, whose own log tells of each request; what is in it is public.',
      { objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED },
    );
    this.logs = ownBucket(
      this,
      'Logs',
      'It holds a log itself, which CloudFront alone writes and the platform team reads.',
      {
        // CloudFront needs an access control list to write its log.
        objectOwnership: ObjectOwnership.BUCKET_OWNER_PREFERRED,
        lifecycleRules: [{ expiration: Duration.days(logRetention) }],
      },
    );
  }
}
