import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bundleOf, startFresh, type Bundle } from '../../bench/bundles.ts';
import { functionVariables } from '../../bench/processes.ts';
import { localAddress } from '../../local/settings.ts';
import { leaksOfBuild, plantSecrets } from '../support/secrets/build.ts';

const MOST_BYTES = 480_000;
/** Of several starts the quickest is what it takes; the others are what else the machine did. */
const STARTS = 5;

/** Loads a bundle and begins a sign-in; the library looks at `navigator` when its code runs. */
const WATCHED = `
  let loaded = false;
  Object.defineProperty(globalThis, 'navigator', { get: () => void (loaded = true) });
  const { handler } = await import(process.argv[1]);
  const before = loaded;
  const http = { method: 'GET' };
  const { statusCode } = await handler({ version: '2.0', rawPath: '/api/sign-in', requestContext: { http } }, {});
  console.log(JSON.stringify({ loaded: before, status: statusCode, loadedThen: loaded }));
  process.exit();
`;

/** What the portal's function asks for beside the tables; none of it is reached. */
const OF_PORTAL = {
  PORTAL_ORIGIN: 'https://portal.example',
  GATEWAY_URL: 'https://gateway.example',
  OIDC_ISSUER: 'http://127.0.0.1:1',
  OIDC_CLIENT_ID: 'portal',
  OIDC_CLIENT_SECRET: 'none',
};

let directory: string;
let portal: Bundle;
let metered: Bundle;
beforeAll(async () => {
  plantSecrets();
  directory = await mkdtemp(join(tmpdir(), 'bundles-'));
  [portal, metered] = await Promise.all([
    bundleOf('portal', 'functions/portal/handler.ts', directory),
    bundleOf('metered', 'functions/metered/handler.ts', directory),
  ]);
});
afterAll(() => rm(directory, { recursive: true }));

async function loadCpuMs(bundle: Bundle): Promise<number> {
  const environment = { ...functionVariables(), ...OF_PORTAL };
  const starts = [];
  for (let made = 0; made < STARTS; made++) starts.push((await startFresh(bundle, [], environment)).loadCpuMs);
  return Math.min(...starts);
}

describe('the portal’s function', () => {
  test(`is at most ${MOST_BYTES / 1_000} kB`, () => {
    expect(portal.bytes).toBeLessThanOrEqual(MOST_BYTES);
  });

  test('takes at most twice as long to load as the metered one', async () => {
    expect(await loadCpuMs(portal)).toBeLessThanOrEqual(2 * (await loadCpuMs(metered)));
  });

  test('loads the library of the sign-in when somebody signs in, not before', async () => {
    expect(portal.packages.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['openid-client', 'oauth4webapi', 'jose']),
    );
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', WATCHED, portal.file],
      {
        env: { ...functionVariables(localAddress(1)), ...OF_PORTAL },
      },
    );
    expect(stdout.trim().split('\n').at(-1)).toBe('{"loaded":false,"status":303,"loadedThen":true}');
  });
});

test.each(['portal', 'metered'])('the bundle of %s holds no secret of the machine that made it', async (name) => {
  const { file } = name === 'portal' ? portal : metered;
  expect(leaksOfBuild(name, await readFile(file, 'utf8'))).toEqual([]);
});

describe('the gateway’s functions', () => {
  test('have nothing of the portal', () => {
    const ofPortal = ['hono', 'openid-client', 'oauth4webapi', 'jose'];
    expect(metered.packages.filter(({ name }) => ofPortal.includes(name))).toEqual([]);
  });
});
