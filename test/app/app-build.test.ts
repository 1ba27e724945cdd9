import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildApp } from '../../portal/build/app-build.ts';
import { GUIDE_NAMES } from '../../portal/build/guides.ts';
import { isFile, readApp, servedAs } from '../../lib/portal/app-files.ts';
import { clientFiles } from '../../portal/build/client-packages.ts';
import { PYTHON_PACKAGE, TYPESCRIPT_PACKAGE } from '../../portal/gateway/packages.ts';
import { leaksOfBuild, plantSecrets } from '../support/secrets/build.ts';

/** The size limit of the first page, with script and style, as a browser fetches them; and with the landing page. */
const FIRST_PAGE_BYTES = 150_000;
const LANDING_BYTES = 160_000;

/** The size limit of its fonts. */
const FONT_BYTES = 60_000;

/** The size limit of what the page of usage adds, with its charts: its script and the imports. */
const CHARTS_BYTES = 60_000;

const cache = mkdtempSync(join(tmpdir(), 'portal-'));
afterAll(() => rmSync(cache, { recursive: true }));

let directory: string;
let page: string;
beforeAll(async () => {
  plantSecrets();
  // Two at the same time, like two starts of the same clone.
  const [first, second] = await Promise.all([buildApp(cache), buildApp(cache)]);
  expect(second).toBe(first);
  directory = first;
  page = readFileSync(join(directory, 'index.html'), 'utf8');
});

const linked = (): string[] => [...page.matchAll(/(?:href|src)="([^"]+)"/g)].flatMap(([, address]) => address ?? []);

test('builds at once leave one whole app and nothing else', () => {
  expect(readdirSync(cache)).toHaveLength(1);
});

test('no file holds a secret of the machine that built it', () => {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const texts = files.filter((name) => statSync(join(directory, name)).isFile());
  expect(texts.length).toBeGreaterThan(10);
  expect(texts.flatMap((name) => leaksOfBuild(name, readFileSync(join(directory, name), 'latin1')))).toEqual([]);
});

test('the page names only files that are there, root-relative and with a hash in their names', () => {
  expect(linked().length).toBeGreaterThan(3);
  for (const address of linked()) {
    expect(address).toMatch(/^\/assets\/[a-z-]+-[0-9A-Za-z]{8}\.(js|css|svg|woff2)$/);
    expect(statSync(join(directory, address)).isFile()).toBe(true);
  }
});

test('nothing is written into the page that a strict policy would refuse', () => {
  expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]* src=)|\{\{|<!-- chunks/);
});

test('the packages of the client libraries are those that the page names, and no clock changes them', async () => {
  const files = await readApp(directory);
  const index = JSON.parse(String(files.get('/clients/index.json'))) as { packages: object[] };
  expect(index.packages).toEqual([
    { language: 'typescript', ...TYPESCRIPT_PACKAGE },
    { language: 'python', ...PYTHON_PACKAGE },
  ]);
  for (const { file, sha256 } of [TYPESCRIPT_PACKAGE, PYTHON_PACKAGE]) {
    const bytes = files.get(`/clients/${file}`) ?? '';
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    // So another content has another address, and one that a lockfile names never changes.
    expect(file).toMatch(new RegExp(`^${sha256.slice(0, 12)}/sandbox[-_]gateway-[\\w.-]+$`));
    expect(servedAs(`/clients/${file}`).caching).toMatch(/immutable$/);
  }
  expect(servedAs('/clients/index.json').caching).toBe('no-cache');
  const again = await clientFiles();
  for (const [path, bytes] of again) expect(files.get(path)?.equals(Buffer.from(bytes))).toBe(true);
});

