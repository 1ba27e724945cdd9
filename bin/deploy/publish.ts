import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PAGE, servedAs, type AppFiles } from '../../lib/portal/app-files.ts';
import type { Deployer } from './deployer.ts';

/** The destination of a portal's files. */
export interface Destination {
  readonly bucket: string;
  readonly region: string;
  readonly deployer: Deployer;
}

/**
 * Uploads an app: first the files with a hash in their names, in addition to those of earlier versions, which open
 * pages still use; then the page, which names them. If a file fails, it rejects, and the old page stays. Repeated and
 * parallel uploads are safe: each name has only one content.
 */
export async function publishApp(files: AppFiles, { bucket, region, deployer }: Destination): Promise<void> {
  const client = new S3Client({ ...deployer, region });
  const put = async ([path, Body]: readonly [string, Buffer]): Promise<void> => {
    const { type, caching } = servedAs(path);
    const object = { Bucket: bucket, Key: path.slice(1), Body, ContentType: type, CacheControl: caching };
    await client.send(new PutObjectCommand(object));
  };
  const isPage = ([path]: readonly [string, Buffer]): boolean => path === PAGE;
  try {
    await Promise.all([...files].filter((file) => !isPage(file)).map(put));
    await Promise.all([...files].filter(isPage).map(put));
  } finally {
    client.destroy();
  }
}
