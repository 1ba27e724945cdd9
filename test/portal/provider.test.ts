import type { OutgoingHttpHeaders } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { errorView } from '../../functions/shared/telemetry.ts';
import { boundedFetch, openIdProvider } from '../../functions/portal/provider/provider.ts';
import { readIdentity } from '../../functions/portal/provider/provider.ts';
import { fixedSecret } from '../../functions/portal/provider/client-secret.ts';
import { portalTelemetry } from '../../functions/portal/runtime.ts';
import { SIGN_IN_CALLBACK } from '../../functions/shared/names.ts';
import { rateLimit } from '../../local/rate-limit.ts';
import { testDeadline } from '../support/deadline.ts';
import { recordCalls } from '../support/database.ts';
import { PORTAL, testPortal, type PortalAnswer, type TestBrowser, type TestPortal } from '../support/portal.ts';
import {
  MISBEHAVIOUR,
  providerKey,
  scriptedProvider,
  signed,
  type ProviderPath,
  type ScriptedProvider,
} from '../support/scripted-provider.ts';
import { captureLines } from '../support/secrets/lines.ts';
import { MINUTE_MS } from '../support/times.ts';

const FAILED = { status: 303, location: '/?signIn=failed', cookies: [] };
const MEBIBYTE = 1_048_576;
const KEY = providerKey('first');
const OTHER_KEY = providerKey('second');

const started: ScriptedProvider[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const provider of started.splice(0)) await provider.stop();
});
async function startProvider() {
  const provider = await scriptedProvider(KEY);
  started.push(provider);
  return provider;
}

const seen = ({ status, headers, cookies }: PortalAnswer) => ({ status, location: headers.location, cookies });

async function setUp() {
  const provider = await startProvider();
  const portal = testPortal(provider);
  return { provider, portal, browser: portal.browser() };
}

type Change = (claims: Record<string, unknown>, provider: ScriptedProvider) => unknown;
const same: Change = (claims) => claims;

/**
 * Begins to sign in; the provider redirects back with a token of these claims. Returns the address of that redirect.
 */
async function ledBack(provider: ScriptedProvider, browser: TestBrowser, change = same, by = KEY, header = {}) {
  const begun = new URL(await browser.begin());
  const nonce = begun.searchParams.get('nonce') ?? '';
  const claims = change(provider.claims(nonce), provider);
  provider.idToken = typeof claims === 'object' ? signed(claims, by, header) : claims;
  const callback = new URL('/api/sign-in/callback', PORTAL);
  const parameters = { code: `code of ${nonce}`, state: begun.searchParams.get('state') ?? '', iss: provider.issuer };
  callback.search = new URLSearchParams(parameters).toString();
  return callback;
}

const signIn = async (...given: Parameters<typeof ledBack>): Promise<PortalAnswer> =>
  given[1].navigate(await ledBack(...given));

/** Checks that nobody is signed in, that the browser is redirected as expected, and that the log has no secret. */
function expectRefused(
  answer: PortalAnswer,
  portal: TestPortal,
  calls: readonly string[],
  metric: 'SignInsFailed' | 'SignInsRefused',
  secrets: readonly string[] = [],
) {
  expect(seen(answer)).toEqual(FAILED);
  expect(calls).toEqual([]);
  expect(portal.telemetry.requests.at(-1)).toMatchObject({ status: 303, userId: null });
  expect(portal.telemetry.metrics).toEqual([metric]);
  const message = metric === 'SignInsFailed' ? 'A sign-in failed.' : 'A sign-in was refused.';
  expect(portal.telemetry.warnings).toEqual([{ message, cause: expect.anything() }]);
  const log = JSON.stringify(
    portal.telemetry.warnings.map(({ cause }) => (cause instanceof Error ? errorView(cause) : cause)),
  );
  for (const secret of secrets) expect(log).not.toContain(secret);
}

