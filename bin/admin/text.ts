import { styleText } from 'node:util';
import Table from 'cli-table3';
import { escaped } from './unseen.ts';

/** Whether to use colours and the like: on a terminal that has them, unless the person wants none (no-color.org). */
export const isColourful = (
  { isTTY }: { readonly isTTY?: boolean },
  { NO_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
): boolean => isTTY === true && !NO_COLOR && TERM !== 'dumb';

/** Text that stands out. Whether it may is the caller's to decide, see {@link isColourful}: nothing else is asked. */
export const bold = (text: string): string => styleText('bold', text, { validateStream: false });

/** An aligned table with a heading, which stands out where the table is `colourful`. What cannot be seen is escaped. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  colourful: boolean,
): string {
  const plain = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '' };
  const none = {
    ...plain,
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
    left: '',
    'left-mid': '',
  };
  const chars = { ...none, mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' };
  const drawn = new Table({
    head: colourful ? headings.map(bold) : [...headings],
    chars,
    // No styles of the table's own: those would ask the process's environment once more.
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  drawn.push(...rows.map((row) => row.map((cell) => escaped(String(cell)))));
  return drawn.toString();
}

/** Named facts, one a line. What cannot be seen is escaped. */
export function facts(values: Readonly<Record<string, string | number>>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${escaped(String(value))}`)
    .join('\n');
}
