import { describe, expect, test } from '@jest/globals';
import stringWidth from 'string-width';
import { fittedTable, type Column } from '../../bin/cli/table.ts';

const COLUMNS: readonly Column[] = [
  { heading: 'KEY' },
  { heading: 'NAME', shortens: 'atEnd' },
  { heading: 'STATUS' },
  { heading: 'CREATED', spare: 2 },
  { heading: 'USED', spare: 1 },
];
const ID = 'key_0123456789abcdef';
const rows = (...names: string[]) =>
  names.map((name) => [ID, name, 'active', '2026-11-21T08:30Z', '2026-11-21T08:30Z']);
const drawn = (width: number | undefined, ...names: string[]) =>
  fittedTable(COLUMNS, rows(...names), { colourful: false, width });
const widest = (text: string) => Math.max(...text.split('\n').map((line) => stringWidth(line.trimEnd())));

describe('a table takes the width of the terminal', () => {
  test('in which there is room for all of it as it is', () => {
    expect(drawn(80, 'CI').leftOut).toEqual([]);
    expect(drawn(80, 'CI').text).toBe(drawn(undefined, 'CI').text);
  });

  test('by shortening names first, never ids', () => {
    const { text, leftOut } = drawn(100, 'a name that is quite a bit too long for a table of hundred');
    expect(leftOut).toEqual([]);
    expect(widest(text)).toBeLessThanOrEqual(100);
    expect(text).toMatch(/key_0123456789abcdef {2}a name that .*… {2}active/);
  });

  test('then by leaving columns out, and tells which', () => {
    const { text, leftOut } = drawn(64, 'a name that is too long');
    expect([leftOut, widest(text) <= 64]).toEqual([['CREATED'], true]);
    expect(drawn(44, 'a name that is too long').leftOut).toEqual(['CREATED', 'USED']);
  });

  test('whose room is shared by all that are shortened; what one does not need the other has', () => {
    const columns: readonly Column[] = [
      { heading: 'NAME', shortens: 'atEnd' },
      { heading: 'ACTOR', shortens: 'atStart' },
    ];
    const shown = (name: string, actor: string) =>
      fittedTable(columns, [[name, actor]], { colourful: false, width: 42 }).text.split('\n')[1];
    const actor = 'arn:aws:sts::123456789012:assumed-role/Operators/ada';
    expect(shown('n'.repeat(60), actor)).toBe(`${'n'.repeat(19)}…  …${actor.slice(-19)}`);
    expect(shown('CI', actor)).toBe(`CI${' '.repeat(4)}…${actor.slice(-35)}`);
  });

  test.each(['atStart', 'atEnd'] as const)('and never cuts a character in two: %s', (shortens) => {
    // Characters of one and of several code points: surrogate pairs, a family, a letter with a combining mark.
    const name = ['👩‍👩‍👧‍👦', '𝒳', 'Ä'.normalize('NFD'), '鍵'].join('').repeat(9);
    const characters = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment);
    for (let width = 16; width < 30; width++) {
      const { text } = fittedTable([{ heading: 'NAME', shortens }], [[name]], { colourful: false, width });
      const [, line = ''] = text.split('\n');
      const shown = [...new Intl.Segmenter().segment(line.replace('…', ''))].map(({ segment }) => segment);
      expect(shown).toEqual(shortens === 'atEnd' ? characters.slice(0, shown.length) : characters.slice(-shown.length));
      expect([width - 1, width]).toContain(stringWidth(line));
    }
  });

  test('with figures flush right, and no blanks at the end of a line', () => {
    const columns: readonly Column[] = [{ heading: 'NAME' }, { heading: 'RPM', figures: true }, { heading: 'USED' }];
    const { text } = fittedTable(
      columns,
      [
        ['CI', 60, 'a'],
        ['', 10_000, ''],
      ],
      { colourful: false },
    );
    expect(text).toBe('NAME    RPM  USED\nCI       60  a\n      10000');
  });

  test('but never breaks what is left', () => {
    expect(drawn(20, 'a name that is too long').text).toContain(ID);
  });

  test.each(['寿司レストランの予約システム、開発用の鍵', '👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 'Ä'.normalize('NFD').repeat(60)])(
    'of characters as wide as they are shown: %s',
    (name) => {
      const { text } = drawn(80, name, 'CI');
      expect(widest(text)).toBeLessThanOrEqual(80);
      const [, first = '', second = ''] = text.split('\n');
      expect(stringWidth(first.slice(0, first.indexOf('active')))).toBe(second.indexOf('active'));
    },
  );
});
