import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { statementCsv } from '../../functions/usage/sums/statement.ts';
import { DAY, HOUR } from '../../functions/usage/sums/intervals.ts';

const at = (startMs: number, units: number, requests: number | null) => ({ startMs, units, requests });

test('one command of the documentation computes the SHA-256 of a statement again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statement-'));
  const csv = statementCsv({
    projectId: 'P',
    periodId: '2030-01',
    by: DAY,
    counter: 3,
    state: 'balanced',
    caps: [],
    keys: [
      { keyId: 'key_a', units: 2, requests: 5 },
      { keyId: '', units: 1, requests: 1 },
    ],
    rows: [at(Date.UTC(2030, 0, 1), 1, 4), at(Date.UTC(2030, 0, 2), 2, 2)],
  });
  const file = join(folder, 'statement-P-2030-01.csv');
  writeFileSync(file, csv);
  const documented = /^sed .*statement-….csv \| sha256sum/m.exec(readFileSync('docs/using-the-portal.md', 'utf8'));
  const command = documented?.[0].replace('statement-….csv', file) ?? '';
  const { stdout, status } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect(status).toBe(0);
  expect(csv).toMatch(/\r\nsum,3,6\r\nkey key_a,2,5\r\nother keys,1,1\r\nstate,balanced,\r\nsha256,[0-9a-f]{64},\r\n$/);
  expect(csv).toContain(`\r\nsha256,${stdout.slice(0, 64)},\r\n`);
});

test('a statement of a day has its hours; what is not known is empty', () => {
  const csv = statementCsv({
    projectId: 'P',
    periodId: '2030-01-01',
    by: HOUR,
    counter: null,
    state: 'different',
    keys: [{ keyId: 'key_a', units: 3, requests: 2 }],
    caps: [
      { capId: 'key_a', units: 2 },
      { capId: 'key_a.w', units: 1 },
      { capId: 'key_b.o', units: 3 },
    ],
    rows: [at(Date.UTC(2030, 0, 1, 0), 1, null), at(Date.UTC(2030, 0, 1, 1), 2, 2)],
  });
  expect(csv.split('\r\n').slice(0, -2)).toEqual([
    ...['project,P,', 'period,2030-01-01,', 'hour,units,requests', '2030-01-01T00:00Z,1,', '2030-01-01T01:00Z,2,2'],
    ...[
      'counter,,',
      'sum,3,',
      'key key_a,3,',
      'cap key_a,2,',
      'cap key_a by week,1,',
      'cap key_b once,3,',
      'state,different,',
    ],
  ]);
});
