import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { CACHING, pageHeaders } from '../lib/portal/page-headers.ts';
import type { Pages } from './docs.ts';

const PAGE = '/index.html';
/** Everything below has its hash in its name. */
const ASSETS = '/assets/';
const METHODS = ['GET', 'HEAD'];
const TEXT = 'text/plain; charset=utf-8';
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The files of the app by their paths, such as `/index.html`. */
export type AppFiles = ReadonlyMap<string, Buffer>;

/** Reads a built app, as `buildApp` leaves it. */
export async function readApp(directory: string): Promise<AppFiles> {
  const assets = await readdir(join(directory, ASSETS));
  const paths = [PAGE, ...assets.map((name) => ASSETS + name)];
  const contents = await Promise.all(paths.map((path) => readFile(join(directory, path))));
  return new Map(paths.map((path, i) => [path, contents[i] as Buffer]));
}

/**
 * The portal's app, as CloudFront serves it: its files, the page for every other path, so that each view has an address
 * of its own, and 404 for a missing file below `/assets/`.
 */
export function portalPages(app: Promise<AppFiles>, portalOrigin: string, gatewayOrigin: string): Pages {
  const { host, port } = new URL(portalOrigin);
  const otherNames = [`127.0.0.1:${port}`, `[::1]:${port}`];
  const common = pageHeaders(gatewayOrigin);

  const text = (statusCode: number, body: string, headers: Readonly<Record<string, string>> = {}) => ({
    statusCode,
    headers: { ...common, 'Content-Type': TEXT, 'Cache-Control': CACHING.page, ...headers },
    body,
  });

  const answer = async ({
    url = '/',
    method = '',
    headers,
  }: IncomingMessage): Promise<APIGatewayProxyStructuredResultV2> => {
    // Cookies do not follow from one name of this machine to the other: the sign-in would not come back.
    if (otherNames.includes(headers.host ?? '')) return text(307, '', { Location: portalOrigin + url });
    // A name that someone else's DNS points at this machine would make this page theirs (DNS rebinding).
    if (headers.host !== host) return text(403, `The portal is at ${portalOrigin} only.\n`);
    if (!METHODS.includes(method)) return text(405, 'This page can only be read.\n', { Allow: METHODS.join(', ') });
    const files = await app;
    const [path = '/'] = url.split('?', 1);
    const isAsset = path.startsWith(ASSETS);
    const found = files.has(path) ? path : PAGE;
    if (isAsset && found !== path) return text(404, 'There is no such file.\n');
    return {
      statusCode: 200,
      headers: {
        ...common,
        'Content-Type': TYPES[extname(found)] ?? 'application/octet-stream',
        'Cache-Control': isAsset ? CACHING.hashed : CACHING.page,
      },
      body: (files.get(found) ?? Buffer.alloc(0)).toString('base64'),
      isBase64Encoded: true,
    };
  };
  return answer;
}
