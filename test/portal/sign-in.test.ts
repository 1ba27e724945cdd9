import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readKeyTagSecrets } from '../../functions/shared/credentials/api-key.ts';
import { readReturnTo } from '../../functions/portal/routes/sign-in.ts';
import { CODE_POINT } from '../support/code-points.ts';
import { startProvider, type TestProvider } from '../support/identity.ts';
import { before, cancelled, interleaved } from '../support/overtaking.ts';
import { PORTAL, testPortal, type TestBrowser, type TestPortal } from '../support/portal.ts';
import { HOUR_MS } from '../support/times.ts';

const SESSION = '__Host-Http-session';
const FAILED = { status: 303, location: '/?signIn=failed', cookies: [] };

let provider: TestProvider;
beforeAll(async () => {
  provider = await startProvider(PORTAL);
});
afterAll(() => provider.stop());

const seen = ({ status, headers, cookies }: Awaited<ReturnType<TestBrowser['get']>>) => ({
  status,
  location: headers.location,
  cookies,
});
const userIdOf = async (browser: TestBrowser): Promise<unknown> =>
  ((await browser.get('/api/session')).body as { user: { userId: unknown } }).user.userId;
const attemptsOf = ({ jar }: TestBrowser): string[] =>
  [...jar.cookies.keys()].filter((name) => name.startsWith('__Host-Http-sign-in-'));

