import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { escaped } from './text.ts';

/** Whether to use colours and styles: on a terminal that supports them, unless the person wants none (no-color.org). */
export const isColourful = (
  { isTTY }: { readonly isTTY?: boolean },
  { NO_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
): boolean => isTTY === true && !NO_COLOR && TERM !== 'dumb';

/** Aligned columns of any length under headings. Invisible characters are escaped. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  colourful: boolean,
): string {
  const cells = [headings, ...rows].map((row) => row.map((cell) => escaped(String(cell))));
  const widths = headings.map((_, i) => cells.reduce((most, row) => Math.max(most, stringWidth(row[i] ?? '')), 0));
  const [heading = '', ...lines] = cells.map((row) =>
    widths
      .map((width, i) => (row[i] ?? '') + ' '.repeat(width - stringWidth(row[i] ?? '')))
      .join('  ')
      .trimEnd(),
  );
  return [colourful ? styleText('bold', heading, { validateStream: false }) : heading, ...lines].join('\n');
}
