import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/** Path of the API reference page. */
export const DOCS_PATH = '/docs';

/** Answers a request of the development server's own pages; undefined: it is none of theirs. */
export type Pages = (request: IncomingMessage) => Promise<APIGatewayProxyStructuredResultV2> | undefined;

interface Page {
  readonly type: string;
  /** The text to serve to a caller who reached this server as `origin`. */
  read(origin: string): Promise<string>;
}

const METHODS = ['GET', 'HEAD'];
/** Scripts and styles are files of this server, so that nothing written into the page can run. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
/** The page holds a key: no other origin may read, embed or script it, and no cache may keep it. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};
const NOT_INSTALLED =
  'The API reference needs packages that this installation left out. Run `npm ci` and reload this page.\n' +
  'The gateway works without them; its contract is in openapi.yaml.\n';

const require = createRequire(import.meta.url);

/**
 * The API reference, `/docs`, and the contract that it shows, `/openapi.json`: on the development server only. Reads
 * its files and packages when they are asked for, so that a start neither waits for them nor needs them.
 */
export function docs(demoKey: () => string | undefined): Pages {
  const pages = new Map<string, Page>([
    [DOCS_PATH, { type: 'text/html', read: () => pageWith({ key: demoKey() }) }],
    [`${DOCS_PATH}/page.mjs`, { type: 'text/javascript', read: () => own('page.mjs') }],
    [`${DOCS_PATH}/page.css`, { type: 'text/css', read: () => own('page.css') }],
    [`${DOCS_PATH}/swagger-ui-bundle.js`, { type: 'text/javascript', read: () => renderer('swagger-ui-bundle.js') }],
    [`${DOCS_PATH}/swagger-ui.css`, { type: 'text/css', read: () => renderer('swagger-ui.css') }],
    ['/openapi.json', { type: 'application/json', read: contract }],
  ]);
  return (request) => {
    const page = pages.get((request.url ?? '/').split('?', 1)[0] ?? '');
    return page && answer(request, page);
  };
}

async function answer(request: IncomingMessage, page: Page): Promise<APIGatewayProxyStructuredResultV2> {
  const { host = '' } = request.headers;
  const { localPort = 0 } = request.socket;
  // A name that someone else's DNS points at this machine would make this page theirs (DNS rebinding).
  if (!loopbackHosts(localPort).includes(host)) {
    return text(403, `This page is for this machine only. Open http://127.0.0.1:${localPort}${DOCS_PATH}\n`);
  }
  if (!METHODS.includes(request.method ?? '')) {
    return text(405, 'This page can only be read.\n', { Allow: METHODS.join(', ') });
  }
  try {
    return text(200, await page.read(`http://${host}`), { 'Content-Type': `${page.type}; charset=utf-8` });
  } catch (error) {
    if (!isMissingPackage(error)) throw error;
    return text(503, NOT_INSTALLED);
  }
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

/** What a browser sends as `Host` to this machine by its own names. */
const loopbackHosts = (port: number): string[] =>
  ['127.0.0.1', 'localhost'].map((name) => (port === 80 ? name : `${name}:${port}`));

/** The page, with its settings where no other origin can read them: a script could be included from anywhere. */
async function pageWith(settings: { readonly key: string | undefined }): Promise<string> {
  require.resolve('swagger-ui-dist/package.json');
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
  return (await own('page.html')).replace('{{settings}}', () => json);
}

/** openapi.yaml as JSON, with the address by which the caller reached this server as its only one. */
async function contract(origin: string): Promise<string> {
  const { parse } = await import('yaml');
  const yaml = await readFile(new URL('../openapi.yaml', import.meta.url), 'utf8');
  return JSON.stringify({ ...(parse(yaml) as object), servers: [{ url: origin, description: 'npm start' }] }, null, 2);
}

const own = (name: string): Promise<string> => readFile(new URL(`docs/${name}`, import.meta.url), 'utf8');
const renderer = (name: string): Promise<string> => readFile(require.resolve(`swagger-ui-dist/${name}`), 'utf8');

/** Whether a package, not a file of ours, is absent: CommonJS and ES modules name it differently. */
const isMissingPackage = (error: unknown): boolean =>
  ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'].includes((error as NodeJS.ErrnoException).code ?? '');
