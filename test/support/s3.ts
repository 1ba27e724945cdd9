import { startAwsService, type AwsService } from './aws-service.ts';
import { Refusal, whoSigned } from './door/signature.ts';

/** A received request to put an object. */
interface PutObject {
  readonly path: string;
  readonly type: unknown;
  readonly caching: unknown;
  /** The id of the access key that signed it. */
  readonly accessKeyId: string;
  readonly body: Buffer;
}

/** An S3 service that stores objects. */
export interface TestS3 extends AwsService {
  /** In the order of storing. */
  readonly stored: PutObject[];
  /** Other requests. */
  readonly others: string[];
  /** Objects with this text in their path are refused. */
  refused: string | undefined;
}

/** Plays `PutObject` of S3, for callers that sign. */
export async function startS3(): Promise<TestS3> {
  const service = await startAwsService(
    { 'Content-Type': 'application/xml', ETag: '"x"' },
    (request) => {
      const { method, target, headers, body } = request;
      const [path = ''] = target.split('?');
      if (s3.refused !== undefined && path.includes(s3.refused)) throw new Refusal('AccessDenied', 'Access Denied');
      const { accessKeyId } = whoSigned(request, { service: 's3' });
      const { 'content-type': type, 'cache-control': caching } = headers;
      if (method !== 'PUT') s3.others.push(`${method} ${path}`);
      else s3.stored.push({ path, type, caching, accessKeyId, body });
      return '';
    },
    ({ name, message }) => [403, `<Error><Code>${name}</Code><Message>${message}</Message></Error>`],
  );
  const s3: TestS3 = { ...service, stored: [], others: [], refused: undefined };
  return s3;
}
