import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from '@jest/globals';
import { adminProgram } from '../../bin/admin/program.ts';
import { restoreProgram } from '../../bin/restore/program.ts';
import { smokeProgram } from '../../bin/smoke/program.ts';
import manifest from '../../package.json' with { type: 'json' };

const PAGES = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
].filter((path) => path.endsWith('.md'));
const admin = adminProgram(process);
const PROGRAMS: Readonly<Record<string, Command>> = {
  admin,
  restore: restoreProgram(process),
  smoke: smokeProgram(process),
};
const GROUPS = admin.commands.map((group) => group.name()).join('|');

/** A command line in a page. */
interface Named {
  readonly page: string;
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * Each `npm run <program> -- …` in inline code and code blocks, and each command of the CLI that starts inline code.
 */
const named: readonly Named[] = PAGES.flatMap((page) => {
  const text = readFileSync(page, 'utf8').replaceAll('\\|', '/');
  const words = (line = ''): string[] =>
    line
      .split(/[<>|;&`#]|\$\(|\s\[/, 1)[0]
      ?.trim()
      .split(/\s+/) ?? [];
  return [
    ...Array.from(text.matchAll(/npm run (?:--silent )?([\w:]+)(?: -- ([^\n`]*))?/g), ([, program = '', args]) => ({
      page,
      program,
      args: words(args),
    })),
    ...Array.from(text.matchAll(new RegExp(`\`((?:${GROUPS}) [a-z-]+[^\n\`]*)\``, 'g')), ([, args]) => ({
      page,
      program: 'admin',
      args: words(args),
    })),
  ];
});

/** The problem of a command line; undefined if there is none. A group may occur alone. */
function problemOf({ program, args }: Named): string | undefined {
  if (!(program in manifest.scripts)) return 'no script';
  let command = PROGRAMS[program];
  if (!command) return undefined;
  const rest = [...args];
  while (command.commands.length > 0 && rest[0] !== undefined && /^[a-z]/.test(rest[0])) {
    const name = rest.shift();
    const sub: Command | undefined = command.commands.find((each) => each.name() === name);
    if (!sub) return `no command ${name}`;
    command = sub;
  }
  const known = new Set(['--help', ...command.options.map(({ long }) => long)]);
  const unknown = rest.filter((arg) => /^--[a-z]/.test(arg)).filter((arg) => !known.has(arg));
  return unknown.length > 0 ? `${command.name()} has no ${unknown.join(', ')}` : undefined;
}

test('each command that a page names is there, with its options', () => {
  expect(named.length).toBeGreaterThan(100);
  expect(named.flatMap((line) => problemOf(line) ?? []).map(String)).toEqual([]);
});

test('npm test runs each file whose path begins as it is named, also one that a landing leaves out', () => {
  const { TEST_EXTENT: _any, ...env } = process.env;
  const listed = (...args: string[]) => {
    const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--listTests', ...args];
    const files = execFileSync(process.execPath, jest, { env, encoding: 'utf8', stdio: 'pipe' }).trim().split('\n');
    return files.map((file) => basename(file, '.test.ts')).sort();
  };
  expect(listed('test/e2e/portal/us')).toEqual(['usage', 'usage-speed']);
  expect(listed('e2e/kill.test.ts')).toEqual(['kill']);
  // A name of tests is none of a file.
  expect(listed('-t', 'e2e/kill')).not.toContain('kill');
});
