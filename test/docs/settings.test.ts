import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { SETTINGS } from '../../lib/setting-table.ts';

test('the page has each setting, in the same order, with its default', () => {
  const page = readFileSync('docs/deploying.md', 'utf8');
  const [, section = ''] = page.split('\n## Settings\n');
  const rows = [...section.matchAll(/^\| `(\w+)` +\|[^|]+\| ([^|]+?) +\|/gm)];
  const text = (value: unknown): string => (value === undefined || value === '' ? '–' : `\`${String(value)}\``);
  const expected = Object.entries<{ readonly byDefault: unknown; readonly inProduction?: unknown }>(SETTINGS).map(
    ([name, { byDefault, inProduction }]) => [
      name,
      inProduction === undefined ? text(byDefault) : `${text(byDefault)} / ${text(inProduction)}`,
    ],
  );
  expect(rows.map(([, name, standard]) => [name, standard])).toEqual(expected);
});
