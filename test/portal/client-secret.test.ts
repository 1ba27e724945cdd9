import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { keptSecret, type ClientSecret } from '../../functions/portal/provider/client-secret.ts';
import { openIdProvider } from '../../functions/portal/provider/provider.ts';
import { secretText } from '../../functions/portal/runtime.ts';
import { variablesOf } from '../support/iam-proxy/callers.ts';
import { startProvider, type TestProvider } from '../support/identity.ts';
import { PORTAL, testPortal } from '../support/portal.ts';
import { testClock } from '../support/reports.ts';
import { providerKey, scriptedProvider, signed } from '../support/scripted-provider.ts';
import { MINUTE_MS } from '../support/times.ts';
import { playSecretsManager, type TestSecretsManager } from '../support/aws-services.ts';

const ARN = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:portal-AbCdEf';
const FAILED = '/?signIn=failed';
const KEY = providerKey('first');

let provider: TestProvider;
beforeAll(async () => {
  provider = await startProvider(PORTAL);
});
afterAll(() => provider.stop());

/** A store of the secret that counts its reads. */
function place(text: string) {
  const clock = testClock();
  const found = { text, reads: 0, isAway: false };
  const secret: ClientSecret = keptSecret(() => {
    found.reads++;
    return found.isAway ? Promise.reject(new Error('away')) : Promise.resolve(found.text);
  }, clock);
  return { found, clock, secret };
}

describe('the client secret', () => {
  test('is read at the first sign-in, not before, and then kept for five minutes', async () => {
    const { found, clock, secret } = place(provider.clientSecret);
    const portal = testPortal(provider, { clientSecret: secret });
    const browser = portal.browser();
    await browser.begin();
    expect(found.reads).toBe(0);
    for (const reads of [1, 1]) {
      expect((await browser.signIn('kept@example.com')).headers.location).toBe('/');
      expect(found.reads).toBe(reads);
    }
    clock.nowMs += 5 * MINUTE_MS;
    await browser.signIn('kept@example.com');
    expect(found.reads).toBe(2);
  });

  test('that was changed is found out by the sign-in that the provider refuses, which then succeeds', async () => {
    const { found, secret } = place('the secret of before');
    const browser = testPortal(provider, { clientSecret: secret }).browser();
    const callback = await browser.atTheProvider(await browser.begin(), 'changed@example.com');
    // Reads the earlier secret once.
    expect(await secret.current()).toBe('the secret of before');
    found.text = provider.clientSecret;
    expect((await browser.navigate(callback)).headers.location).toBe('/');
    expect(found.reads).toBe(2);
  });

  test.each([
    ['once more when the client is refused', 400, { error: 'invalid_client' }, {}, 2],
    ['once more when HTTP’s own refusal is all', 401, {}, { 'WWW-Authenticate': 'Basic realm="token"' }, 2],
    ['no more when the code is refused', 400, { error: 'invalid_grant' }, {}, 1],
    ['no more when the provider forbids it', 403, {}, { 'WWW-Authenticate': 'Basic realm="token"' }, 1],
    ['no more when the provider fails', 500, {}, {}, 1],
  ])('is read %s', async (_what, status, body, headers, reads) => {
    const scripted = await scriptedProvider(KEY);
    const { found, secret } = place(scripted.clientSecret);
    const browser = testPortal(scripted, { clientSecret: secret }).browser();
    const state = new URL(await browser.begin()).searchParams.get('state') ?? '';
    scripted.misbehaves.set('/token', (response) =>
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body)),
    );
    const callback = new URL('/api/sign-in/callback', PORTAL);
    callback.search = new URLSearchParams({ code: 'code', state, iss: scripted.issuer }).toString();
    expect((await browser.navigate(callback)).headers.location).toBe(FAILED);
    expect(found.reads).toBe(reads);
    await scripted.stop();
  });

  test('stays in use while its place cannot be reached; without any the sign-in fails', async () => {
    const { found, clock, secret } = place(provider.clientSecret);
    const browser = testPortal(provider, { clientSecret: secret }).browser();
    found.isAway = true;
    expect((await browser.signIn('away@example.com')).headers.location).toBe(FAILED);
    found.isAway = false;
    expect((await browser.signIn('away@example.com')).headers.location).toBe('/');
    found.isAway = true;
    clock.nowMs += 6 * MINUTE_MS;
    expect((await browser.signIn('away@example.com')).headers.location).toBe('/');
  });
});

