import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { ROOT } from './bundling.ts';
import { bundleFunction, ENTRY_POINTS, type BundledFunction } from './function-bundle.ts';
import { bundleApp } from './portal-app/app-bundle.ts';

const WEB_APP = 'web app';

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** A component of a bill, as CycloneDX has it. */
export interface Component {
  readonly type: 'library';
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly { readonly expression: string }[];
  /** The bundles that contain code of it. */
  readonly properties: readonly { readonly name: 'bundle'; readonly value: string }[];
}

/** The content of the deployed bundles as a CycloneDX 1.6 document: packages whose code is in them. */
export async function billOfMaterials() {
  const { name, version } = packageAt('');
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name, version } },
    components: await components(),
  };
}

async function components(): Promise<Component[]> {
  const directory = await mkdtemp(join(tmpdir(), 'bill-of-materials-'));
  try {
    const functions = Object.keys(ENTRY_POINTS) as BundledFunction[];
    const bundles: [string, Metafile][] = functions.map((name) => [name, bundleFunction(name, join(directory, name))]);
    bundles.push([WEB_APP, await bundleApp(join(directory, WEB_APP))]);
    const names = new Map<string, string[]>();
    for (const [bundle, metafile] of bundles) {
      for (const path of packagesIn(metafile)) names.set(path, [...(names.get(path) ?? []), bundle]);
    }
    return [...names]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, inBundles]) => component(packageAt(path), inBundles));
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** The directories, from the root, of the packages with bytes in the output. */
function packagesIn({ outputs }: Metafile): Set<string> {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  return new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
}

const packageAt = (path: string): Package =>
  JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')) as Package;

const component = ({ name, version, license }: Package, bundles: readonly string[]): Component => ({
  type: 'library',
  name,
  version,
  purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  licenses: [{ expression: license }],
  properties: bundles.map((value) => ({ name: 'bundle', value })),
});
