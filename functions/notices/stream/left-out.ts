import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { NoticesDependencies } from '../dependencies.ts';

const ATTEMPT_MS = 3_000;
const MAX_ATTEMPTS = 2;

/**
 * Keeps events in the bucket of failures, one object each. A repeat replaces its object.
 * @param bucket undefined: there is none, as on a developer's machine, where the log is all
 */
export function leftOutKeeper(bucket: string | undefined): NoticesDependencies['keepLeftOut'] {
  if (bucket === undefined) return () => Promise.resolve();
  const client = new S3Client({
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: { connectionTimeout: ATTEMPT_MS, requestTimeout: ATTEMPT_MS, throwOnRequestTimeout: true },
  });
  return async (name, event) => {
    const Key = `left-out/${name}.json`;
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: JSON.stringify(event) }));
  };
}
