import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { CACHING, CATALOG_PATH } from './page-headers.ts';
import { SECURITY_PATH } from './security-text.ts';

/** The answer to every path without a file. */
export const PAGE = '/index.html';
/** Every file below has its hash in its name. */
export const ASSETS = '/assets/';
/** The client libraries; `index.json` in it names the newest. */
export const PACKAGES = '/clients/';
/** Each in a folder named by its SHA-256: an address, which a lockfile keeps, never changes its content. */
export const PACKAGE_FILES = `${PACKAGES}*/*`;
/** The files for programs, under addresses that never change. The patterns are in CloudFront's form. */
export const PLAIN_FILES = [
  '/docs/*.md',
  '/llms.txt',
  '/openapi.yaml',
  '/manage.yaml',
  CATALOG_PATH,
  SECURITY_PATH,
  `${PACKAGES}index.json`,
] as const;
/** The content types, by path or by the end of a name. */
export const TYPES: Readonly<Record<string, string>> = {
  [CATALOG_PATH]: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
  '.txt': 'text/plain; charset=utf-8',
  '.whl': 'application/zip',
  '.woff2': 'font/woff2',
  '.yaml': 'application/yaml',
};

/** The files of the app by their paths, such as `/index.html`. */
export type AppFiles = ReadonlyMap<string, Buffer>;

/** Reads a built app, as `buildApp` leaves it. */
export async function readApp(directory: string): Promise<AppFiles> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file)));
  return new Map(files.map((file, i) => [`/${relative(directory, file)}`, contents[i] as Buffer]));
}

const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(path);

/** Whether a path is that of a file, existing or not. Every other path is that of a page. */
export const isFile = (path: string): boolean =>
  [`${ASSETS}*`, `${PACKAGES}*`, ...PLAIN_FILES].some((pattern) => matches(pattern, path));

/** The content type of a file, or of those of a pattern, and how long it may be cached. */
export const servedAs = (path: string): { readonly type: string; readonly caching: string } => ({
  type: TYPES[path] ?? TYPES[extname(path)] ?? 'application/octet-stream',
  caching: [`${ASSETS}*`, PACKAGE_FILES].some((pattern) => matches(pattern, path)) ? CACHING.hashed : CACHING.page,
});
