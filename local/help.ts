import { readFileSync } from 'node:fs';

const PAGE = new URL('../docs/contributing.md', import.meta.url);

/** What `npm start -- --help` prints: the variables, as the documentation has them. */
export function startHelp(): string {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split('\n## Settings of npm start\n');
  const [table = ''] = section.split('\n## ', 1);
  const rows = [...table.matchAll(/^\| (`.+?) +\| (.*?) *\| (.+?) *\|$/gm)].map(([, ...cells]) => cells.map(plain));
  return [
    'Starts gateway, portal, their mailbox and their database on this machine. Ctrl-C stops them.',
    '',
    'Usage: [variable=value …] npm start',
    ...rows.flatMap(([names = '', standard = '', meaning = '']) => [
      '',
      `  ${names}${standard && ` (default: ${standard})`}`,
      `      ${meaning}`,
    ]),
    '',
  ].join('\n');
}

/** The text of a cell, without its marks and links. */
const plain = (cell: string): string => cell.replaceAll(/\[(.+?)\]\(.+?\)/g, '$1').replaceAll('`', '');
