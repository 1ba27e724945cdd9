import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';

/** A line of CloudFront's log (CloudFront, "Standard log file fields"), up to the field with the result type. */
const line = (address: string, path: string, status: number): string =>
  [
    ...['2026-11-23', '07:00:01', 'FRA56-P4', '512', address, 'GET', 'd111111abcdef8.cloudfront.net', path, status],
    ...['-', 'Mozilla/5.0%20(X11)', '-', '-', 'Error'],
  ].join('\t');

test('the runbook finds in CloudFront’s log who floods the portal’s API', () => {
  const page = readFileSync('docs/runbook.md', 'utf8');
  const [, command = ''] = /^(gunzip -c cloudfront-log.*)$/m.exec(page) ?? [];
  const directory = mkdtempSync(join(tmpdir(), 'runbook-'));
  try {
    mkdirSync(join(directory, 'cloudfront-log'));
    const head = ['#Version: 1.0', '#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem'];
    const files = [
      [
        line('203.0.113.9', '/api/sign-in', 429),
        line('203.0.113.9', '/api/session', 429),
        line('::1', '/assets/a.js', 200),
      ],
      [line('203.0.113.9', '/api/session', 429), line('198.51.100.7', '/api/session', 200)],
    ];
    for (const [i, lines] of files.entries()) {
      const path = join(directory, 'cloudfront-log', `E2EXAMPLE.2026-11-23-07.${i}.gz`);
      writeFileSync(path, gzipSync([...head, ...lines, ''].join('\n')));
    }
    const found = execFileSync('bash', ['-c', command], { cwd: directory, encoding: 'utf8' });
    expect(found).toBe('3 203.0.113.9 429\n1 198.51.100.7 200\n');
  } finally {
    rmSync(directory, { recursive: true });
  }
});