describe('in Secrets Manager', () => {
  const environment = { ...process.env };
  let manager: TestSecretsManager;
  beforeAll(async () => {
    manager = await playSecretsManager(ARN);
    Object.assign(process.env, variablesOf('portal'), { AWS_REGION: 'eu-central-1' });
  });
  afterAll(() => {
    manager.close();
    process.env = environment;
  });

  test('a secret that is not there, or empty, is an error', async () => {
    await expect(secretText(`${ARN}-other`)()).rejects.toThrow("can't find it");
    manager.versions.set('', '');
    await expect(secretText(ARN)()).rejects.toThrow('the secret holds no text');
  });

  test('a read never waits for long: two attempts of a second, each to connect and to answer', async () => {
    const sent = jest.spyOn(SecretsManagerClient.prototype, 'send');
    manager.versions.set('', 'one');
    const read = secretText(ARN);
    for (let i = 0; i < 2; i++) await read();
    const [client, again] = sent.mock.contexts as SecretsManagerClient[];
    sent.mockRestore();
    // One client, which keeps its connection.
    expect(again).toBe(client);
    expect(await client?.config.maxAttempts()).toBe(2);
    const handler = client?.config.requestHandler as unknown as { configProvider: Promise<object> };
    expect(await handler.configProvider).toMatchObject({
      connectionTimeout: 1_000,
      requestTimeout: 1_000,
      throwOnRequestTimeout: true,
    });
  });
});

describe('a provider', () => {
  afterEach(() => void jest.restoreAllMocks());
  const checks = { state: 'state', nonce: 'nonce', codeVerifier: 'v'.repeat(43) };
  const providerAt = (issuer: string) => {
    const settings = { issuerLabel: issuer, trustEmail: false, clientId: 'client', clientSecret: place('x').secret };
    return openIdProvider({ ...settings, issuer });
  };
  const beginAt = (issuer: string) => providerAt(issuer).authorizationUrl(`${PORTAL}/api/sign-in/callback`, checks);

  test('that is not on this machine is asked over HTTPS, and never without', async () => {
    const metadata = { issuer: 'https://id.example', authorization_endpoint: 'https://id.example/authorize' };
    const asked = jest.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(Response.json(metadata)));
    expect((await beginAt('https://id.example')).origin).toBe('https://id.example');
    expect(asked.mock.calls.map(([url]) => url)).toEqual(['https://id.example/.well-known/openid-configuration']);
    await expect(beginAt('http://id.example')).rejects.toThrow('only requests to HTTPS are allowed');
    expect(asked).toHaveBeenCalledTimes(1);
    // On this machine it may use HTTP.
    for (const issuer of ['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1']) {
      asked.mockResolvedValue(Response.json({ issuer, authorization_endpoint: `${issuer}/authorize` }));
      expect((await beginAt(issuer)).origin).toBe(issuer);
    }
  });

  test('that ends no session of its own is left for home', async () => {
    const issuer = 'https://id.example';
    jest.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json({ issuer }));
    expect(await providerAt(issuer).endSessionUrl('id token', `${PORTAL}/`)).toBeUndefined();
  });
});

describe('a user pool of Cognito', () => {
  const issuer = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI';
  const cognitoOrigin = 'https://sgw-dev-123456789012.auth.eu-central-1.amazoncognito.com';
  const poolOf = () =>
    openIdProvider({
      issuer,
      cognitoOrigin,
      clientId: 'client',
      clientSecret: place('x').secret,
      issuerLabel: issuer,
      trustEmail: false,
    });

  test('is known without being asked: where the browser begins', async () => {
    const checks = { state: 'state', nonce: 'nonce', codeVerifier: 'v'.repeat(43) };
    const url = await poolOf().authorizationUrl(`${PORTAL}/api/sign-in/callback`, checks);
    expect(url.origin + url.pathname).toBe(`${cognitoOrigin}/oauth2/authorize`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ client_id: 'client', code_challenge_method: 'S256' });
  });

  test('signs in by a token that it has signed, and by no other', async () => {
    const other = providerKey('second');
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: issuer, aud: 'client', sub: 'ada', nonce: 'nonce', iat: now, exp: now + 3_600 };
    const { publicKey, kid } = KEY;
    const pool = poolOf();
    const authenticate = (idToken: string) => {
      // Its addresses are on the internet.
      const answers: Readonly<Record<string, object>> = {
        [`${cognitoOrigin}/oauth2/token`]: { access_token: 'x', token_type: 'Bearer', id_token: idToken },
        [`${issuer}/.well-known/jwks.json`]: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' }] },
      };
      jest
        .spyOn(globalThis, 'fetch')
        .mockImplementation((asked) => Promise.resolve(Response.json(answers[asked as string])));
      const callback = new URL(`${PORTAL}/api/sign-in/callback?code=code&state=state`);
      return pool.authenticate(callback, { state: 'state', nonce: 'nonce', codeVerifier: 'v'.repeat(43) });
    };
    expect(await authenticate(signed(claims, KEY))).toMatchObject({ identity: { issuer, subject: 'ada' } });
    await expect(authenticate(signed(claims, { ...other, kid }))).rejects.toMatchObject({
      cause: expect.objectContaining({ message: 'JWT signature verification failed' }),
    });
    jest.restoreAllMocks();
  });

  test('is left by the parameters that it knows', async () => {
    const url = await poolOf().endSessionUrl('id token', `${PORTAL}/`);
    expect(url?.href).toBe(`${cognitoOrigin}/logout?client_id=client&logout_uri=https%3A%2F%2Fportal.example.com%2F`);
  });
});
