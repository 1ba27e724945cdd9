import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { cdk } from '../../bin/deploy/cdk.ts';
import { runDeploy } from '../../bin/deploy/program.ts';
import { buildApp } from '../../lib/portal/app-build.ts';
import { readApp, type AppFiles } from '../../lib/portal/app-files.ts';
import { inShell } from '../support/admin.ts';
import { CALLERS } from '../support/door/callers.ts';
import { CLEAN, run, type Variables } from '../support/processes.ts';
import { startS3, startSts, type TestS3, type TestSts } from '../support/aws-services.ts';
import { scriptedServer } from '../support/scripted-server.ts';
import { JOURNAL_VARIABLE } from '../support/secrets/journal.ts';

const PORTAL = {
  'SandboxGateway-dev': { ApiUrl: 'https://api.example.com' },
  'SandboxGateway-dev-portal': {
    PortalFilesBucket: 'files',
    PortalRegion: 'eu-central-1',
    PortalUrl: 'https://portal.example.com',
  },
};

const KEYS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

let directory: string;
let s3: TestS3;
let sts: TestSts;
let lambda: Awaited<ReturnType<typeof scriptedServer>>;
let files: AppFiles;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'deploy-test-'));
  const limit = { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 1_000 };
  [s3, sts, lambda, files] = await Promise.all([
    ...([startS3(), startSts(), scriptedServer({ status: 200, body: { AccountLimit: limit } })] as const),
    buildApp().then(readApp),
  ]);
});
afterAll(() => {
  s3.close();
  sts.close();
  lambda.close();
  rmSync(directory, { recursive: true });
});
beforeEach(() => {
  s3.stored.length = 0;
  s3.refused = undefined;
  sts.arn = 'arn:aws:iam::123456789012:user/ada';
});

interface Deployment {
  readonly status?: number;
  readonly args?: string[];
  /** Variables that are not set. */
  readonly without?: string[];
  readonly variables?: Record<string, string>;
  readonly by?: Runner;
}

/** Runs the program of `npm run deploy` with a CDK that has no stacks, deploys nothing and reports success. */
async function deploy(
  outputs: object | undefined,
  { status = 0, args = [], without = [], by = inProcess, ...more }: Deployment = {},
) {
  const program = join(directory, 'cdk');
  const asked = join(directory, 'asked.json');
  rmSync(asked, { force: true });
  writeFileSync(
    program,
    `#!${process.execPath}
    const { mkdirSync, writeFileSync } = require('node:fs');
    const args = process.argv.slice(2);
    if (args[0] === 'synth') {
      const directory = args[args.indexOf('--output') + 1];
      mkdirSync(directory);
      writeFileSync(directory + '/manifest.json', '{"artifacts":{}}');
      process.exit();
    }
    writeFileSync(${JSON.stringify(asked)}, JSON.stringify(args));
    ${outputs ? `writeFileSync(args[args.indexOf('--outputs-file') + 1], ${JSON.stringify(JSON.stringify(outputs))});` : ''}
    process.exitCode = ${status};`,
  );
  chmodSync(program, 0o700);
  const variables = {
    ...{ AWS_ENDPOINT_URL_S3: s3.url, AWS_ENDPOINT_URL_STS: sts.url, AWS_ENDPOINT_URL_LAMBDA: lambda.url },
    AWS_REGION: 'eu-central-1',
    ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    // Neither the settings of this machine nor those of a cloud that it may run in.
    ...{ HOME: '/nowhere', AWS_EC2_METADATA_DISABLED: 'true' },
    ...more.variables,
  };
  const given = Object.fromEntries(Object.entries(variables).filter(([name]) => !without.includes(name)));
  const printed = await by(args, { ...CLEAN, ...given, PATH: `${directory}:${CLEAN.PATH}` });
  return { ...printed, asked: existsSync(asked) ? readFileSync(asked, 'utf8') : undefined };
}

type Printed = Readonly<Record<'stdout' | 'stderr', string>> & { readonly exitStatus: number | null };
type Runner = (args: string[], environment: Variables) => Promise<Printed>;

/** In a process, as people run it. */
const asProcess: Runner = async (args, environment) => {
  const running = run('deploy.ts', args, environment);
  const exitStatus = await running.exited;
  return { exitStatus, stdout: running.stdout, stderr: running.stderr };
};

/** In this process: a new one would build the app again. The SDK reads `process.env`. */
const inProcess: Runner = async (args, environment) => {
  const { env } = process;
  process.env = { ...environment, [JOURNAL_VARIABLE]: env[JOURNAL_VARIABLE] };
  const tools = { cdk, app: () => Promise.resolve(files) };
  try {
    const deploying = inShell('bin/deploy.ts', (given, shell) => runDeploy(given, shell, tools), args, {});
    const { status: exitStatus, stdout, stderr } = await deploying;
    return { exitStatus, stdout, stderr };
  } finally {
    process.env = env;
  }
};

