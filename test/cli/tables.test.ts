import { expect, test } from '@jest/globals';
import stringWidth from 'string-width';
import { table } from '../../bin/cli/table.ts';

test.each(['寿司レストランの予約システム、開発用の鍵', '👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 'Ä'.normalize('NFD').repeat(60), ''])(
  'columns are aligned by what is shown, without blanks at the end of a line: %s',
  (name) => {
    const [, first = '', second = ''] = table(
      ['NAME', 'STATUS'],
      [
        [name, 'active'],
        ['CI', 'active'],
      ],
      false,
    ).split('\n');
    expect(stringWidth(first.slice(0, first.indexOf('active')))).toBe(second.indexOf('active'));
    expect(table(['NAME', 'STATUS'], [[name, '']], false)).not.toMatch(/ $/m);
  },
);

test('no text of a cell begins a line, or speaks to the terminal', () => {
  const text = table(['NAME', 'STATUS'], [['a\nkey_1  active', '\u001b[2J\u009b\u202e']], true);
  expect(text.split('\n')).toHaveLength(2);
  expect(text).toContain('a\\u{a}key_1  active  \\u{1b}[2J\\u{9b}\\u{202e}');
  expect(text.split('\n')[0]).toBe(`\u001b[1m${'NAME'.padEnd(21)}STATUS\u001b[22m`);
});
