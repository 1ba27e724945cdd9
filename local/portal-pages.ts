import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { isFile, PAGE, servedAs, type AppFiles } from '../lib/portal-app/app-files.ts';
import { CACHING, pageHeaders } from '../lib/portal/page-headers.ts';
import type { Pages } from './docs.ts';

const METHODS = ['GET', 'HEAD'];
const TEXT = 'text/plain; charset=utf-8';

/**
 * The portal's app as CloudFront serves it: its files, 404 for a missing file, and the page for every
 * other path, so that each view has its own address.
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
    // Cookies belong to one name of this machine: a sign-in under another name would fail.
    if (otherNames.includes(headers.host ?? '')) return text(307, '', { Location: portalOrigin + url });
    // A page under a name that another person's DNS points to this machine could read this page (DNS rebinding).
    if (headers.host !== host) return text(403, `The portal is at ${portalOrigin} only.\n`);
    if (!METHODS.includes(method)) return text(405, 'This page can only be read.\n', { Allow: METHODS.join(', ') });
    const files = await app;
    const [path = '/'] = url.split('?', 1);
    const found = files.has(path) ? path : PAGE;
    if (isFile(path) && found !== path) return text(404, 'There is no such file.\n');
    const { type, caching } = servedAs(found);
    return {
      statusCode: 200,
      headers: { ...common, 'Content-Type': type, 'Cache-Control': caching },
      body: (files.get(found) ?? Buffer.alloc(0)).toString('base64'),
      isBase64Encoded: true,
    };
  };
  return answer;
}
