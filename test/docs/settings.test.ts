import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { SETTINGS } from '../../lib/setting-table.ts';

type Given = string | number | boolean | undefined;

test('the page has each setting, in the same order, with its default', () => {
  const page = readFileSync('docs/deploying.md', 'utf8');
  const [, section = ''] = page.split('\n## Settings\n');
  const rows = [...section.matchAll(/^\| `(\w+)` +\|[^|]+\| ([^|]+?) +\|/gm)];
  const text = (value: string | number | boolean = ''): string => (value === '' ? '–' : `\`${value}\``);
  const expected = Object.entries<{ readonly byDefault?: Given; readonly inProduction?: Given }>(SETTINGS).map(
    ([name, { byDefault, inProduction }]) => [
      name,
      inProduction === undefined ? text(byDefault) : `${text(byDefault)} / ${text(inProduction)}`,
    ],
  );
  expect(rows.map(([, name, standard]) => [name, standard])).toEqual(expected);
});