describe('an ID token signs nobody in', () => {
  const now = (): number => Math.floor(Date.now() / 1_000);
  test.each<[string, Change, Parameters<typeof signed>[1]?, object?]>([
    ['of another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
    ['that has expired', (claims, provider) => ({ ...claims, exp: provider.expired() })],
    ['that is not valid yet', (claims) => ({ ...claims, nbf: now() + 300 })],
    ['without an end', ({ exp: _, ...claims }) => claims],
    ['without a beginning', ({ iat: _, ...claims }) => claims],
    ['for another client', (claims) => ({ ...claims, aud: 'another' })],
    ['for nobody', ({ aud: _, ...claims }) => claims],
    ['for several clients, without the one it was made for', (claims) => ({ ...claims, aud: ['portal', 'another'] })],
    ['for several clients, made for another', (claims) => ({ ...claims, aud: ['portal', 'another'], azp: 'another' })],
    ['of nobody', ({ sub: _, ...claims }) => claims],
    ['whose sub is no text', (claims) => ({ ...claims, sub: 7 })],
    ['that is unsigned', same, KEY, { alg: 'none' }],
    ['that is signed with the public key as a secret', same, KEY, { alg: 'HS256' }],
    ['that another key signed under this one’s name', same, { ...OTHER_KEY, kid: KEY.kid }],
    ['of an unknown key', same, OTHER_KEY],
    ['that is none', () => 'no.token.at-all'],
    ['that is empty', () => ''],
  ])('%s', async (_what, change, by = KEY, header = {}) => {
    const { provider, portal, browser } = await setUp();
    const callback = await ledBack(provider, browser, change, by, header);
    const calls = recordCalls(portal.client).commands;
    const answer = await browser.navigate(callback);
    const secrets = [callback.searchParams.get('code') ?? '', provider.clientSecret, '@example.com'];
    expectRefused(answer, portal, calls, 'SignInsFailed', [
      ...secrets,
      'subject of',
      'an access token',
      ...String(provider.idToken)
        .split('.')
        .filter(({ length }) => length > 8),
    ]);
    // The same browser signs in as soon as the provider works again.
    expect(seen(await signIn(provider, browser))).toMatchObject({ status: 303, location: '/' });
  });
});

// A person can send their own authorization request to the provider, with the portal's public client id.
describe('the tokens of another authorization request than the portal’s sign nobody in, and page nobody', () => {
  test.each<[string, Change]>([
    ['without the nonce', ({ nonce: _, ...claims }) => claims],
    ['with another nonce', (claims) => ({ ...claims, nonce: 'n'.repeat(43) })],
    ['without an ID token', () => undefined],
  ])('%s', async (_what, change) => {
    const { provider, portal, browser } = await setUp();
    const callback = await ledBack(provider, browser, change);
    const calls = recordCalls(portal.client).commands;
    const answer = await browser.navigate(callback);
    const secrets = [callback.searchParams.get('code') ?? '', provider.clientSecret, '@example.com', 'subject of'];
    expectRefused(answer, portal, calls, 'SignInsRefused', secrets);
  });
});

describe('an ID token signs in', () => {
  test.each<[string, Change, object]>([
    [
      'for several clients, made for this one',
      (claims) => ({ ...claims, aud: ['portal', 'x'], azp: 'portal' }),
      { emailVerified: true },
    ],
    ['whose address is not verified', (claims) => ({ ...claims, email_verified: false }), { emailVerified: false }],
    ['that says nothing of the address', ({ email_verified: _, ...claims }) => claims, { emailVerified: false }],
    ['without an address', ({ email: _, ...claims }) => claims, { email: null, emailVerified: false }],
    ['that names nobody', ({ name: _, ...claims }) => claims, { name: null }],
  ])('%s, and shows nobody’s invitations', async (_what, change, user) => {
    const { provider, browser } = await setUp();
    expect(seen(await signIn(provider, browser, change))).toMatchObject({ status: 303, location: '/' });
    expect((await browser.get('/api/session')).body).toMatchObject({ user, invitations: [] });
  });
});

describe('of what a provider says of a person', () => {
  const address = (characters: number): string => `${'x'.repeat(characters - '@example.com'.length)}@example.com`;

  test.each<[string, object, object]>([
    ['a name is kept in one line', { name: ' Ada\r\n\u0000Lovelace ' }, { name: 'Ada Lovelace' }],
    ['a name has a form of its own', { name: 'Ame\u0301lie' }, { name: 'Am\u00e9lie' }],
    ['a name is text', { name: 'A\ud800' }, { name: 'A\ufffd' }],
    ['a name has 100 characters, as people count', { name: '🗝'.repeat(101) }, { name: '🗝'.repeat(100) }],
    ['a name does not end with a space', { name: `${'a'.repeat(99)} b` }, { name: 'a'.repeat(99) }],
    ['an address of 254 characters is known', { email: address(254) }, { email: address(254), emailVerified: true }],
    ['a longer one is not', { email: address(255), email_verified: true }, {}],
    [
      'an address with anything around it is shown without, and is not verified',
      { email: ' a@b.c\n' },
      { email: 'a@b.c' },
    ],
    ['an address is verified as it says', { email: 'a@b.c', email_verified: false }, { email: 'a@b.c' }],
    ['and not in text', { email: 'a@b.c', email_verified: 'true' }, { email: 'a@b.c' }],
    ['nor in this one', { email: 'a@b.c', email_verified: 'false' }, { email: 'a@b.c' }],
    ['an address is text', { email: ['a@b.c'], email_verified: true }, {}],
    ['no address is not verified', { email_verified: true }, {}],
  ])('%s', (_what, claims, known) => {
    const nothing = { issuer: 'tests', subject: 'ada', email: undefined, emailVerified: false, name: undefined };
    const identity = readIdentity({ sub: 'ada', ...claims }, { issuerLabel: 'tests', trustEmail: true });
    expect(identity).toEqual({ ...nothing, ...known });
  });
});

describe('an ID token of another provider', () => {
  test('names another person, whatever it calls them', async () => {
    const people: unknown[] = [];
    for (const provider of [await startProvider(), await startProvider()]) {
      const named = { ...provider, clientSecret: fixedSecret(provider.clientSecret), issuerLabel: provider.issuer };
      const browser = testPortal(openIdProvider({ ...named, trustEmail: false })).browser();
      const claims: Change = (usual) => ({ ...usual, sub: 'the same', email: 'same@example.com' });
      expect(seen(await signIn(provider, browser, claims))).toMatchObject({ status: 303, location: '/' });
      people.push(((await browser.get('/api/session')).body as { user: { userId: string } }).user.userId);
    }
    expect(new Set(people).size).toBe(2);
  });
});

describe('a callback signs nobody in', () => {
  const hostile = '<script>alert(1)</script>\r\nSet-Cookie: a=b';
  const noCode = { code: undefined };
  test.each<[string, Record<string, string | undefined>]>([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['without its issuer', { iss: undefined }],
    ['without a code', noCode],
    ['with an empty code', { code: '' }],
    ['of another flow', { id_token: 'a.b.c' }],
    ['that says no, in hostile words', { ...noCode, error: 'access_denied', error_description: hostile }],
    ['that says what nobody knows', { ...noCode, error: hostile }],
    ['that says that the provider fails', { ...noCode, error: 'server_error', error_description: hostile }],
  ])('%s, and pages nobody: who made it up is not known, and the provider is not asked', async (_what, parameters) => {
    const { provider, portal, browser } = await setUp();
    const callback = await ledBack(provider, browser);
    for (const [name, value] of Object.entries(parameters)) {
      if (value === undefined) callback.searchParams.delete(name);
      else callback.searchParams.set(name, value);
    }
    const calls = recordCalls(portal.client).commands;
    const answer = await browser.navigate(callback);
    expectRefused(answer, portal, calls, 'SignInsRefused', ['script', 'code of', provider.clientSecret]);
    expect(provider.asked['/token']).toBe(0);
  });

  test('whose attempt the portal has not made: nobody is asked, and nobody is paged', async () => {
    const { provider, portal, browser } = await setUp();
    const callback = await ledBack(provider, browser);
    const state = callback.searchParams.get('state') ?? '';
    const name = `__Host-Http-sign-in-${state}`;
    const genuine = browser.jar.cookies.get(name) ?? '';
    const known = JSON.parse(Buffer.from(genuine, 'base64url').toString()) as Record<string, unknown>;
    const asked = { ...provider.asked };
    const forgeries: object[] = [
      { nonce: 'n'.repeat(43), codeVerifier: 'v'.repeat(43), returnTo: '/', expiresAtMs: portal.clock.nowMs + 60_000 },
      { ...known, codeVerifier: 'v'.repeat(43) },
      { ...known, returnTo: '/elsewhere' },
      { ...known, expiresAtMs: portal.clock.nowMs + 10 * 3_600_000 },
    ];
    for (const forged of forgeries) {
      browser.jar.cookies.set(name, Buffer.from(JSON.stringify(forged)).toString('base64url'));
      expect(seen(await browser.navigate(callback))).toEqual(FAILED);
    }
    // Nor with a state that it does not belong to.
    const another = `${state.startsWith('A') ? 'B' : 'A'}${state.slice(1)}`;
    browser.jar.cookies.set(`__Host-Http-sign-in-${another}`, genuine);
    const moved = new URL(callback);
    moved.searchParams.set('state', another);
    expect(seen(await browser.navigate(moved))).toEqual(FAILED);
    expect([provider.asked, new Set(portal.telemetry.metrics)]).toEqual([asked, new Set(['SignInsRefused'])]);
    browser.jar.cookies.set(name, genuine);
    expect(seen(await browser.navigate(callback))).toMatchObject({ location: '/' });
  });
});

describe('who invents codes', () => {
  test('makes the portal call the provider as often as its route lets pass, with a short line of log each', async () => {
    const { provider, portal } = await setUp();
    provider.misbehaves.set('/token', (response) =>
      response.writeHead(400, { 'Content-Type': 'application/json' }).end('{"error":"invalid_grant"}'),
    );
    const clock = { ms: 0 };
    const mayPass = rateLimit(SIGN_IN_CALLBACK.limit, () => clock.ms);
    const attempts = Array.from({ length: 40 }, async () => {
      const browser = portal.browser();
      return { browser, callback: await ledBack(provider, browser) };
    });
    const browsers = await Promise.all(attempts);
    const send = () =>
      Promise.all(
        browsers.filter(() => mayPass()).map(async ({ browser, callback }) => seen(await browser.navigate(callback))),
      );
    expect(await send()).toEqual(Array(20).fill(FAILED));
    expect(provider.asked['/token']).toBe(20);
    // The same attempts again: ten of them pass a second later, and the provider is not asked.
    clock.ms += 1_000;
    expect(await send()).toEqual(Array(10).fill(FAILED));
    expect(provider.asked['/token']).toBe(20);
    expect(new Set(portal.telemetry.metrics)).toEqual(new Set(['SignInsRefused']));
    const captured = captureLines();
    const cause = new Error('the token endpoint answered 400 invalid_grant', { cause: new Error('why') });
    portalTelemetry().refused('A sign-in was refused.', 'x'.repeat(36), cause);
    captured.stop();
    const [line = ''] = captured.lines;
    expect(JSON.parse(line)).toMatchObject({ message: 'A sign-in was refused.', reason: cause.message });
    expect(line.length).toBeLessThan(400);
  });
});

describe('what the token endpoint refuses', () => {
  const hostile = 'code 4711 of <script>';
  const basic = { 'WWW-Authenticate': 'Basic realm="token"' };
  const [refused, failed] = ['SignInsRefused', 'SignInsFailed'] as const;

  test.each<[string, number, string, string, string, OutgoingHttpHeaders?]>([
    // A code that was made up can bring these about, so they are no failure of the stage's.
    ['no failure', 400, 'invalid_grant', 'invalid_grant', refused],
    ['no failure', 400, 'invalid_request', 'invalid_request', refused],
    // These are logged by their names, for the runbook.
    ['a failure that pages', 400, 'invalid_client', 'invalid_client', failed],
    ['a failure that pages', 400, 'unauthorized_client', 'unauthorized_client', failed],
    ['a failure that pages', 400, 'unsupported_grant_type', 'unsupported_grant_type', failed],
    ['a failure that pages', 400, 'invalid_scope', 'invalid_scope', failed],
    ['a failure that pages', 400, 'server_error', 'server_error', failed],
    ['a failure that pages', 401, 'invalid_client', 'invalid_client', failed, basic],
    ['logged without words that no standard has', 429, hostile, 'an error that no standard has', failed],
  ])('is %s: %i %s', async (_what, status, error, told, metric, headers = {}) => {
    const { provider, portal, browser } = await setUp();
    const callback = await ledBack(provider, browser);
    const body = JSON.stringify({ error, error_description: hostile });
    provider.misbehaves.set('/token', (response) =>
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body),
    );
    expect(seen(await browser.navigate(callback))).toEqual(FAILED);
    const [{ cause } = { cause: undefined }] = portal.telemetry.warnings;
    const message = `the token endpoint answered ${status} ${told}`;
    expect(portal.telemetry.metrics).toEqual([metric]);
    expect(metric === refused ? cause : errorView(cause)).toEqual(
      metric === refused ? message : expect.objectContaining({ name: 'ProviderError', message }),
    );
  });
});

