import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const PORTAL = fileURLToPath(new URL('../../portal', import.meta.url));
const read = (file: string): string => readFileSync(join(PORTAL, file), 'utf8');
const sheets = globSync('**/*.css', { cwd: PORTAL });
const modules = sheets.filter((file) => file.endsWith('.module.css'));
const components = globSync('**/*.tsx', { cwd: PORTAL });
/** The widths that the page of tokens lists: a media query cannot use a token. */
const BREAKPOINT = /@(media|container) \(width < (640|720|960|1140)px\)/g;

test.each(sheets.filter((file) => file !== join('styles', 'tokens.css')))(
  '%s writes no colour, no size and no duration: it names tokens',
  (file) => {
    const text = read(file)
      .replace(BREAKPOINT, '')
      .replace(/\/\*[^]*?\*\//g, '');
    expect(
      text.match(/\b\d*\.?\d+(px|r?em|ch|pt|ms|s|d?vh|d?vw)\b|#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/gi),
    ).toBeNull();
  },
);

test('every token that a style sheet names is there, and each is used', () => {
  const tokens = read('styles/tokens.css');
  const defined = new Set([...tokens.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name]) => name));
  const used = new Set(
    sheets.flatMap((file) => [...read(file).matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name)),
  );
  expect([...used].filter((name) => !defined.has(name))).toEqual([]);
  expect([...defined].filter((name) => !used.has(name))).toEqual([]);
});

test.each(modules)('the classes of %s are those that its components use', (file) => {
  const defined = new Set([...read(file).matchAll(/\.([a-zA-Z][\w-]*)(?=[^{}]*\{)/g)].map(([, name]) => name));
  const users = components.flatMap((component) =>
    [...read(component).matchAll(/import (\w+) from '([^']+\.module\.css)'/g)].flatMap(([, name = '', path = '']) =>
      join(dirname(component), path) === file ? [{ component, name }] : [],
    ),
  );
  const composed = modules.flatMap((user) =>
    [...read(user).matchAll(/composes: (\w+) from '([^']+)'/g)].flatMap(([, name, path = '']) =>
      join(dirname(user), path) === file ? [name] : [],
    ),
  );
  const used = new Set([
    ...composed,
    ...users.flatMap(({ component, name }) =>
      [...read(component).matchAll(new RegExp(String.raw`\b${name}\.(\w+)`, 'g'))].map(([, className]) => className),
    ),
  ]);
  // `css[kind]`: a variable holds the name.
  const isByName = users.some(({ component, name }) => read(component).includes(`${name}[`));
  expect([...used].filter((name) => !defined.has(name))).toEqual([]);
  if (!isByName) expect([...defined].filter((name) => !used.has(name))).toEqual([]);
});
