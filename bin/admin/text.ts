import Table from 'cli-table3';

/** An aligned table with a heading; the heading stands out on a terminal. */
export function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
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
  const head = process.stdout.isTTY ? ['bold'] : [];
  const drawn = new Table({
    head: [...headings],
    chars,
    style: { head, border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  drawn.push(...rows.map((row) => row.map(String)));
  return drawn.toString();
}

/** Named facts, one a line. */
export function facts(values: Readonly<Record<string, string | number>>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join('\n');
}