describe('a provider that misbehaves', () => {
  const cells = (['/.well-known/openid-configuration', '/token', '/jwks'] as const).flatMap((path) =>
    Object.keys(MISBEHAVIOUR).map((how) => ({ path, how: how as keyof typeof MISBEHAVIOUR })),
  );

  test('anywhere and of any kind is shown to the person in time, and does no harm after it ends', async () => {
    await Promise.all(
      cells.map(async ({ path, how }) => {
        const { provider, portal, browser } = await setUp();
        const callback = path === DISCOVERY ? undefined : await ledBack(provider, browser);
        provider.misbehaves.set(path, MISBEHAVIOUR[how]);
        const calls = recordCalls(portal.client).commands;
        const answer = await (callback ? browser.navigate(callback) : browser.get('/api/sign-in'));
        const secrets = ['code of', provider.clientSecret, 'an access token', '@example.com'];
        expectRefused(answer, portal, calls, 'SignInsFailed', secrets);
        expect(provider.sentBytes()).toBeLessThan(8 * MEBIBYTE);

        provider.misbehaves.clear();
        expect(seen(await signIn(provider, browser))).toMatchObject({ status: 303, location: '/' });
      }),
    );
  });
  const DISCOVERY: ProviderPath = '/.well-known/openid-configuration';

  // A function that was frozen between two requests does not know of the closed connection.
  test('that has closed the connections of earlier requests signs in all the same', async () => {
    const { provider, browser } = await setUp();
    provider.isForgetful = true;
    for (let i = 0; i < 3; i++) expect(seen(await signIn(provider, browser))).toMatchObject({ location: '/' });
  });

  test('with its keys costs them one read a minute, whatever tokens come, and a new key is found', async () => {
    const { provider, browser } = await setUp();
    expect(seen(await signIn(provider, browser))).toMatchObject({ location: '/' });
    for (let i = 0; i < 5; i++) expect(seen(await signIn(provider, browser, same, OTHER_KEY))).toEqual(FAILED);
    expect(provider.asked['/jwks']).toBe(1);
    provider.keys = [OTHER_KEY];
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + MINUTE_MS);
    expect(seen(await signIn(provider, browser, same, OTHER_KEY))).toMatchObject({ location: '/' });
    expect(seen(await signIn(provider, browser, same, KEY))).toEqual(FAILED);
    expect(provider.asked['/jwks']).toBe(2);
  });

  test.each([-5, 5])('whose clock is %i minutes off signs in', async (minutes) => {
    const { provider, browser } = await setUp();
    const offSeconds = minutes * 60;
    const change: Change = ({ iat, exp, ...claims }) => ({
      ...claims,
      iat: (iat as number) + offSeconds,
      exp: (exp as number) + offSeconds,
    });
    expect(seen(await signIn(provider, browser, change))).toMatchObject({ location: '/' });
  });
});

