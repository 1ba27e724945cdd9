import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { admin } from '../support/admin.ts';
import { cliOfGateway, type GatewayCli } from '../support/cli.ts';
import { run } from '../support/processes.ts';

/** What depends on a process. The other tests of the CLI run it in their own. */
let cli: GatewayCli;
let projectId: string;
beforeAll(async () => {
  cli = await cliOfGateway();
  projectId = await cli.newProject();
});
afterAll(() => cli.close());

test('--help says how, and succeeds', async () => {
  const running = run('admin.ts', ['--help'], {});
  expect(await running.exited).toBe(0);
  expect(running.stdout).toMatch(/^Usage: admin /);
});

test('what cannot be done fails with one line', async () => {
  const running = run('admin.ts', ['key', 'list', '--project', 'Project00000', '--local'], cli.here);
  expect(await running.exited).toBe(1);
  expect([running.stdout, running.stderr]).toEqual(['', 'error: There is no project Project00000.\n']);
});

test('a reader that has seen enough gets no stack trace', async () => {
  const list = ['key', 'list', '--project', projectId, '--local'];
  const running = run('admin.ts', list, cli.here);
  running.child.stdout.destroy();
  expect(await running.exited).toBe(1);
  expect(running.stderr).toBe('');
});

test('a key that could not be shown is no success', async () => {
  const command = `"${process.execPath}" bin/admin.ts key create --project ${projectId} --mode test --local > /dev/full`;
  const env = { PATH: process.env.PATH ?? '', ...cli.here };
  await expect(promisify(exec)(command, { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: The output could not be written: .*ENOSPC.*\n$/),
  });
});

test('the headings of lists stand out at a terminal', async () => {
  await cli.ping((await cli.newKey(projectId)).key);
  for (const command of ['key list', 'usage list', 'usage summary']) {
    const args = [...command.split(' '), '--project', projectId, '--local'];
    expect((await admin(args, cli.here, true)).stdout).toContain('\u001b[1m');
  }
});
