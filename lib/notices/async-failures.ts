import { CfnEventInvokeConfig, type IAlias } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

/** As long as Lambda keeps an asynchronous event. */
const SIX_HOURS_IN_SECONDS = 21_600;

/**
 * Bounces, complaints and the hourly run come asynchronously. One that fails three times within six hours goes into
 * the bucket of failures, with its event. The function's role may write there already.
 */
export const keepAsyncFailures = (scope: Construct, live: IAlias, failures: IBucket): CfnEventInvokeConfig =>
  new CfnEventInvokeConfig(scope, 'AsyncFailures', {
    functionName: live.version.lambda.functionName,
    qualifier: live.aliasName,
    maximumEventAgeInSeconds: SIX_HOURS_IN_SECONDS,
    maximumRetryAttempts: 2,
    destinationConfig: { onFailure: { destination: failures.bucketArn } },
  });