describe('a deployment', () => {
  test('of a stage with a portal puts the app’s files into its bucket, the page last, and deletes none', async () => {
    const { exitStatus, stdout, asked } = await deploy(PORTAL, { args: ['-c', 'stage=dev'], by: asProcess });
    expect([exitStatus, stdout]).toEqual([0, "The portal's app is at https://portal.example.com\n"]);
    expect(JSON.parse(asked ?? '')).toEqual([
      ...['deploy', '--all', '--app', expect.any(String)],
      '--outputs-file',
      expect.any(String),
      '-c',
      'stage=dev',
    ]);

    const stored = s3.stored.map(({ path }) => path.replace(/^\/files/, ''));
    expect([...stored].sort()).toEqual([...files.keys()].sort());
    expect(stored.at(-1)).toBe('/index.html');
    for (const { path, type, caching, body } of s3.stored) {
      const name = path.replace(/^\/files/, '');
      expect(body.equals(files.get(name) ?? Buffer.alloc(0))).toBe(true);
      expect(type).toMatch(
        name.endsWith('.js')
          ? /^text\/javascript/
          : /^(text\/(css|html|markdown|plain)|image\/svg|application\/(yaml|linkset\+json)|font\/woff2)/,
      );
      expect(caching).toBe(name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-store');
    }
    expect(s3.others).toEqual([]);
  });

  test.each([
    ['the profile that is asked for', ['--profile', 'ada'], { AWS_PROFILE: 'nope', AWS_ACCESS_KEY_ID: '' }, 'test'],
    ['the profile of the environment', [], { AWS_DEFAULT_PROFILE: 'ada', AWS_ACCESS_KEY_ID: '' }, 'test'],
    ['the keys of the environment, before its profile', [], { AWS_PROFILE: 'nope' }, 'local'],
  ])('puts the files into place as who deployed: %s', async (_what, args, given, accessKeyId) => {
    const config = join(directory, 'profiles');
    const { accessKeyId: id, secretAccessKey: secret } = CALLERS.test;
    writeFileSync(config, `[profile ada]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`);
    const deployed = await deploy(PORTAL, { args, variables: { ...given, AWS_CONFIG_FILE: config } });
    expect(deployed).toMatchObject({ exitStatus: 0, stderr: '' });
    expect(s3.stored.at(-1)).toMatchObject({ path: '/files/index.html', accessKeyId });
  });

  test('of which a file cannot be stored leaves the page of before, and says what to do', async () => {
    s3.refused = '/assets/icon-';
    // In a process: requests that are still in flight end with it.
    const { exitStatus, stdout, stderr } = await deploy(PORTAL, { by: asProcess });
    expect([exitStatus, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^error: The stacks are deployed, but the portal's app was not put into place \(AccessDenied: Access Denied\)\. .* Run this again\.\n$/,
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

describe('a deployment that cannot begin says so in one line, with what to do, before anything is built', () => {
  const asked = 'error: AWS cannot be asked who deploys ';

  test.each([
    ['no region', { without: ['AWS_REGION'] }, '(Error: Region is missing). Set AWS_REGION, or AWS_PROFILE'],
    ['no credentials', { without: KEYS }, '(CredentialsProviderError: '],
    [
      'a profile that there is not',
      { without: KEYS, variables: { AWS_PROFILE: 'nope' } },
      'Sign in to the profile nope',
    ],
    [
      'a profile that there is not, without a region',
      { without: ['AWS_REGION', ...KEYS], args: ['--profile', 'nope'] },
      'the profile nope has no region, or is none of those of aws configure list-profiles.',
    ],
  ])('%s', async (_what, given, expected) => {
    const { exitStatus, stdout, stderr, asked: cdk } = await deploy(PORTAL, given);
    expect([exitStatus, stdout, cdk]).toEqual([1, '', undefined]);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toContain(asked);
    expect(stderr).toContain(expected);
  });

  test('credentials that have expired', async () => {
    sts.arn = undefined;
    const { exitStatus, stderr, asked: cdk } = await deploy(PORTAL);
    expect([exitStatus, cdk]).toEqual([1, undefined]);
    expect(stderr).toBe(
      `${asked}(ExpiredToken: It has expired.). Sign in again: the credentials have expired, or are not of this account.\n`,
    );
  });
});

describe('a deployment that the CDK can make begins', () => {
  const MFA = `[profile base]
aws_access_key_id = local
aws_secret_access_key = local
[profile ada]
role_arn = arn:aws:iam::123456789012:role/deploys
source_profile = base
mfa_serial = arn:aws:iam::123456789012:mfa/ada
`;

  test.each([
    ['to the region of its stage', ['AWS_REGION'], ['-c', 'stage=dev', '-c', 'region=eu-central-1'], {}],
    ['to the region that the AWS CLI takes', ['AWS_REGION'], [], { AWS_DEFAULT_REGION: 'eu-central-1' }],
    ['with a code that the CDK asks for', KEYS, ['--profile', 'ada'], { AWS_CONFIG_FILE: 'mfa' }],
  ])('%s', async (_what, without, args, { AWS_CONFIG_FILE, ...variables }: Record<string, string>) => {
    const config = join(directory, 'config');
    writeFileSync(config, MFA);
    const given = { ...variables, ...(AWS_CONFIG_FILE !== undefined && { AWS_CONFIG_FILE: config }) };
    const { exitStatus, stderr, asked } = await deploy({}, { without, args, variables: given });
    const notice = 'The profile asks for a code, which the CDK takes: what is deployed is not looked at before.\n';
    expect([exitStatus, stderr]).toEqual([0, AWS_CONFIG_FILE === undefined ? '' : notice]);
    expect(JSON.parse(asked ?? '')).toEqual(expect.arrayContaining(args));
  });
});

describe('where AWS cannot be reached the CDK continues, which may have another way', () => {
  const away = 'http://sts.invalid';

  test.each([
    ['nobody who listens', { AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:1' }, 'ECONNREFUSED'],
    ['an answer that is not of AWS', { AWS_ENDPOINT_URL_STS: away, HTTP_PROXY: 'S3' }, 'Unknown'],
  ])('%s', async (_what, { HTTP_PROXY, ...variables }: Record<string, string>, reason) => {
    s3.refused = '/';
    const given = { ...variables, ...(HTTP_PROXY !== undefined && { HTTP_PROXY: s3.url }) };
    const { exitStatus, stderr, asked } = await deploy({}, { variables: given });
    expect([exitStatus, asked]).toEqual([0, expect.stringContaining('--all')]);
    expect(stderr).toMatch(
      new RegExp(`^AWS cannot be asked who deploys \\([^\n]*${reason}[^\n]* The CDK continues and asks itself\\.\n$`),
    );
  });

  test('credentials that must be fetched, from nobody who listens', async () => {
    const start = 'https://sso.example.com/start';
    const cache = join(directory, '.aws', 'sso', 'cache');
    mkdirSync(cache, { recursive: true });
    const token = { startUrl: start, region: 'eu-central-1', accessToken: 't', expiresAt: '2100-01-01T00:00:00Z' };
    writeFileSync(join(cache, `${createHash('sha1').update(start).digest('hex')}.json`), JSON.stringify(token));
    const profile = `[profile ada]\nsso_start_url = ${start}\nsso_region = eu-central-1\nsso_account_id = 123456789012\n`;
    writeFileSync(join(directory, '.aws', 'config'), `${profile}sso_role_name = R\n`);
    const variables = { AWS_ENDPOINT_URL_SSO: 'http://127.0.0.1:1', HOME: directory };
    const { exitStatus, stderr } = await deploy({}, { args: ['--profile', 'ada'], variables, without: KEYS });
    expect([exitStatus, stderr]).toEqual([
      0,
      expect.stringMatching(/\(CredentialsProviderError: .* The CDK continues/),
    ]);
  });

  test.each([
    ['the environment', [], true],
    ['the command line', ['--proxy'], false],
  ])('but it is reached by the proxy of %s', async (_what, option, isVariable) => {
    const proxy = isVariable ? { HTTP_PROXY: sts.url } : { http_proxy: 'http://127.0.0.1:1' };
    const variables = { AWS_ENDPOINT_URL_STS: away, NO_PROXY: '127.0.0.1', ...proxy };
    const args = option.flatMap((name) => [name, sts.url]);
    expect(await deploy(PORTAL, { args, variables })).toMatchObject({ exitStatus: 0, stderr: '' });
    expect(s3.stored.at(-1)?.path).toBe('/files/index.html');
  });
});

test('a proxy that is no address ends it in a line', async () => {
  const { exitStatus, stderr, asked } = await deploy(undefined, { args: ['--proxy', 'http://'] });
  expect([exitStatus, asked]).toEqual([1, undefined]);
  expect(stderr).toMatch(/^error: [^\n]*\n$/);
});

test('help is that of the CDK, and a deployment that the CDK only prepared puts nothing into place', async () => {
  const help = await deploy(undefined, { args: ['--help'], without: ['AWS_REGION'], by: asProcess });
  expect(help).toMatchObject({ exitStatus: 0, stderr: '', asked: '["deploy","--help"]' });
  expect(await deploy(undefined, { args: ['--no-execute'] })).toMatchObject({ exitStatus: 0, stdout: '', stderr: '' });
  expect(s3.stored).toEqual([]);
});
