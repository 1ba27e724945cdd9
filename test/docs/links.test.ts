import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const CONFIG = new URL('../../jest.config.mjs', import.meta.url).pathname;
const { ONLY_IN_FULL } = (await import(CONFIG)) as { readonly ONLY_IN_FULL: readonly string[] };
const PAGES = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const FOLDERS = ['bench', 'bin', 'examples', 'functions', 'lib', 'local', 'portal', 'test'];
const CODE = [
  ...FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ),
  ...readdirSync('.'),
].filter((path) => /\.(ts|tsx|mjs|sh|css|html|yaml)$/.test(path));

const read = (path: string): string => readFileSync(path, 'utf8');
/** Every match in a text: the groups of the pattern, with the path. */
const found = (path: string, text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([, ...parts]) => ({ path, parts }));

/** A page without its code blocks. */
const proseOf = (page: string): string => read(page).replaceAll(/^```[^]*?^```$/gm, '');
const headingsOf = (page: string): string[] =>
  found(page, proseOf(page), /^#+ (.+)$/gm).map(({ parts: [heading = ''] }) => heading);
/** The anchor of a heading in GitHub's form. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/** Whether the target of a link exists: a file, and a heading in it. */
function isThere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  return existsSync(target) && (anchor === undefined || headingsOf(target).map(anchorOf).includes(anchor));
}

describe('the documentation', () => {
  test('links to files and headings that are there', () => {
    const links = PAGES.flatMap((page) => found(page, proseOf(page), /\]\((?!https?:)([^)\s]+)\)/g));
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter(({ path, parts: [link = ''] }) => !isThere(path, link))).toEqual([]);
  });

  test.each(PAGES)('%s: no two headings have the same anchor', (page) => {
    const anchors = headingsOf(page).map(anchorOf);
    expect(anchors).toEqual([...new Set(anchors)]);
  });

  test('marks the tests of a promise that only a full run tries', () => {
    const tests = found('promises', read('docs/promises.md'), /`([a-z0-9-]+(?:\/[a-z0-9-]+)+)`(°?)/g)
      .map(({ parts: [name = '', mark = ''] }) => ({ name, mark }))
      .filter(({ name }) => existsSync(`test/${name}.test.ts`));
    expect(tests.length).toBeGreaterThan(100);
    expect(tests.filter(({ name, mark }) => ONLY_IN_FULL.includes(name) !== (mark === '°'))).toEqual([]);
  });

  test('begins at the README: two commands and a way to every page, in at most 150 lines', () => {
    const readme = read('README.md');
    expect(readme).toMatch(/^npm ci && npm start /m);
    expect(readme).toMatch(/^npm ci && npm test /m);
    expect(PAGES.slice(1).filter((page) => !page.startsWith('docs/api/') && !readme.includes(`](${page})`))).toEqual(
      [],
    );
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });
});

describe('comments', () => {
  const comments = CODE.map((path) => {
    const lines = read(path).split('\n');
    return { path, text: lines.filter((line) => /^\s*(\/\*|\*|\/\/|#)/.test(line)).join('\n') };
  });
  const inComments = (pattern: RegExp) => comments.flatMap(({ path, text }) => found(path, text, pattern));

  test('cite pages and headings that are there', () => {
    const cited = inComments(/(README(?:\.md)?|docs\/[\w-]+\.md)(?:, "([^"]+)")?/g);
    expect(cited.length).toBeGreaterThan(10);
    const lost = cited.filter(({ parts: [page = '', heading] }) => {
      const path = page === 'README' ? 'README.md' : page;
      return !existsSync(path) || (heading !== undefined && !headingsOf(path).includes(heading));
    });
    expect(lost).toEqual([]);
  });

  test('cite sections of RFCs and of OpenID Connect and headings of pages, none of a document that is not here', () => {
    const sections = inComments(/([^\s(]+ [^\s(]+), section \d/g);
    expect(sections.length).toBeGreaterThan(10);
    expect(sections.filter(({ parts: [source = ''] }) => !/^(?:RFC \d+|Connect Core)$/.test(source))).toEqual([]);
    expect(inComments(/(\b(?:design|specification), ["`])/gi)).toEqual([]);
  });
});
