import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { buildSync, type Metafile } from 'esbuild';
import { BUNDLING, ROOT } from './bundling.ts';

/** The entry point of each function. */
export const ENTRY_POINTS = {
  health: 'functions/gateway/health.ts',
  metered: 'functions/gateway/metered.ts',
  portal: 'functions/portal/handler.ts',
  notices: 'functions/notices/handler.ts',
} as const;
export type BundledFunction = keyof typeof ENTRY_POINTS;

/**
 * Writes the function of an entry point into a directory as one ES module, `index.mjs`, with its source map. The same
 * sources give the same bytes, in any directory.
 */
export function bundleFunction(name: BundledFunction, directory: string): Metafile {
  const { outputFiles, metafile } = buildSync({
    ...BUNDLING,
    mainFields: [...BUNDLING.mainFields],
    external: [...BUNDLING.external],
    entryPoints: [join(ROOT, ENTRY_POINTS[name])],
    absWorkingDir: ROOT,
    outfile: join(directory, 'index.mjs'),
    bundle: true,
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  mkdirSync(directory, { recursive: true });
  for (const { path, text } of outputFiles) {
    writeFileSync(path, path.endsWith('.map') ? fromRoot(text, directory) : text);
  }
  return metafile;
}

/**
 * A source map with paths from the root. Relative paths would differ for each output folder, and so the hash would
 * differ, too.
 */
function fromRoot(sourceMap: string, directory: string): string {
  const map = JSON.parse(sourceMap) as { sources: string[] };
  return JSON.stringify({ ...map, sources: map.sources.map((file) => relative(ROOT, resolve(directory, file))) });
}
