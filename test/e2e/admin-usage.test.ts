import { exec } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { requestIdAt } from '../../functions/shared/ids.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { cliOfGateway, type GatewayCli } from '../support/cli.ts';
import { run } from '../support/processes.ts';
import { someEvent } from '../support/usage-events.ts';

/** More than a pipe can contain. */
const COUNT = 400;
const INTERVAL_MS = 18_000;

let cli: GatewayCli;
let projectId: string;
let project: string[];
let events: UsageEvent[];
const usage = (command: string, ...args: string[]) => cli.run('usage', command, ...project, ...args);

beforeAll(async () => {
  cli = await cliOfGateway();
  projectId = await cli.newProject();
  project = ['--project', projectId];
  const startMs = Date.parse('2030-01-15T23:00:00Z');
  events = Array.from({ length: COUNT }, (_, i) =>
    someEvent({
      projectId,
      requestId: requestIdAt(startMs + i * INTERVAL_MS, randomBytes),
      occurredAt: new Date(startMs + i * INTERVAL_MS).toISOString(),
      latencyMs: i + 1,
      clientRequestId: `=${i}`,
    }),
  );
  for (let i = 0; i < COUNT; i += 25) {
    const Usage = events.slice(i, i + 25).map((event) => ({
      PutRequest: {
        Item: { pk: projectId, sk: `${event.occurredAt}#${event.requestId}`, ...event, ttl: 4_000_000_000 },
      },
    }));
    await cli.store.client.send(new BatchWriteCommand({ RequestItems: { Usage } }));
  }
});
afterAll(() => cli.close());

test('list streams one JSON object of the events of a span, oldest first, and a table', async () => {
  expect((await usage('list', '--json')).json).toEqual({ events });
  const [since = '', until = ''] = [events[3]?.occurredAt, events[9]?.occurredAt];
  expect((await usage('list', '--json', '--since', since, '--until', until)).json).toEqual({
    events: events.slice(3, 9),
  });
  const { stdout } = await usage('list', '--limit', '2');
  expect(stdout.split('\n').map((line) => line.slice(0, 24).trim())).toEqual([
    'OCCURRED',
    '2030-01-15T23:00:00.000Z',
    '2030-01-15T23:00:18.000Z',
    '',
  ]);
  expect((await usage('list', '--until', '2029-01-01')).stdout).toBe('No usage events.\n');
});

test('summary counts by day in UTC, until a time, and by event', async () => {
  const { json } = await usage('summary', '--until', '2030-01-16T01:00:00Z', '--json');
  const until = '2030-01-16T01:00:00.000Z';
  const groups = ['2030-01-15', '2030-01-16'].map((key) => expect.objectContaining({ key, requests: 200, units: 200 }));
  const total = expect.objectContaining({ requests: 400, p50LatencyMs: 200, p99LatencyMs: 396 });
  expect(json).toEqual({ projectId, since: null, until, by: 'day', groups, total });
  const byEvent = (await usage('summary', '--by', 'event')).stdout;
  expect(byEvent).toMatch(/^EVENT +REQUESTS +SHARE.*\nrequest_succeeded +400 +100\.0 %/);
});

describe('export', () => {
  test('gives JSON lines on stdout, and nothing on stderr that is no terminal unless it is asked for', async () => {
    const quiet = run('admin.ts', ['usage', 'export', ...project, '--local', '--format', 'jsonl'], cli.here);
    expect(await quiet.exited).toBe(0);
    expect(quiet.stderr).toBe('');
    expect(quiet.stdout).toBe(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    const verbose = await usage('export', '--format', 'jsonl', '--verbose', '--since', '2031-01-01');
    expect(verbose).toMatchObject({ status: 0, stdout: '' });
    expect(verbose.stderr).toBe('0 events\n');
  });

  test('gives CSV with the names of keys', async () => {
    const { status, stdout } = await usage('export', '--format', 'csv');
    expect([status, stdout.split('\r\n').length]).toEqual([0, COUNT + 2]);
    expect(stdout.split('\r\n')[1]).toContain(",'=0,2030-01-15T23:00:00.000Z");
  });

  test.each([
    [['--format', 'xml'], /Allowed choices are csv, jsonl/],
    [[], /required option '--format <format>' not specified/],
    [['--format', 'csv', '--json'], /'--json' is '--format jsonl' here/],
  ])('%j is refused', async (args, message) => {
    const result = await usage('export', ...args);
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toMatch(message);
  });

  test('into a reader that has seen enough ends quietly', async () => {
    const command = `"${process.execPath}" bin/admin.ts usage export ${project.join(' ')} --local --format csv | head -n 1`;
    const { stdout, stderr } = await promisify(exec)(command, {
      env: { PATH: process.env.PATH ?? '', ...cli.here },
    });
    expect([stdout.slice(0, 10), stderr]).toEqual(['requestId,', '']);
  });
});

describe('show', () => {
  test('prints every field of one event', async () => {
    const [first] = events;
    const found = await usage('show', '--request', first?.requestId.toUpperCase() ?? '');
    expect(found.status).toBe(0);
    const lines = found.stdout.trim().split('\n');
    const { idempotencyTag, ...others } = { ...first };
    expect(lines.map((line) => line.split(/ +/))).toEqual(
      Object.entries({ ...others, simulated: null, idempotencyTag }).map(([name, value]) => [
        name,
        String(value ?? '-'),
      ]),
    );
    expect((await usage('show', '--request', first?.requestId ?? '', '--json')).json).toEqual(first);
  });

  test('finds it in whatever project it is, and says how many it looked at', async () => {
    const [, second] = events;
    const without = (...args: string[]) => cli.run('usage', 'show', ...args);
    expect((await without('--request', second?.requestId ?? '', '--json')).json).toEqual(second);
    const request = requestIdAt(0, randomBytes);
    const { status, stderr } = await without('--request', request);
    const words = `has requestId ${request}. Give --project to find a refusal that is kept once a minute.\n`;
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^error: No usage event of \d+ projects /)]);
    expect(stderr).toContain(words);
  });

  test('says so when there is none', async () => {
    const request = requestIdAt(0, randomBytes);
    const none = `error: No usage event of project ${projectId} has requestId ${request}.\n`;
    expect(await usage('show', '--request', request)).toMatchObject({ status: 1, stdout: '', stderr: none });
    expect((await usage('show', '--request', 'x')).stderr).toMatch(/Give a requestId/);
  });
});
