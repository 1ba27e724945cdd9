import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Pages } from './http-server.ts';

/** Path that leads to the documentation. */
const DOCS_PATH = '/docs';
/** Path of the contract as JSON. */
const CONTRACT_PATH = '/openapi.json';

const METHODS = ['GET', 'HEAD'];
/** None of these pages runs scripts, or is for another origin. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** The address of the gateway's documentation: in its portal; without a portal, the contract. */
export const docsAddress = (gatewayUrl: string, portalOrigin: string | undefined): string =>
  portalOrigin === undefined ? gatewayUrl + CONTRACT_PATH : portalOrigin + DOCS_PATH;

/**
 * `/docs`, which redirects to the portal's documentation, and the contract for tools, `/openapi.json`: only on the
 * development server.
 */
export function docs(portalOrigin: () => string | undefined): Pages {
  return (request) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    return path === DOCS_PATH || path === CONTRACT_PATH ? answer(request, path, portalOrigin()) : undefined;
  };
}

async function answer(
  { method = '', socket }: IncomingMessage,
  path: string,
  portalOrigin: string | undefined,
): Promise<APIGatewayProxyStructuredResultV2> {
  if (!METHODS.includes(method)) return text(405, 'This can only be read.\n', { Allow: METHODS.join(', ') });
  // The `Host` of the request is not used: it could be a name that another person's DNS points to this machine.
  const gatewayUrl = `http://127.0.0.1:${socket.localPort}`;
  if (path === CONTRACT_PATH) return text(200, await contract(gatewayUrl), { 'Content-Type': 'application/json' });
  const Location = docsAddress(gatewayUrl, portalOrigin);
  return text(302, `The documentation is at ${Location}\n`, { Location });
}

const text = (
  statusCode: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...HEADERS, ...headers },
  body,
});

/** openapi.yaml as JSON, with this server as its only one. */
async function contract(url: string): Promise<string> {
  const { load } = await import('js-yaml');
  const yaml = await readFile(new URL('../openapi.yaml', import.meta.url), 'utf8');
  return JSON.stringify({ ...(load(yaml) as object), servers: [{ url, description: 'npm start' }] }, null, 2);
}