test('what programs read is beside the page: the documentation, the contract, and the catalog that leads to both', async () => {
  const files = await readApp(directory);
  const plain = [...files.keys()].filter((path) => !path.startsWith('/assets/')).sort();
  const types = new Map(plain.map((path) => [path, servedAs(path).type]));
  const docs = GUIDE_NAMES.toSorted().map((name) => `/docs/${name}.md`);
  expect(types).toEqual(
    new Map([
      ['/.well-known/api-catalog', 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'],
      ['/clients/index.json', 'application/json'],
      [`/clients/${TYPESCRIPT_PACKAGE.file}`, 'application/gzip'],
      [`/clients/${PYTHON_PACKAGE.file}`, 'application/zip'],
      ...docs.map((path) => [path, 'text/markdown; charset=utf-8'] as const),
      ['/index.html', 'text/html; charset=utf-8'],
      ['/llms.txt', 'text/plain; charset=utf-8'],
      ['/manage.yaml', 'application/yaml'],
      ['/openapi.yaml', 'application/yaml'],
    ]),
  );
  expect(plain.filter((path) => path !== '/index.html' && !isFile(path))).toEqual([]);
  expect(files.get('/openapi.yaml')).toEqual(readFileSync('openapi.yaml'));
  const catalog = JSON.parse(String(files.get('/.well-known/api-catalog'))) as { linkset: object[] };
  const [index, api] = catalog.linkset;
  expect(index).toMatchObject({
    anchor: '/.well-known/api-catalog',
    item: [{ href: '/docs/reference' }, { href: '/manage/v1' }],
  });
  expect(api).toMatchObject({
    anchor: '/docs/reference',
    'service-desc': [{ href: '/openapi.yaml', type: 'application/yaml' }],
    'service-doc': [{ href: '/docs' }, { href: '/llms.txt' }],
  });
});

const compressed = (addresses: readonly string[]): number =>
  addresses.reduce((sum, address) => sum + gzipSync(readFileSync(join(directory, address))).length, 0);
const firstFiles = (): string[] => linked().filter((address) => /\.(js|css)$/.test(address));

test('the first page is light, and few files: its own, what later pages share with it, and what runs before it is drawn', () => {
  expect(firstFiles().filter((address) => address.endsWith('.js'))).toHaveLength(3);
  expect(compressed(firstFiles())).toBeLessThanOrEqual(FIRST_PAGE_BYTES);
});

test('its fonts are light, are its own, and are asked for with the page', () => {
  const fonts = linked().filter((address) => address.endsWith('.woff2'));
  const weights = fonts.map((address) => statSync(join(directory, address)).size);
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(FONT_BYTES);
  const [style = ''] = linked().filter((address) => address.endsWith('.css'));
  const named = [...readFileSync(join(directory, style), 'utf8').matchAll(/url\("?([^")]+\.woff2)/g)].map(
    ([, url]) => url,
  );
  expect(fonts.toSorted()).toEqual(named.toSorted());
  expect(fonts).toHaveLength(2);
});

/** The files that a later page adds to the first ones: its script and the imports. */
function addedBy(name: string): string[] {
  const [page = ''] = readdirSync(join(directory, 'assets')).filter((file) =>
    new RegExp(`^${name}-\\w+\\.js$`).test(file),
  );
  const files = new Set([`/assets/${page}`]);
  for (const file of files) {
    for (const [, address = ''] of read(file).matchAll(/(?:from|import)"(\/assets\/[\w.-]+\.js)"/g)) files.add(address);
  }
  return [...files].filter((file) => !firstFiles().includes(file));
}
const read = (address: string): string => readFileSync(join(directory, address), 'utf8');

test('the page of who is not signed in is light with all that it loads', () => {
  const added = addedBy('landing');
  expect(added.length).toBeGreaterThan(1);
  expect(compressed([...firstFiles(), ...added])).toBeLessThanOrEqual(LANDING_BYTES);
});

test('charts are light, and come with the page that draws them, not before', () => {
  const added = addedBy('usage');
  expect(added.length).toBeGreaterThan(1);
  expect(compressed(added)).toBeLessThanOrEqual(CHARTS_BYTES);
  // visx uses this prefix for its elements.
  const isChart = (file: string): boolean => read(file).includes('visx-');
  expect([added.some(isChart), firstFiles().some(isChart)]).toEqual([true, false]);
});

test('no page that loads later brings styles of its own, which nothing would load', () => {
  expect(readdirSync(join(directory, 'assets')).filter((name) => name.endsWith('.css'))).toHaveLength(1);
});
