import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ROOT } from '../../lib/bundling.ts';
import { makeGenerated } from './generated.ts';
import { APP_SOURCES, bundleApp } from './app-bundle.ts';

/** With the other caches: git ignores it, and `npm ci` empties it. */
const CACHE = join(ROOT, 'node_modules/.cache/portal');
/** The inputs of a build, in addition to the app's own files. */
const INGREDIENTS = [
  ...globSync(['docs/api/*.md', 'portal/build/*.ts'], { cwd: ROOT }),
  'lib/portal/page-headers.ts',
  'package-lock.json',
  'openapi.yaml',
];
const DIGEST_LENGTH = 16;

/**
 * Builds the web app, unless its sources are unchanged since the last build. Returns the directory. It has
 * `index.html`, which is the answer to every path of a page; `assets/`, whose names change with their contents; and the
 * files for programs. Builds of the same sources share a directory. A build appears there complete or not at all, so
 * parallel builds are safe.
 */
export async function buildApp(cache = CACHE): Promise<string> {
  await makeGenerated();
  const directory = join(cache, await digestOfSources());
  if (await isBuilt(directory)) return directory;
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(`${directory}.`);
  await bundleApp(unfinished);
  try {
    await rename(unfinished, directory);
  } catch (error) {
    // A parallel build was faster.
    await rm(unfinished, { recursive: true, force: true });
    if (!(await isBuilt(directory))) throw error;
  }
  return directory;
}

/** The digest of everything that a build depends on: another digest means another build. */
async function digestOfSources(): Promise<string> {
  const sources = globSync('**/*', { cwd: APP_SOURCES, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
  const files = [...sources, ...INGREDIENTS].sort();
  const contents = await Promise.all(files.map((file) => readFile(join(ROOT, file))));
  const hash = createHash('sha256');
  for (const [index, content] of contents.entries())
    hash.update(`${files[index]}\0${content.length}\0`).update(content);
  return hash.digest('hex').slice(0, DIGEST_LENGTH);
}

const isBuilt = (directory: string): Promise<boolean> =>
  stat(join(directory, 'index.html')).then(
    () => true,
    () => false,
  );
