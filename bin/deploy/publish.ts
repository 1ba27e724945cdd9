import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PAGE, servedAs, type AppFiles } from '../../lib/portal/app-files.ts';
import type { Deployer } from './deployer.ts';

/** Where a portal's files go. */
export interface Destination {
  readonly bucket: string;
  readonly region: string;
  readonly deployer: Deployer;
}

/**
 * Puts an app into place: first the files whose names hold their hash, beside those of earlier versions, so that a page
 * which is open goes on to work; then the page, which names them. Rejects before that when one of them fails: the page of
 * before then stays, whole. To do it again, or two of them at once, does no harm: a name has one content only.
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