describe('a sign-in', () => {
  test('that only other sign-ins of the same person keep from its end is refused, and pages nobody', async () => {
    const portal = testPortal(provider);
    const conflict = () => Promise.reject(cancelled('TransactionConflict'));
    before(portal.own, 'TransactWriteItemsCommand', conflict, Infinity);
    const answer = await portal.browser().signIn('at.once@example.com');
    expect(seen(answer)).toEqual(FAILED);
    expect(portal.telemetry.metrics).toEqual(['SignInsRefused']);
  });

  test('leads to the provider with state, nonce and PKCE, in cookies of its own', async () => {
    const browser = testPortal(provider).browser();
    const answer = await browser.get('/api/sign-in');
    const url = new URL(answer.headers.location ?? '');
    const { state = '', ...query } = Object.fromEntries(url.searchParams);
    expect([answer.status, url.origin + url.pathname]).toEqual([302, `${provider.issuer}/auth`]);
    expect(query).toEqual({
      response_type: 'code',
      client_id: 'portal',
      redirect_uri: `${PORTAL}/api/sign-in/callback`,
      scope: 'openid email profile',
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(answer.cookies).toEqual([
      expect.stringMatching(
        new RegExp(`^__Host-Http-sign-in-${state}=[\\w-]+; Max-Age=3600; Path=/; HttpOnly; Secure; SameSite=Lax$`),
      ),
    ]);
    // Each attempt has its own values.
    const another = new URL(await browser.begin()).searchParams;
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(another.get(name)).not.toBe(url.searchParams.get(name));
    }
  });

  test('begins a session in a cookie that no other site and no script gets, and leads back', async () => {
    const portal = testPortal(provider);
    const browser = portal.browser();
    const answer = await browser.signIn('first.visit@example.com', '/projects?a=1#b');
    expect([answer.status, answer.headers.location]).toEqual([303, '/projects?a=1#b']);
    expect(portal.telemetry.metrics).toEqual(['SignIns']);
    // A header of this name would compete with the cookies.
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(answer.cookies).toEqual([
      expect.stringMatching(/^__Host-Http-sign-in-[\w-]{43}=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      expect.stringMatching(
        /^__Host-Http-session=usr_[0-9A-Za-z]{16}\.[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
    expect((await browser.get('/api/session')).body).toMatchObject({
      user: { email: 'first.visit@example.com', name: 'first.visit', emailVerified: true },
      accounts: [],
      invitations: [],
      gatewayUrl: 'https://gateway.example.com',
      stage: 'dev',
    });
  });

  test('finds a person again by what the provider calls them, in whatever way they write their address', async () => {
    const portal = testPortal(provider);
    const people = [];
    for (const email of ['grace@example.com', 'Grace@Example.com', 'hopper@example.com']) {
      const browser = portal.browser();
      await browser.signIn(email);
      people.push(await userIdOf(browser));
    }
    expect(people[1]).toBe(people[0]);
    expect(people[2]).not.toBe(people[0]);
  });

  test('for the first time, overtaken by another of the same person, makes one person', async () => {
    const portal = testPortal(provider);
    const [one, other] = [portal.browser(), portal.browser()];
    const email = `overtaken-${randomUUID()}@example.com`;
    const callback = await one.atTheProvider(await one.begin(), email);
    // The one sign-in has already found that the person does not exist.
    const meanwhile = () => other.signIn(email);
    const [answer] = await interleaved(portal.client, 2, () => one.navigate(callback), meanwhile);
    expect(answer.headers.location).toBe('/');
    expect(await userIdOf(one)).toBe(await userIdOf(other));
  });

  test('ends the session that the browser had before, also another person’s', async () => {
    const portal = testPortal(provider);
    const browser = portal.browser();
    await browser.signIn('first@example.com');
    const earlier = browser.jar.list();
    const other = portal.browser();
    for (const cookie of earlier) other.jar.take([cookie]);
    const callback = await other.atTheProvider(await other.begin(), 'second@example.com');
    expect((await browser.get('/api/session')).status).toBe(200);
    await other.navigate(callback);
    expect((await browser.get('/api/session')).status).toBe(401);
    expect((await other.get('/api/session')).status).toBe(200);
  });

  test.each(['cross-site', 'same-site'])(
    'that a page of another origin begins (%s) leads to the page it is for, and sets and ends nothing',
    async (site) => {
      const browser = testPortal(provider).browser();
      await browser.signIn('elsewhere@example.com');
      const headers = { 'sec-fetch-site': site };
      const answer = await browser.request('GET', '/api/sign-in', { query: 'returnTo=%2Fprojects', headers });
      expect(seen(answer)).toEqual({ status: 303, location: '/projects', cookies: [] });
      const foreign = await browser.request('GET', '/api/sign-in', { query: 'returnTo=%2F%2Fevil.example', headers });
      expect(seen(foreign)).toEqual({ status: 303, location: '/', cookies: [] });
      expect((await browser.get('/api/session')).status).toBe(200);
    },
  );

  test('in one tab does not disturb another’s', async () => {
    const browser = testPortal(provider).browser();
    const [first, second] = [await browser.begin('/first'), await browser.begin('/second')];
    expect(attemptsOf(browser)).toHaveLength(2);
    const ends = [];
    for (const location of [first, second]) {
      ends.push(await browser.navigate(await browser.atTheProvider(location, 'tabs@example.com')));
    }
    expect(ends.map(({ headers }) => headers.location)).toEqual(['/first', '/second']);
    expect(attemptsOf(browser)).toEqual([]);
  });

  test('begun again and again leaves the five latest attempts, and what else the browser keeps', async () => {
    const browser = testPortal(provider).browser();
    const others = [SESSION, 'theme'];
    for (const name of others) browser.jar.cookies.set(name, 'x');
    const states: string[] = [];
    for (let i = 0; i < 6; i++) states.push(new URL(await browser.begin()).searchParams.get('state') ?? '');
    const { headers, cookies } = await browser.get('/api/sign-in');
    states.push(new URL(headers.location ?? '').searchParams.get('state') ?? '');
    const attempts = states.slice(2).map((state) => `__Host-Http-sign-in-${state}`);
    expect([...browser.jar.cookies.keys()]).toEqual([...others, ...attempts]);
    // Deleted with the attributes with which it was set.
    expect(cookies[0]).toBe(`__Host-Http-sign-in-${states[1]}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`);
  });
});

describe('a path to come back to', () => {
  const parts = [
    '/',
    '\\',
    '//',
    '.',
    '..',
    '%2f',
    '%2e',
    '%5c',
    '@',
    ':',
    '?',
    '#',
    ';',
    '\t',
    '\n',
    '\r',
    '\0',
    ' ',
    'a',
  ];
  const evil = ['evil.example', 'https:', 'javascript:', 'data:', '\u2028', '\u3002', '\uff0f', '\u202e', '\ud800'];

  test.each([
    ['/projects/x?y=1#z', '/projects/x?y=1#z'],
    ['/%2e%2e/x', '/x'],
    ['https://evil.example/', '/'],
    ['/\\evil.example/', '/'],
    ['/api/sign-in', '/'],
    ['projects', '/'],
    ['', '/'],
    [`/${'x'.repeat(1_000)}`, '/'],
    ['/\u00e9', '/%C3%A9'],
    // In a URL the path is six times as long, and no browser would store the cookie.
    [`/${'\u00e9'.repeat(900)}`, '/'],
    ['/x/api/y', '/x/api/y'],
    ['/api', '/'],
    ['/manage/v1/token', '/'],
    ['/managed', '/managed'],
    [`/${'x'.repeat(999)}`, `/${'x'.repeat(999)}`],
  ])('%j is %j', (asked, path) => {
    expect(readReturnTo(asked, PORTAL)).toBe(path);
  });

  test('is the portal’s own, whatever was asked for', () => {
    const text = fc.array(
      fc.oneof(fc.constantFrom(...parts, ...evil, 'api'), fc.string({ unit: CODE_POINT, maxLength: 3 })),
      {
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(text, (words) =>
        [words.join(''), `/${words.join('')}`].every((asked) => {
          const path = readReturnTo(asked, PORTAL);
          const isOwn = /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && new URL(path, PORTAL).origin === PORTAL;
          // Another read, as by a program in between, gives the same.
          return isOwn && readReturnTo(path, PORTAL) === path;
        }),
      ),
      // The origin is right until the dots are resolved.
      { numRuns: 300, examples: [[['.', '//', 'evil.example']]] },
    );
  });
});

describe('cookies that others plant', () => {
  /** Also with Unicode spaces: browsers accept such a name from another origin, and some parsers trim it. */
  const PREFIXES = [
    '',
    '__Host-',
    '__Http-',
    '__Secure-',
    '__host-http-',
    '__HOST-HTTP-',
    '\u00a0__Host-Http-',
    '\u00a0\u0085__Host-Http-',
  ];

  test('under any other name are none of ours: a neighbour, a script or another port could have made them', async () => {
    const portal = testPortal(provider);
    const [attacker, victim] = [portal.browser(), portal.browser()];
    const callback = await attacker.atTheProvider(await attacker.begin(), 'planter@example.com');
    const [planted = ''] = attacker.jar.list();
    const own = planted.slice('__Host-Http-'.length);
    for (const prefix of PREFIXES) {
      const { path, query } = { path: callback.pathname, query: callback.search.slice(1) };
      expect(seen(await victim.request('GET', path, { query, cookies: [prefix + own] }))).toEqual(FAILED);
    }
    await attacker.navigate(callback);
    const session = attacker.jar.list()[0]?.slice('__Host-Http-'.length) ?? '';
    for (const prefix of PREFIXES)
      expect((await victim.request('GET', '/api/session', { cookies: [prefix + session] })).status).toBe(401);
  });
});

describe('a callback sets nothing and ends nothing', () => {
  let portal: TestPortal;
  let browser: TestBrowser;
  beforeAll(async () => {
    portal = testPortal(provider);
    browser = portal.browser();
    await browser.signIn('signed-in@example.com');
  });
  afterAll(async () => expect((await browser.get('/api/session')).status).toBe(200));

  const begun = async (): Promise<URL> => browser.atTheProvider(await browser.begin(), 'signed-in@example.com');

  test('when it is replayed', async () => {
    const other = portal.browser();
    const callback = await other.atTheProvider(await other.begin(), 'replayed@example.com');
    const cookies = other.jar.list();
    expect((await other.navigate(callback)).status).toBe(303);
    for (const cookie of cookies) other.jar.take([cookie]);
    expect(seen(await other.navigate(callback))).toEqual(FAILED);
    expect((await other.get('/api/session')).status).toBe(200);
    // It is not a failure of the stage.
    expect(portal.telemetry.metrics.at(-1)).toBe('SignInsRefused');
    expect(portal.telemetry.warnings.at(-1)?.cause).toBe('this sign-in was answered before');
  });

  test('when another browser has begun it', async () => {
    expect(seen(await portal.browser().navigate(await begun()))).toEqual(FAILED);
    // The provider received no request.
    const cause = 'this browser has not begun this sign-in';
    expect(portal.telemetry.warnings.at(-1)).toEqual({ message: 'A sign-in was refused.', cause });
    expect(portal.telemetry.metrics.at(-1)).toBe('SignInsRefused');
    const other = portal.browser();
    expect(seen(await browser.navigate(await other.atTheProvider(await other.begin(), 'evil@example.com')))).toEqual(
      FAILED,
    );
  });

  test('without its state', async () => {
    const callback = await begun();
    callback.searchParams.delete('state');
    expect(seen(await browser.navigate(callback))).toEqual(FAILED);
  });

  test('with the state and the code of two attempts', async () => {
    const [one, other] = [await begun(), await begun()];
    one.searchParams.set('code', other.searchParams.get('code') ?? '');
    expect(seen(await browser.navigate(one))).toEqual(FAILED);
  });

  test('with a cookie that is not ours', async () => {
    const callback = await begun();
    const state = callback.searchParams.get('state') ?? '';
    const own = browser.jar.cookies.get(`__Host-Http-sign-in-${state}`) ?? '';
    for (const text of ['', 'x', '{}', '[']) {
      browser.jar.cookies.set(`__Host-Http-sign-in-${state}`, Buffer.from(text).toString('base64url'));
      expect(seen(await browser.navigate(callback))).toEqual(FAILED);
    }
    // Nor under a name that the portal never uses.
    for (const name of [`x${state}`, `${state}x`]) {
      browser.jar.cookies.set(`__Host-Http-sign-in-${name}`, own);
      callback.searchParams.set('state', name);
      expect(seen(await browser.navigate(callback))).toEqual(FAILED);
    }
  });

  test('an hour after it was begun, and no sooner', async () => {
    const callback = await begun();
    portal.clock.nowMs += HOUR_MS;
    expect(seen(await browser.navigate(callback))).toEqual(FAILED);
    portal.clock.nowMs--;
    expect((await browser.navigate(callback)).headers.location).toBe('/');
  });
});

test('a change of the stage’s secret ends no attempt that is under way while the one of before is still known', async () => {
  const [old, changed] = ['old', 'new'].map((word) => `${word}-secret-of-the-stage-in-tests-0123456789`);
  const portalUnder = (secrets: string) =>
    testPortal(provider, { keyTagSecrets: () => Promise.resolve(readKeyTagSecrets('SECRETS', secrets)) });
  const browser = portalUnder(`${old}`).browser();
  const callback = await browser.atTheProvider(await browser.begin(), 'rotated@example.com');
  for (const [secrets, location] of [
    [`${changed}`, '/?signIn=failed'],
    [`${changed},${old}`, '/'],
  ] as const) {
    const later = portalUnder(secrets).browser();
    later.jar.take(browser.jar.list());
    expect((await later.navigate(callback)).headers.location).toBe(location);
  }
});
