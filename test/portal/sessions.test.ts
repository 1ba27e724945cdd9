import { createSecretKey, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { signIn } from '../../functions/accounts/people/identities.ts';
import { ownSessions, readSessions } from '../../functions/accounts/people/own-sessions.ts';
import { endAllSessions } from '../../functions/accounts/people/users.ts';
import {
  newSession,
  noteSeen,
  readSessionToken,
  type SessionReference,
  type StoredSession,
} from '../../functions/accounts/people/sessions.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { accountItemKey } from '../../functions/accounts/store/account-items.ts';
import { unsealIdToken } from '../../functions/accounts/people/sessions.ts';
import { keyTag, readKeyTagSecrets } from '../../functions/shared/credentials/api-key.ts';
import { TAG_LENGTH } from '../../functions/shared/credentials/credential-text.ts';
import { browserKind } from '../../functions/portal/routes/sign-in.ts';
import type { OpenIdProvider } from '../../functions/portal/provider/provider.ts';
import { LOCAL_KEY_TAG_SECRETS } from '../../local/settings.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { deleteItem, putItem, recordCalls } from '../support/database.ts';
import { endlessDeadline } from '../support/deadline.ts';
import { startProvider, type TestProvider } from '../support/identity.ts';
import { before } from '../support/overtaking.ts';
import { testClock } from '../support/reports.ts';
import { readUnitsOf } from '../support/read-units.ts';
import { PORTAL, testPortal, type TestBrowser, type TestPortal } from '../support/portal.ts';
import { read } from '../support/portal-team.ts';
import { HOUR_MS, MINUTE_MS } from '../support/times.ts';

const SESSION = '__Host-Http-session';

let provider: TestProvider;
beforeAll(async () => {
  provider = await startProvider(PORTAL);
});
afterAll(() => provider.stop());

async function signedIn(email = 'ada@example.com', portal = testPortal(trustingProvider)) {
  const browser = portal.browser();
  await browser.signIn(email);
  return { portal, browser };
}
const statusOf = async (browser: TestBrowser): Promise<number> => (await browser.get('/api/session')).status;
const keyOf = (browser: TestBrowser) => {
  const { userId = '', secretHash = '' } = readSessionToken(browser.jar.cookies.get(SESSION)) ?? {};
  return accountItemKey.session(userId, secretHash);
};
async function storedSession({ store }: TestPortal, browser: TestBrowser): Promise<StoredSession | undefined> {
  const command = new GetCommand({ TableName: store.tables.gateway, Key: keyOf(browser), ConsistentRead: true });
  return (await store.client.send(command)).Item as StoredSession | undefined;
}

describe('a session', () => {
  test('ends after two hours without a request', async () => {
    const { portal, browser } = await signedIn();
    portal.clock.nowMs += 2 * HOUR_MS - 1;
    expect(await statusOf(browser)).toBe(200);
    portal.clock.nowMs += 2 * HOUR_MS - 1;
    expect(await statusOf(browser)).toBe(200);
    portal.clock.nowMs += 2 * HOUR_MS;
    expect(await statusOf(browser)).toBe(401);
  });

  test('ends after twelve hours in any case', async () => {
    const { portal, browser } = await signedIn();
    const startedAt = portal.clock.nowMs;
    // The time at which the table deletes it.
    expect(await storedSession(portal, browser)).toMatchObject({ ttl: (startedAt + 12 * HOUR_MS) / 1_000 });
    for (let hours = 1; hours < 12; hours++) {
      portal.clock.nowMs = startedAt + hours * HOUR_MS;
      expect(await statusOf(browser)).toBe(200);
    }
    portal.clock.nowMs = startedAt + 12 * HOUR_MS - 1;
    expect(await statusOf(browser)).toBe(200);
    portal.clock.nowMs++;
    expect(await statusOf(browser)).toBe(401);
  });

  test('ends at the shorter of the two ages that were set when it began and are set now', async () => {
    const clock = testClock();
    const portalOf = (hours: number) =>
      testPortal(trustingProvider, { clock, sessionLimits: { idleMs: 24 * HOUR_MS, absoluteMs: hours * HOUR_MS } });
    const [shorter, longer] = [portalOf(2), portalOf(3)];
    const cookies: string[][] = [];
    for (const portal of [shorter, longer])
      cookies.push((await signedIn('ages@example.com', portal)).browser.jar.list());
    const statuses = async (): Promise<number[]> => {
      const asked = [shorter, longer].flatMap(({ send }) =>
        cookies.map((own) => send({ path: '/api/session', cookies: own })),
      );
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    clock.nowMs += 2 * HOUR_MS - 1;
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    clock.nowMs += 1;
    // Only the session that began under the longer age, and only where that age is set.
    expect(await statuses()).toEqual([401, 401, 401, 200]);
  });

  test('notes its last request at most every ten minutes', async () => {
    const { portal, browser } = await signedIn();
    const startedAt = portal.clock.nowMs;
    const lastSeen = async (minutes: number): Promise<number> => {
      portal.clock.nowMs = startedAt + minutes * MINUTE_MS;
      expect(await statusOf(browser)).toBe(200);
      return ((await storedSession(portal, browser))?.lastSeenAtMs ?? 0) - startedAt;
    };
    expect(await lastSeen(9)).toBe(0);
    expect(await lastSeen(10)).toBe(10 * MINUTE_MS);
    expect(await lastSeen(19)).toBe(10 * MINUTE_MS);
  });

  test('is not kept alive by a timer', async () => {
    const { portal, browser } = await signedIn();
    const poll = () => browser.request('GET', '/api/session', { headers: { 'x-service-background': 'true' } });
    for (let hours = 0; hours < 2; hours++) {
      portal.clock.nowMs += HOUR_MS - 1;
      expect((await poll()).status).toBe(200);
    }
    portal.clock.nowMs += 2;
    expect((await poll()).status).toBe(401);
  });

  test('that ended while a request was noted stays ended', async () => {
    const { portal, browser } = await signedIn();
    portal.clock.nowMs += 11 * MINUTE_MS;
    const Key = keyOf(browser);
    // Between the read and the update of one request, as another instance could do it.
    before(portal.own, 'UpdateItemCommand', () => deleteItem(portal.store, Key));
    expect(await statusOf(browser)).toBe(200);
    expect(await storedSession(portal, browser)).toBeUndefined();
    expect(await statusOf(browser)).toBe(401);
    expect(portal.telemetry.warnings).toEqual([]);
  });

  test('whose last request cannot be recorded stays valid, and the platform team is warned', async () => {
    const { portal, browser } = await signedIn();
    portal.clock.nowMs += 11 * MINUTE_MS;
    before(portal.own, 'UpdateItemCommand', () => Promise.reject(new Error('away')));
    expect(await statusOf(browser)).toBe(200);
    expect(portal.telemetry.warnings.map(({ cause }) => cause)).toEqual([new Error('away')]);
  });

  test('costs no call where its token was made up, or is of another person', async () => {
    const { portal, browser } = await signedIn();
    const token = browser.jar.cookies.get(SESSION) ?? '';
    const random = token.slice(0, -TAG_LENGTH);
    const others = [
      ...['x', 'usr_0000000000000000.x', 'A'.repeat(43), `usr_0000000000000000#.${'A'.repeat(43)}`],
      `${token.slice(0, -43)}${'A'.repeat(43)}`,
      random + 'A'.repeat(TAG_LENGTH),
      token.replace(/^usr_./, (start) => (start === 'usr_0' ? 'usr_1' : 'usr_0')),
      // Tagged like a key.
      random + keyTag(random, LOCAL_KEY_TAG_SECRETS[0]),
    ];
    const { commands } = recordCalls(portal.client);
    for (const other of others) {
      for (const [method, path] of [
        ['GET', '/api/session'],
        ['GET', '/api/accounts/acc_4fS0pQ2mXz81LkWd/projects'],
        ['POST', '/api/sign-out'],
      ] as const) {
        const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
        const { status } = await portal.send({ method, path, headers, cookies: [`${SESSION}=${other}`] });
        expect(status).toBe(401);
      }
    }
    expect(commands).toEqual([]);
    expect(await statusOf(browser)).toBe(200);
  });

  test('stays valid when the secret of the tags changes, while the previous one is known', async () => {
    const { portal, browser } = await signedIn();
    const [before] = LOCAL_KEY_TAG_SECRETS;
    const another = createSecretKey('x'.repeat(32), 'utf8');
    const path = '/api/session';
    const at = (keyTagSecrets: AccountStore['keyTagSecrets']) =>
      testPortal(trustingProvider, { clock: portal.clock, keyTagSecrets }).send({ path, cookies: browser.jar.list() });
    expect((await at(() => Promise.resolve([another, before]))).status).toBe(200);
    expect((await at(() => Promise.resolve([another]))).status).toBe(401);
    // If the secrets are not available, the tag is not checked.
    expect((await at(() => Promise.reject(new Error('away')))).status).toBe(200);
  });

  test('is not valid with a token that has anything around it', () => {
    const token = `usr_${'0'.repeat(16)}.${'A'.repeat(43)}`;
    expect(readSessionToken(token)).toMatchObject({ userId: `usr_${'0'.repeat(16)}` });
    for (const other of [`x${token}`, `${token}A`, `${token}\n`]) expect(readSessionToken(other)).toBeUndefined();
  });
});

describe('a person has fifty sessions at most', () => {
  const identity = { issuer: 'tests', subject: 'ada', email: 'ada@example.com', emailVerified: true, name: 'Ada' };
  /** Fifty sign-ins of a person, each in its own browser, and a way to sign in again. */
  async function fifty() {
    const portal = testPortal(trustingProvider);
    const store = { ...portal.store, deadline: endlessDeadline(), clock: { now: () => portal.clock.nowMs++ } };
    const told = {
      limits: { idleMs: 2 * HOUR_MS, absoluteMs: 12 * HOUR_MS },
      perMinute: 1_000,
      browser: 'Firefox',
    };
    const subject = randomUUID();
    const begin = async (earlier?: SessionReference) => {
      const { token } = await signIn(store, { ...identity, subject }, { ...told, earlier });
      const session = readSessionToken(token);
      if (!session) throw new Error('a sign-in gives a session');
      return session;
    };
    const first = await begin();
    const { userId } = first;
    const secrets = await store.keyTagSecrets();
    /** Stores another session, without a sign-in. */
    const plant = async () => {
      const { randomBytes } = store;
      const { token, item } = newSession({ userId }, told, store.clock.now(), told.limits, { randomBytes, secrets });
      await putItem(store, item);
      return readSessionToken(token) ?? first;
    };
    const sessions: SessionReference[] = [first];
    while (sessions.length < 50) sessions.push(await plant());
    const left = async () => new Set((await readSessions(store, userId)).map(({ secretHash }) => secretHash));
    return { portal, store, begin, plant, sessions, left };
  }
  const hashes = (sessions: readonly SessionReference[]) => new Set(sessions.map(({ secretHash }) => secretHash));

  test('with one more the one ends that was not seen for longest', async () => {
    const { portal, store, begin, sessions, left } = await fifty();
    const [first, second, third, fourth, ...others] = sessions;
    if (!first || !second || !third || !fourth) throw new Error('there are fifty');
    expect(await left()).toEqual(hashes(sessions));
    await noteSeen(store, first, portal.clock.nowMs);
    const next = await begin();
    expect(await left()).toEqual(hashes([first, third, fourth, ...others, next]));
    // The browser's previous session is replaced, even if it would be the next to end.
    const again = await begin(third);
    expect(await left()).toEqual(hashes([first, fourth, ...others, next, again]));
    const last = await begin(again);
    expect(await left()).toEqual(hashes([first, fourth, ...others, next, last]));
  });

  test('also of many that begin at once, and of more from before there was a bound', async () => {
    const { portal, begin, plant, left } = await fifty();
    before(portal, 'TransactWriteItemsCommand', () => begin());
    await begin();
    expect((await left()).size).toBe(50);
    await Promise.all(Array.from({ length: 8 }, () => begin()));
    expect((await left()).size).toBe(50);
    for (let i = 0; i < 30; i++) await plant();
    expect((await left()).size).toBe(80);
    await begin();
    await begin();
    expect((await left()).size).toBe(50);
  });
});

describe('a sign-out', () => {
  test('ends this session, takes its cookie back and leads to the provider’s end of its own', async () => {
    const { portal, browser } = await signedIn('leaving@example.com', testPortal(provider));
    const { browser: elsewhere } = await signedIn('leaving@example.com', portal);
    const cookies = browser.jar.list();
    const answer = await browser.post('/api/sign-out', {});
    expect(answer.status).toBe(200);
    expect(answer.cookies).toEqual([`${SESSION}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict`]);
    const { location } = answer.body as { location: string };
    const url = new URL(location);
    expect([url.origin + url.pathname, url.searchParams.get('post_logout_redirect_uri')]).toEqual([
      `${provider.issuer}/session/end`,
      `${PORTAL}/`,
    ]);
    const again = await portal.send({ path: '/api/session', cookies });
    expect([again.status, await statusOf(elsewhere)]).toEqual([401, 200]);
  });

  test('everywhere ends all sessions of the person, and none that begins then', async () => {
    const { portal, browser } = await signedIn('everywhere@example.com');
    const { browser: elsewhere } = await signedIn('everywhere@example.com', portal);
    const { browser: somebody } = await signedIn('somebody@example.com', portal);
    for (let times = 0; times < 2; times++) {
      expect((await browser.post('/api/sign-out', { everywhere: true })).status).toBe(200);
      expect([await statusOf(elsewhere), await statusOf(somebody)]).toEqual([401, 200]);
      await browser.signIn('everywhere@example.com');
      await elsewhere.signIn('everywhere@example.com');
      expect([await statusOf(browser), await statusOf(elsewhere)]).toEqual([200, 200]);
    }
  });

  test('everywhere holds, whichever clock leads', async () => {
    const { portal, browser } = await signedIn('clocks@example.com');
    const userId = readSessionToken(browser.jar.cookies.get(SESSION))?.userId ?? '';
    portal.clock.nowMs -= 60 * MINUTE_MS;
    await endAllSessions(portal.store, { userId });
    portal.clock.nowMs += 60 * MINUTE_MS;
    expect(await statusOf(browser)).toBe(401);
  });

  test.each([
    [3_700, true],
    [3_701, false],
  ])('shows the provider an ID token of %d characters: %s', async (characters, isShown) => {
    const idToken = 'x'.repeat(characters);
    const authenticate: OpenIdProvider['authenticate'] = async (...asked) => ({
      ...(await trustingProvider.authenticate(...asked)),
      idToken,
    });
    const endSessionUrl = (shown: string) => Promise.resolve(new URL(`https://provider.example/${shown}`));
    const portal = testPortal({ ...trustingProvider, authenticate, endSessionUrl });
    const { browser } = await signedIn('shown@example.com', portal);
    const { units } = await readUnitsOf(portal, () => browser.post('/api/accounts', {}));
    // Session and person, each at most 4 kB.
    expect(units).toBe(2);
    const location = isShown ? `https://provider.example/${idToken}` : '/';
    expect((await browser.post('/api/sign-out', {})).body).toEqual({ location });
  });

  test('shows the provider the ID token, which the table does not have in clear', async () => {
    const { portal, browser } = await signedIn('sealed@example.com', testPortal(provider));
    const stored = await storedSession(portal, browser);
    const { secretHash = '' } = readSessionToken(browser.jar.cookies.get(SESSION)) ?? {};
    const secrets = await portal.store.keyTagSecrets();
    const sealed = stored?.sealedIdToken ?? new Uint8Array();
    const idToken = unsealIdToken(sealed, secretHash, secrets) ?? '';
    expect(idToken.length).toBeGreaterThan(0);
    expect(stored).not.toHaveProperty('idToken');
    expect(Buffer.from(sealed).includes(idToken.slice(0, 8))).toBe(false);
    // Of another session, under another secret, or changed, it is nothing.
    const [other] = readKeyTagSecrets('other', 'another-secret-that-is-long-enough-0');
    expect(unsealIdToken(sealed, 'another session', secrets)).toBeUndefined();
    expect(unsealIdToken(sealed, secretHash, [other])).toBeUndefined();
    expect(unsealIdToken(sealed.with(20, (sealed[20] ?? 0) ^ 1), secretHash, secrets)).toBeUndefined();
    expect(unsealIdToken(sealed.subarray(0, 27), secretHash, secrets)).toBeUndefined();
    // After a change of the stage's secret it is still read, under the older one.
    expect(unsealIdToken(sealed, secretHash, [other, ...secrets])).toBe(idToken);
  });

  test('ends ours when the provider is away', async () => {
    const away = await startProvider(PORTAL);
    const { browser } = await signedIn('away@example.com', testPortal(away));
    await away.stop();
    const restarted = testPortal(away);
    const answer = await restarted.send({
      method: 'POST',
      path: '/api/sign-out',
      headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      cookies: browser.jar.list(),
    });
    expect([answer.status, answer.body]).toEqual([200, { location: '/' }]);
    expect(await statusOf(browser)).toBe(401);
  });
});

interface Listed {
  readonly sessionId: string;
  readonly createdAt: string;
  readonly lastSeen: string;
  readonly expiresAt: string;
  readonly browser: string;
  readonly current: boolean;
}
const listOf = async (browser: TestBrowser) =>
  (await read<{ sessions: Listed[] }>(browser.get('/api/sessions'))).sessions;
const iso = (epochMs: number): string => new Date(epochMs).toISOString();
const CHROMIUM = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

describe('one’s sessions', () => {
  test('are listed with when they began, were last seen and end, and the kind of browser, the one last seen first', async () => {
    const { portal, browser } = await signedIn('lists@example.com');
    const startedAt = portal.clock.nowMs;
    await signedIn('somebody-else@example.com', portal);
    portal.clock.nowMs += HOUR_MS;
    const elsewhere = portal.browser();
    const callback = await elsewhere.atTheProvider(await elsewhere.begin(), 'lists@example.com');
    const query = callback.search.slice(1);
    await elsewhere.request('GET', callback.pathname, { query, headers: { 'user-agent': FIREFOX } });
    const [first, second, ...more] = await listOf(browser);
    expect(more).toEqual([]);
    expect(first).toEqual({
      sessionId: expect.stringMatching(/^ses_[0-9A-Za-z]{16}$/),
      createdAt: iso(startedAt + HOUR_MS),
      lastSeen: iso(startedAt + HOUR_MS),
      expiresAt: iso(startedAt + 13 * HOUR_MS),
      browser: 'Firefox on Linux',
      current: false,
    });
    expect(second).toMatchObject({ createdAt: iso(startedAt), browser: 'Another browser', current: true });
    // This request itself was the last use.
    expect((await listOf(browser)).map(({ current, lastSeen }) => [current, lastSeen])).toEqual([
      ...[false, true].map((current) => [current, iso(startedAt + HOUR_MS)]),
    ]);
    expect((await listOf(elsewhere)).filter(({ current }) => current)).toEqual([{ ...first, current: true }]);
  });

  test('stand in the order in which they were last seen, of several then the newest first, and end as is set now', () => {
    const at = (createdAtMs: number, lastSeenAtMs: number) => ({
      createdAtMs,
      lastSeenAtMs,
      expiresAtMs: createdAtMs + 12 * HOUR_MS,
      browser: String(createdAtMs),
      userId: 'usr_1',
      secretHash: `hash of ${createdAtMs}`,
    });
    const user = { userId: 'usr_1', createdAt: '', lastSignIn: '', emailVerified: true, identityHash: 'h' };
    const sessions = [at(2, 5), at(4, 9), at(1, 7), at(3, 5), at(6, 6)];
    const shown = (absoluteMs: number) => ownSessions(sessions, user, at(1, 7), 10, { idleMs: HOUR_MS, absoluteMs });
    expect(shown(24 * HOUR_MS).map(({ browser }) => browser)).toEqual(['4', '1', '6', '3', '2']);
    expect(shown(24 * HOUR_MS)[0]?.expiresAt).toBe(iso(4 + 12 * HOUR_MS));
    expect(shown(HOUR_MS)[0]?.expiresAt).toBe(iso(4 + HOUR_MS));
  });

  test.each([
    [FIREFOX, 'Firefox on Linux'],
    [`${CHROMIUM} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [`${CHROMIUM} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, 'Edge on Linux'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.5 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 FxiOS/140.0 Mobile',
      'Firefox on iOS',
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 OPR/124.0.0.0',
      'Opera on Windows',
    ],
    ['curl/8.14.1', 'Another browser'],
  ])('are named by the kind of browser: %s', (userAgent, kind) => {
    expect(browserKind(userAgent)).toBe(kind);
  });

  test('are not listed, and cannot be ended, once they have ended, though the table has them', async () => {
    const { portal, browser: idle } = await signedIn('ended@example.com');
    const sessionId = (await listOf(idle))[0]?.sessionId ?? '';
    portal.clock.nowMs += 2 * HOUR_MS;
    const { browser } = await signedIn('ended@example.com', portal);
    expect((await listOf(browser)).map(({ current }) => current)).toEqual([true]);
    expect((await browser.delete(`/api/sessions/${sessionId}`)).status).toBe(404);
    const { browser: earlier } = await signedIn('ended@example.com', portal);
    await earlier.post('/api/sign-out', { everywhere: true });
    await browser.signIn('ended@example.com');
    expect((await listOf(browser)).map(({ current }) => current)).toEqual([true]);
  });

  test('end one by one from their next request on, once', async () => {
    const { portal, browser } = await signedIn('ends@example.com');
    const { browser: elsewhere } = await signedIn('ends@example.com', portal);
    const { browser: third } = await signedIn('ends@example.com', portal);
    const theirs = (await listOf(elsewhere)).find(({ current }) => current)?.sessionId ?? '';
    const ended = await browser.delete(`/api/sessions/${theirs}`);
    expect([ended.status, ended.cookies]).toEqual([204, []]);
    expect([await statusOf(elsewhere), await statusOf(browser), await statusOf(third)]).toEqual([401, 200, 200]);
    expect((await browser.delete(`/api/sessions/${theirs}`)).status).toBe(404);
    expect(await listOf(browser)).toHaveLength(2);
  });

  test('end with this one, too, whose cookie is deleted', async () => {
    const { portal, browser } = await signedIn('this@example.com');
    const cookies = browser.jar.list();
    const sessionId = (await listOf(browser))[0]?.sessionId ?? '';
    const answer = await browser.delete(`/api/sessions/${sessionId}`);
    expect([answer.status, answer.cookies]).toEqual([
      204,
      [`${SESSION}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict`],
    ]);
    expect((await portal.send({ path: '/api/session', cookies })).status).toBe(401);
  });
});
