import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { keptSecret, type ClientSecret } from '../../functions/portal/sign-in/client-secret.ts';
import { openIdProvider } from '../../functions/portal/sign-in/provider.ts';
import { secretText } from '../../functions/portal/secrets-manager.ts';
import { startProvider, type TestProvider } from '../support/identity.ts';
import { PORTAL, testPortal } from '../support/portal.ts';
import { testClock } from '../support/reports.ts';
import { providerKey, signed } from '../support/scripted-provider.ts';
import { startSecretsManager, type TestSecretsManager } from '../support/secrets-manager.ts';

const MINUTE_MS = 60_000;
const ARN = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:portal-AbCdEf';
const FAILED = '/?signIn=failed';

let provider: TestProvider;
beforeAll(async () => {
  provider = await startProvider(PORTAL);
});
afterAll(() => provider.stop());

/** A place where the secret is kept, which counts how often it is read. */
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
    // Read once while it was still the one of before.
    expect(await secret.current()).toBe('the secret of before');
    found.text = provider.clientSecret;
    expect((await browser.navigate(callback)).headers.location).toBe('/');
    expect(found.reads).toBe(2);
  });

  test('that is wrong signs nobody in, and is read once more and no oftener at each try', async () => {
    const { found, secret } = place('a wrong secret of the portal');
    const portal = testPortal(provider, { clientSecret: secret });
    const browser = portal.browser();
    for (const reads of [2, 3]) {
      expect((await browser.signIn('wrong@example.com')).headers.location).toBe(FAILED);
      expect(found.reads).toBe(reads);
    }
    expect(portal.telemetry.metrics).toEqual(['SignInsFailed', 'SignInsFailed']);
  });

  test('goes on as it was while its place cannot be reached; without any the sign-in fails', async () => {
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
    manager = await startSecretsManager(ARN);
    const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', AWS_REGION: 'eu-central-1' };
    Object.assign(process.env, credentials, { AWS_ENDPOINT_URL_SECRETS_MANAGER: manager.url });
  });
  afterAll(() => {
    manager.close();
    process.env = environment;
  });

  test('the current version is read, at each call', async () => {
    const read = secretText(ARN);
    for (const text of ['one', 'two']) {
      manager.versions.set('', text);
      expect(await read()).toBe(text);
    }
  });

  test('a secret that is not there is an error', async () => {
    await expect(secretText(`${ARN}-other`)()).rejects.toThrow("can't find it");
  });
});

describe('a user pool of Cognito', () => {
  const issuer = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI';
  const cognitoOrigin = 'https://sandbox-gateway-dev.auth.eu-central-1.amazoncognito.com';
  const { secret } = place('x');
  const pool = openIdProvider({
    issuer,
    cognitoOrigin,
    clientId: 'client',
    clientSecret: secret,
    issuerLabel: issuer,
    trustEmail: false,
  });

  test('is known without being asked: where the browser begins', async () => {
    const checks = { state: 'state', nonce: 'nonce', codeVerifier: 'v'.repeat(43) };
    const url = await pool.authorizationUrl(`${PORTAL}/api/sign-in/callback`, checks);
    expect(url.origin + url.pathname).toBe(`${cognitoOrigin}/oauth2/authorize`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ client_id: 'client', code_challenge_method: 'S256' });
  });

  test('signs in by a token that it has signed, and by no other', async () => {
    const [key, other] = [providerKey('first'), providerKey('second')];
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: issuer, aud: 'client', sub: 'ada', nonce: 'nonce', iat: now, exp: now + 3_600 };
    const { publicKey, kid } = key;
    const authenticate = (idToken: string) => {
      // Its addresses are of the internet.
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
    expect(await authenticate(signed(claims, key))).toMatchObject({ identity: { issuer, subject: 'ada' } });
    await expect(authenticate(signed(claims, { ...other, kid }))).rejects.toMatchObject({
      cause: expect.objectContaining({ message: 'JWT signature verification failed' }),
    });
    jest.restoreAllMocks();
  });

  test('is left by the parameters that it knows', async () => {
    const url = await pool.endSessionUrl('id token', `${PORTAL}/`);
    expect(url?.href).toBe(`${cognitoOrigin}/logout?client_id=client&logout_uri=https%3A%2F%2Fportal.example.com%2F`);
  });
});
