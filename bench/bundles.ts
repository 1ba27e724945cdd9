import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { BUNDLING, ROOT } from '../lib/bundling.ts';

/** A file that was bundled as the functions are. */
export interface Bundle {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  /** What share each package has in it, in bytes; `own` is code of this repository. */
  readonly packages: ReadonlyMap<string, number>;
}

/** What a bundle is made of: a file of this repository, or lines of code. */
export type Entry = { readonly file: string; readonly hasCommonJs?: boolean } | { readonly code: string };

/** Libraries in CommonJS, which the peer has, ask for `require`; an ES module has none unless it makes one. */
const REQUIRE = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";

/** Bundles an entry with the settings of the stack. */
export async function bundleOf(name: string, entry: Entry, directory: string): Promise<Bundle> {
  const outfile = join(directory, name, 'index.mjs');
  const { metafile } = await build({
    ...BUNDLING,
    ...('file' in entry
      ? { entryPoints: [entry.file], ...(entry.hasCommonJs && { banner: { js: REQUIRE } }) }
      : { stdin: { contents: entry.code, resolveDir: ROOT, loader: 'ts' } }),
    mainFields: [...BUNDLING.mainFields],
    external: [...BUNDLING.external],
    absWorkingDir: ROOT,
    outfile,
    bundle: true,
    metafile: true,
    logLevel: 'silent',
  });
  const content = await readFile(outfile);
  return {
    name,
    file: outfile,
    bytes: content.length,
    gzipBytes: gzipSync(content).length,
    packages: packagesOf(metafile),
  };
}

function packagesOf({ outputs }: Metafile): Map<string, number> {
  const packages = new Map<string, number>();
  const output = Object.values(outputs).find(({ entryPoint }) => entryPoint !== undefined);
  for (const [input, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
    const [, name = 'own'] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input) ?? [];
    packages.set(name, (packages.get(name) ?? 0) + bytesInOutput);
  }
  return packages;
}
