import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { received } from './door/judgement.ts';
import { Refusal, whoSigned } from './door/signature.ts';

/** A request to put an object, as it came. */
interface PutObject {
  readonly path: string;
  readonly type: string | undefined;
  readonly caching: string | undefined;
  /** Id of the access key that signed it. */
  readonly accessKeyId: string;
  readonly body: Buffer;
}

/** An S3 that takes objects. */
export interface TestS3 {
  readonly url: string;
  /** In the order in which they were stored. */
  readonly stored: PutObject[];
  /** What else was asked for. */
  readonly others: string[];
  /** Objects with this in their path are refused. */
  refused: string | undefined;
  close(): void;
}

/** Plays `PutObject` of S3 on a free port of this machine, to who signs for it. */
export async function startS3(): Promise<TestS3> {
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const [path = ''] = (request.url ?? '').split('?');
      const headers = { 'Content-Type': 'application/xml', ETag: '"x"' };
      try {
        if (s3.refused !== undefined && path.includes(s3.refused)) throw new Refusal('AccessDenied', 'Access Denied');
        const { accessKeyId } = whoSigned(received(request, body), { service: 's3' });
        const { 'content-type': type, 'cache-control': caching } = request.headers;
        if (request.method !== 'PUT') s3.others.push(`${request.method} ${path}`);
        else s3.stored.push({ path, type, caching, accessKeyId, body });
        response.writeHead(200, headers).end();
      } catch (error) {
        const { name, message } = error as Error;
        response.writeHead(403, headers).end(`<Error><Code>${name}</Code><Message>${message}</Message></Error>`);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const s3: TestS3 = { url, stored: [], others: [], refused: undefined, close: () => server.close() };
  return s3;
}
