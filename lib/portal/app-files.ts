import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { CACHING } from './page-headers.ts';

/** The answer to every path without a file. */
export const PAGE = '/index.html';
/** Every file below has its hash in its name. */
export const ASSETS = '/assets/';
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.yaml': 'application/yaml',
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

/** The content type of a file, and how long it may be cached. */
export const servedAs = (path: string): { readonly type: string; readonly caching: string } => ({
  type: TYPES[extname(path)] ?? 'application/octet-stream',
  caching: path.startsWith(ASSETS) ? CACHING.hashed : CACHING.page,
});
