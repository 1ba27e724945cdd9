import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bundleOf, type Bundle } from '../../bench/bundles.ts';
import { functionVariables } from '../../bench/processes.ts';
import type { PortalHandler } from '../../functions/portal/request/lambda.ts';
import { bundleFunction } from '../../lib/function-bundle.ts';
import { chooseEngine } from '../../local/engines.ts';
import { localAddress } from '../../local/settings.ts';
import { addressAs, variablesOf } from '../support/iam-proxy/callers.ts';
import { startEngine } from '../support/engine.ts';
import { httpEvent } from '../support/http.ts';
import { CookieJar, signInAtProvider, startProvider } from '../support/identity.ts';
import { served } from '../support/served.ts';
import { leaksOfBuild, plantSecrets } from '../support/secrets/build.ts';

const PORTAL = 'https://portal.example.com';
const MOST_BYTES = 575_000;
const MOST_BYTES_OF_GATEWAY = 291_830;

/** Loads a bundle and begins a sign-in; the library reads `navigator` when its code runs. */
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

/** The settings of the portal's function beside the tables; it calls none of the addresses. */
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
    bundleOf('metered', 'functions/gateway/metered.ts', directory),
  ]);
});
afterAll(() => rm(directory, { recursive: true }));

describe('the portal’s function', () => {
  test(`is at most ${MOST_BYTES / 1_000} kB`, () => {
    expect(portal.bytes).toBeLessThanOrEqual(MOST_BYTES);
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

test('its bundle signs a person in by calls that are signed, and allowed to its role', async () => {
  const arn = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:portal-AbCdEf';
  const [database, provider] = await Promise.all([startEngine(chooseEngine().name), startProvider(PORTAL)]);
  const signatures: (string | undefined)[] = [];
  // The SDK is in the bundle.
  const secretsManager = await served(({ headers }, response) => {
    signatures.push(headers.authorization);
    response.end(JSON.stringify({ SecretString: provider.clientSecret }));
  });
  Object.assign(process.env, {
    ...functionVariables(addressAs('portal', database.address.endpoint)),
    ...OF_PORTAL,
    ...variablesOf('portal'),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManager.url,
    PORTAL_ORIGIN: PORTAL,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_SECRET_ARN: arn,
    QUOTA_PERIOD: 'month',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    POWERTOOLS_METRICS_DISABLED: 'true',
  });
  try {
    const { handler } = (await import(portal.file)) as { handler: PortalHandler };
    const jar = new CookieJar();
    const navigate = async ({ pathname: path, searchParams }: URL): Promise<string> => {
      const event = httpEvent({ path, query: searchParams.toString(), body: null, cookies: jar.list() });
      const { headers, cookies = [] } = await handler(event);
      jar.take(cookies);
      return String(headers?.location);
    };
    const callback = await signInAtProvider(
      await navigate(new URL('/api/sign-in', PORTAL)),
      ...[PORTAL, 'bundle@example.com'],
    );
    expect(await navigate(callback)).toBe('/');
    expect(signatures).toEqual([expect.stringMatching(/ Credential=portal\/\d+\/us-east-1\/secretsmanager\//)]);
  } finally {
    secretsManager.close();
    await provider.stop();
    await database.stop();
  }
});

test.each(['portal', 'metered'])('the bundle of %s holds no secret of the machine that made it', async (name) => {
  const { file } = name === 'portal' ? portal : metered;
  expect(leaksOfBuild(name, await readFile(file, 'utf8'))).toEqual([]);
});

describe('the gateway’s functions', () => {
  test(`are at most ${MOST_BYTES_OF_GATEWAY / 1_000} kB`, () => {
    expect(metered.bytes).toBeLessThanOrEqual(MOST_BYTES_OF_GATEWAY);
  });

  test('have nothing of the portal', () => {
    const ofPortal = ['hono', 'openid-client', 'oauth4webapi', 'jose'];
    expect(metered.packages.filter(({ name }) => ofPortal.includes(name))).toEqual([]);
  });
});

test('a function’s bundle is the same, byte for byte, wherever it is written: only a change makes a new version', () => {
  const [near, far] = ['out', 'another/place/out'].map((folder) => {
    bundleFunction('health', join(directory, folder));
    const files = readdirSync(join(directory, folder)).sort();
    return files.map((file) => [file, readFileSync(join(directory, folder, file), 'utf8')]);
  });
  expect(near?.map(([file]) => file)).toEqual(['index.mjs', 'index.mjs.map']);
  expect(far).toEqual(near);
});
