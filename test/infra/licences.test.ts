import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { bundleFunction, ENTRY_POINTS, type BundledFunction } from '../../lib/function-bundle.ts';
import { bundleApp } from '../../portal/build/app-bundle.ts';

/** Licences that only require attribution. */
const FREE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'Unlicense'];
/** For fonts, which are served unchanged: it forbids selling them alone, and using their names for changed ones. */
const OF_FONTS = ['geist', 'geist-mono'].map((font) => `node_modules/@fontsource-variable/${font} OFL-1.1`);

test('what is deployed has no licence that asks for more than to be named, but that of the fonts', async () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Readonly<Record<string, { readonly license?: string }>>;
  };
  const directory = await mkdtemp(join(tmpdir(), 'licences-'));
  const bundled = Object.keys(ENTRY_POINTS).map((name) =>
    bundleFunction(name as BundledFunction, join(directory, name)),
  );
  const metafiles = [...bundled, await bundleApp(join(directory, 'app'))];
  await rm(directory, { recursive: true });
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) => Object.entries(output.inputs)),
  );
  const paths = inputs.flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (/^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []) : [],
  );
  const licences = [...new Set(paths)].map((path) => [path, packages[path]?.license ?? 'none'] as const);
  expect(licences.length).toBeGreaterThan(30);
  const others = licences.filter(([, licence]) => !FREE.includes(licence)).map((found) => found.join(' '));
  expect(others.sort()).toEqual(OF_FONTS);
});
