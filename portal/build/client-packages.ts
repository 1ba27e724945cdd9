import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zipSync, type Zippable } from 'fflate';
import { parse } from 'smol-toml';
import { ROOT } from '../../lib/bundling.ts';
import { PACKAGES } from '../../lib/portal/app-files.ts';

/** A client library as the portal serves it. */
export interface ClientPackage {
  readonly name: string;
  readonly version: string;
  /** Its file below `/clients/` of the portal, in a folder named by the beginning of its SHA-256. */
  readonly file: string;
  /** Of the file, in hexadecimal digits. */
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** The folder of a library's sources. */
export const CLIENTS = { typescript: 'clients/typescript', python: 'clients/python' } as const;

/** The files of a folder that are packed, in a fixed order, so that the same content has the same SHA-256. */
const filesOf = async (folder: string, patterns: readonly string[]): Promise<(readonly [string, Uint8Array])[]> => {
  const cwd = join(ROOT, folder);
  const found = globSync([...patterns], { cwd, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = found.map(({ parentPath, name }) => join(parentPath, name).slice(cwd.length + 1)).sort();
  return Promise.all(paths.map(async (path) => [path, await readFile(join(cwd, path))] as const));
};

/** Of the digits of its SHA-256, in the address of a package. */
const DIGITS_OF_FOLDER = 12;
const packed = (name: string, version: string, file: string, bytes: Uint8Array): ClientPackage => {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { name, version, file: `${sha256.slice(0, DIGITS_OF_FOLDER)}/${file}`, sha256, bytes };
};

/** The package for npm: what `npm pack` packs. The library must have been built (`makeGenerated`). */
export async function npmPackage(): Promise<ClientPackage> {
  // Not what an older version left there.
  const modules = globSync('*.ts', { cwd: join(ROOT, CLIENTS.typescript, 'src') }).map((each) =>
    each.slice(0, -'.ts'.length),
  );
  const built = modules.flatMap((module) => [`dist/${module}.js`, `dist/${module}.d.ts`]);
  const files = await filesOf(CLIENTS.typescript, ['package.json', '*.md', ...built]);
  const manifest = Buffer.from(files.find(([path]) => path === 'package.json')?.[1] ?? []).toString();
  const { name, version } = JSON.parse(manifest) as { name: string; version: string };
  const archive = Buffer.concat([...files.map(([path, content]) => tarEntry(`package/${path}`, content)), TAR_END]);
  return packed(name, version, `${name}-${version}.tgz`, gzipSync(archive, { mtime: 0, level: 9 }));
}

const TAR_BLOCK_BYTES = 512;
const TAR_END = Buffer.alloc(2 * TAR_BLOCK_BYTES);

/** A file in an archive of the format ustar (POSIX.1-1988), which belongs to nobody and was changed never. */
function tarEntry(path: string, content: Uint8Array): Buffer {
  const header = Buffer.alloc(TAR_BLOCK_BYTES);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(path, 0, 100);
  header.write([octal(0o644, 7), octal(0, 7), octal(0, 7), octal(content.length, 11), octal(0, 11)].join(''), 100);
  // The checksum is of the header with spaces in its place.
  header.write('        0', 148);
  header.write('ustar\u000000', 257);
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte),
      6,
    )} `,
    148,
  );
  return Buffer.concat([header, content, Buffer.alloc(-content.length & (TAR_BLOCK_BYTES - 1))]);
}

interface PythonProject {
  readonly name: string;
  readonly description: string;
  readonly 'requires-python': string;
  readonly license: { readonly text: string };
  readonly classifiers?: readonly string[];
  readonly dependencies?: readonly string[];
}

/** The module of the page with what it tells of the packages. */
export async function packagesModule(): Promise<string> {
  const factsOf = ({ bytes: _, ...facts }: ClientPackage): string => JSON.stringify(facts, null, 2);
  return `// Generated from clients/.
export interface ClientPackage {
  readonly name: string;
  readonly version: string;
  /** Its file below \`/clients/\` of the portal, in a folder named by its sum. */
  readonly file: string;
  /** Of the file. */
  readonly sha256: string;
}
export const TYPESCRIPT_PACKAGE: ClientPackage = ${factsOf(await npmPackage())};
export const PYTHON_PACKAGE: ClientPackage = ${factsOf(await wheel())};
`;
}

/**
 * The files below `/clients/` of the portal, by their paths: the packages, and for programs the newest of each.
 */
export async function clientFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const packages = { typescript: await npmPackage(), python: await wheel() };
  const index = Object.entries(packages).map(([language, { bytes: _, ...facts }]) => ({ language, ...facts }));
  return new Map([
    ...Object.values(packages).map(({ file, bytes }) => [PACKAGES + file, bytes] as const),
    [`${PACKAGES}index.json`, Buffer.from(`${JSON.stringify({ packages: index }, null, 2)}\n`)],
  ]);
}

/** The wheel for pip (Python Packaging, "Binary distribution format"), as a build of `pyproject.toml` makes it. */
export async function wheel(): Promise<ClientPackage> {
  const text = (path: string): Promise<string> => readFile(join(ROOT, CLIENTS.python, path), 'utf8');
  const { project } = parse(await text('pyproject.toml')) as unknown as { project: PythonProject };
  const module = project.name.replaceAll('-', '_');
  const version = /"(.+)"/.exec(await text(`${module}/_version.py`))?.[1] ?? '';
  const info = `${module}-${version}.dist-info`;
  const metadata = [
    ['Metadata-Version', '2.1'],
    ['Name', project.name],
    ['Version', version],
    ['Summary', project.description],
    ['License', project.license.text],
    ...(project.classifiers ?? []).map((classifier) => ['Classifier', classifier]),
    ['Requires-Python', project['requires-python']],
    ...(project.dependencies ?? []).map((requirement) => ['Requires-Dist', requirement]),
    ['Description-Content-Type', 'text/markdown'],
  ];
  const lines = metadata.map(([name, value]) => `${name}: ${value}\n`).join('');
  const files: (readonly [string, Uint8Array])[] = [
    ...(await filesOf(CLIENTS.python, [`${module}/**/*.py`, `${module}/py.typed`])),
    [`${info}/METADATA`, Buffer.from(`${lines}\n${await text('README.md')}`)],
    [`${info}/WHEEL`, Buffer.from('Wheel-Version: 1.0\nGenerator: fflate\nRoot-Is-Purelib: true\nTag: py3-none-any\n')],
  ];
  const digest = (content: Uint8Array): string => createHash('sha256').update(content).digest('base64url');
  const rows = files.map(([path, content]) => `${path},sha256=${digest(content)},${content.length}\n`);
  const record = [`${info}/RECORD`, Buffer.from(`${rows.join('')}${info}/RECORD,,\n`)] as const;
  const archive: Zippable = Object.fromEntries([...files, record]);
  // The first time that a zip can have, by the clock of any place.
  const bytes = zipSync(archive, { mtime: new Date(1980, 0, 1), level: 9 });
  return packed(project.name, version, `${module}-${version}-py3-none-any.whl`, bytes);
}
