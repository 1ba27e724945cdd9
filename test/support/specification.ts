import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { ROOT } from './processes.ts';

/** The specification of the service, which stands beside this repository, and not in it. */
const FILE = process.env.SPECIFICATION ?? join(ROOT, '../shared/spec/gateway-specification.md');
const isThere = existsSync(FILE);
if (!isThere && !process.env.CI) {
  process.stderr.write('Not compared: the specification, without SPECIFICATION, the path of its file.\n');
}

/** A test of the specification's own text. Without it the test is skipped, with a message; in CI it fails. */
export const testBySpecification = isThere || process.env.CI ? test : test.skip;

/** The rows of the table below a heading of the specification, by their first cells. */
export function specifiedTable(heading: string): Readonly<Record<string, string>> {
  const [, section = ''] = readFileSync(FILE, 'utf8').split(`\n### ${heading}\n`);
  const [table = ''] = section.split('\n## ', 1);
  const rows = [...table.matchAll(/^\| (.+?) \| (.+?) \|$/gm)];
  return Object.fromEntries(rows.map(([, name = '', value = '']) => [name, value]));
}