describe('an answer of a provider', () => {
  test.each([
    [262_144, true],
    [262_145, false],
  ])('of %d bytes is read to its end: %s', async (bytes, isRead) => {
    jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('x'.repeat(bytes)));
    const response = await boundedFetch('https://id.example/', {
      method: 'GET',
      headers: {},
      redirect: 'manual',
    } as never);
    const read = response.text().then(
      ({ length }) => length === bytes,
      () => false,
    );
    expect(await read).toBe(isRead);
  });
});

describe('the time of a sign-in', () => {
  test('ends for the provider with that of a request, however many answers it owes', async () => {
    const provider = await startProvider();
    const over = new AbortController();
    const portal = testPortal(provider, { startDeadline: () => testDeadline(over) });
    const browser = portal.browser();
    const callback = await ledBack(provider, browser);
    provider.misbehaves.set('/token', () => {
      over.abort();
    });
    expect(seen(await browser.navigate(callback))).toEqual(FAILED);
    // It is not the provider's own time that has passed.
    expect(portal.telemetry.warnings).toEqual([
      expect.objectContaining({ cause: expect.not.objectContaining({ code: 'OAUTH_TIMEOUT' }) }),
    ]);
  });

  test('leaves the store all of its own, however long the provider took', async () => {
    const provider = await startProvider();
    const deadlines: AbortController[] = [];
    const portal = testPortal(provider, {
      startDeadline: () => {
        deadlines.push(new AbortController());
        return testDeadline(deadlines.at(-1));
      },
    });
    const browser = portal.browser();
    const callback = await ledBack(provider, browser);
    portal.client.middlewareStack.add(
      (next) => async (args) => {
        // The deadline of the request, which began with the provider's part.
        deadlines[1]?.abort();
        await setImmediate();
        return next(args);
      },
      { step: 'initialize', name: 'late' },
    );
    expect(seen(await browser.navigate(callback))).toMatchObject({ status: 303, location: '/' });
  });
});
