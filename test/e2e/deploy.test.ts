import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { buildApp } from '../../lib/portal/app-build.ts';
import { readApp, type AppFiles } from '../../lib/portal/app-files.ts';
import { CLEAN, run } from '../support/processes.ts';
import { startS3, type TestS3 } from '../support/s3.ts';

const PORTAL = {
  'SandboxGateway-dev': { ApiUrl: 'https://api.example.com' },
  'SandboxGateway-dev-portal': {
    PortalFilesBucket: 'files',
    PortalRegion: 'eu-central-1',
    PortalUrl: 'https://portal.example.com',
  },
};

let directory: string;
let s3: TestS3;
let files: AppFiles;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'deploy-test-'));
  [s3, files] = await Promise.all([startS3(), buildApp().then(readApp)]);
});
afterAll(() => {
  s3.close();
  rmSync(directory, { recursive: true });
});
beforeEach(() => {
  s3.stored.length = 0;
  s3.refused = undefined;
});

/** Runs what `npm run deploy` runs, with a CDK that deploys nothing, and says that it did. */
async function deploy(outputs: object, { status = 0, args = [] as string[] } = {}) {
  const program = join(directory, 'cdk');
  const asked = join(directory, 'asked.json');
  writeFileSync(
    program,
    `#!${process.execPath}
    const { writeFileSync } = require('node:fs');
    const args = process.argv.slice(2);
    writeFileSync(${JSON.stringify(asked)}, JSON.stringify(args));
    writeFileSync(args[args.indexOf('--outputs-file') + 1], ${JSON.stringify(JSON.stringify(outputs))});
    process.exitCode = ${status};`,
  );
  chmodSync(program, 0o700);
  const running = run('deploy.ts', args, {
    ...CLEAN,
    PATH: `${directory}:${CLEAN.PATH}`,
    ...{ AWS_ENDPOINT_URL_S3: s3.url, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
  });
  const exitStatus = await running.exited;
  return { exitStatus, stdout: running.stdout, stderr: running.stderr, asked: readFileSync(asked, 'utf8') };
}

describe('a deployment', () => {
  test('of a stage with a portal puts the app’s files into its bucket, the page last, and deletes none', async () => {
    const { exitStatus, stdout, asked } = await deploy(PORTAL, { args: ['-c', 'stage=dev'] });
    expect([exitStatus, stdout]).toEqual([0, "The portal's app is at https://portal.example.com\n"]);
    expect(JSON.parse(asked)).toEqual(['deploy', '--all', '--outputs-file', expect.any(String), '-c', 'stage=dev']);

    const stored = s3.stored.map(({ path }) => path.replace(/^\/files/, ''));
    expect([...stored].sort()).toEqual([...files.keys()].sort());
    expect(stored.at(-1)).toBe('/index.html');
    for (const { path, type, caching, body } of s3.stored) {
      const name = path.replace(/^\/files/, '');
      expect(body.equals(files.get(name) ?? Buffer.alloc(0))).toBe(true);
      expect(type).toMatch(
        name.endsWith('.js') ? /^text\/javascript/ : /^(text\/(css|html)|image\/svg|application\/yaml)/,
      );
      expect(caching).toBe(name === '/index.html' ? 'no-store' : 'public, max-age=31536000, immutable');
    }
    expect(s3.others).toEqual([]);
  });

  test('of which a file cannot be stored leaves the page of before, and says what to do', async () => {
    s3.refused = '/assets/icon-';
    const { exitStatus, stdout, stderr } = await deploy(PORTAL);
    expect([exitStatus, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^The portal's app was not put into place: AccessDenied: Access Denied\nRun this again\.\n$/,
    );
    expect(s3.stored.map(({ path }) => path)).not.toContain('/files/index.html');
  });

  test('that fails puts nothing into place, and has the CDK’s exit status', async () => {
    expect(await deploy(PORTAL, { status: 3 })).toMatchObject({ exitStatus: 3, stdout: '', stderr: '' });
    expect(s3.stored).toEqual([]);
  });

  test('of a stage without a portal stores nothing', async () => {
    const { 'SandboxGateway-dev': gateway } = PORTAL;
    expect(await deploy({ 'SandboxGateway-dev': gateway })).toMatchObject({ exitStatus: 0, stdout: '', stderr: '' });
    expect(s3.stored).toEqual([]);
  });
});
