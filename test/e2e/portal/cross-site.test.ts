import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import type { Page } from 'playwright-core';
import { signInAtProvider } from '../../support/identity.ts';
import { describeInPortal, page as own, site, visited } from '../../support/portal-browser.ts';
import { newKey, read, settle, type Settled } from '../../support/portal-visit.ts';
import { until } from '../../support/processes.ts';
import { itemsOf } from '../../support/secrets/items.ts';
import { served, type Served } from '../../support/served.ts';
import { forgeChanges, frameAll, stealReads, type Target } from './attacks.ts';

const ATTACKER = 'attacker@example.com';
/** Valid for any change. */
const BODY = JSON.stringify({ name: 'Stolen', email: ATTACKER, role: 'owner', graceHours: 0 });
const PAGE = '<!doctype html><title>hostile</title><link rel="icon" href="data:,"><body></body>';

/** An empty page at every path. For a browser on `localhost` its address is another site. */
let hostile: Served;
beforeAll(async () => {
  hostile = await served((_request, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(PAGE),
  );
});
afterAll(() => hostile.close());

describeInPortal('against a hostile page', () => {
  let page: Page;
  let victim: Settled;
  let userId: string;
  let target: Target;

  beforeEach(async () => {
    victim = await settle(visited);
    const { accountId, projectId } = victim;
    const { keyId, keys } = await newKey(victim, { name: 'CI' });
    const answerTo = async (path: string) => (await read(visited, path)).json() as Promise<unknown>;
    const { members } = (await answerTo(`/api/accounts/${accountId}/members`)) as { members: { memberId: string }[] };
    const { sessions } = (await answerTo('/api/sessions')) as { sessions: { sessionId: string }[] };
    ({ userId } = ((await answerTo('/api/session')) as { user: { userId: string } }).user);
    // The attacker knows every id. That each operation is refused like these: portal/refusals.
    const account = `/api/accounts/${accountId}`;
    const changes = [
      ['POST', '/api/sign-out'],
      ['POST', `${account}/members`],
      ['POST', `${keys}/${keyId}/rotate`],
      ['PATCH', account],
      ['PATCH', `${account}/members/${members[0]?.memberId}`],
      ['DELETE', `/api/sessions/${sessions[0]?.sessionId}`],
      ['DELETE', `${account}/projects/${projectId}`],
    ] as const;
    target = {
      portal: site.portalUrl,
      changes: changes.map(([method, path]) => ({ method, path, body: BODY })),
      reads: ['/api/session', keys, `${account}/members`],
    };
    // The victim's own page is closed during the attack; the browser may complain of refused requests to the hostile
    // page.
    await own.close();
    page = await visited.context.newPage();
  });

  /** Every item with the victim's or the attacker's ids. Other tests run on the same database. */
  const stored = async (): Promise<unknown[]> => {
    const theirs = [userId, victim.accountId, victim.projectId, victim.email, ATTACKER];
    const items = (await itemsOf(site.databaseUrl))
      .flatMap((item) => ('output' in item ? [item.text] : []))
      .filter((text) => theirs.some((id) => text.includes(id)));
    expect(items.length).toBeGreaterThan(5);
    // Engines return attributes in any order.
    return items.map((text) => canonicalize(JSON.parse(text))).sort();
  };
  const cookies = async () =>
    (await visited.context.cookies(site.portalUrl)).filter(({ name }) => name.startsWith('__Host-'));
  const whoIsSignedIn = async (): Promise<unknown> => {
    await page.goto(site.portalUrl);
    const session = await page.evaluate(async () => (await fetch('/api/session')).json() as Promise<unknown>);
    return (session as { user: { email: unknown } }).user.email;
  };

  let before: { readonly stored: readonly unknown[]; readonly cookies: readonly unknown[] };
  beforeEach(async () => {
    before = { stored: await stored(), cookies: await cookies() };
  });
  /** Fails if an action changes anything that is stored, or the victim's cookies. */
  const unharmed = async (attack: () => Promise<void>): Promise<void> => {
    await attack();
    expect({ stored: await stored(), cookies: await cookies() }).toEqual(before);
  };

  test.each(['another site', 'the same site'])(
    'of another origin (%s) nothing is changed, read, shown, ended or begun',
    async (where) => {
      const origin = where === 'the same site' ? hostile.url.replace('127.0.0.1', 'localhost') : hostile.url;
      await unharmed(async () => {
        await page.goto(origin);
        expect(await page.evaluate(forgeChanges, target)).toEqual([]);
        expect(await page.evaluate(stealReads, target)).toEqual([]);
      });

      await unharmed(async () => {
        await page.goto(origin);
        await page.evaluate(frameAll, [site.portalUrl, ['/', '/docs', ...target.reads]] as const);
        const framed = (): string[] =>
          page.frames().flatMap((frame) => (frame === page.mainFrame() ? [] : frame.url()));
        const refused = (url: string): boolean => url === 'chrome-error://chromewebdata/';
        await until(() => framed().filter(refused).length > target.reads.length);
        // An object loads nothing at all.
        expect(framed().filter((url) => url !== '' && !refused(url))).toEqual([]);
      });

      await unharmed(async () => {
        for (const path of ['/', '/api/session']) expect([path, await isInReach(path)]).toEqual([path, false]);
      });

      // The attacker's own sign-in, up to the callback that the victim opens.
      const begun = await fetch(`${site.portalUrl}/api/sign-in`, { redirect: 'manual' });
      const [planted = ''] = begun.headers.getSetCookie();
      const atProvider = begun.headers.get('location') ?? '';
      const callback = await signInAtProvider(atProvider, site.portalUrl, ATTACKER);
      await unharmed(async () => {
        for (const path of ['/api/sign-in?returnTo=/profile', '/api/sign-out', callback.pathname + callback.search]) {
          await page.goto(origin);
          // By script; a server on this machine could also set the cookies, since ports share them.
          await page.evaluate((cookie) => {
            document.cookie = cookie.replace(' HttpOnly;', '');
            document.cookie = '__Host-Http-session=usr_0000000000000000.stolen; Path=/; Secure';
          }, planted);
          await Promise.all([
            page.waitForEvent('domcontentloaded'),
            page.evaluate((url) => location.assign(url), site.portalUrl + path),
          ]);
        }
      });
      expect(await whoIsSignedIn()).toBe(victim.email);
      // The attack was valid: the callback signs in the attacker's own browser.
      const followed = await fetch(callback, { redirect: 'manual', headers: { cookie: planted.split(';')[0] ?? '' } });
      expect(followed.headers.getSetCookie().join()).toContain('__Host-Http-session=usr_');
    },
  );

  const SEVERED_WITHIN_MS = 10_000;
  /**
   * Whether the hostile page can still reach a window that it has opened. Another process tells it that the window was
   * closed.
   */
  const isInReach = async (path: string): Promise<boolean> => {
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate((url) => void Object.assign(globalThis, { opened: window.open(url) }), site.portalUrl + path),
    ]);
    // Before that it is an empty page of the opener.
    await opened.waitForURL(site.portalUrl + path);
    const end = page.waitForFunction(() => (globalThis as unknown as { opened: Window }).opened.closed, undefined, {
      timeout: SEVERED_WITHIN_MS,
    });
    const isHeld = await end.then(
      () => false,
      () => true,
    );
    await opened.close();
    return isHeld;
  };
});
