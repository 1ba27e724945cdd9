import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import type { Page } from 'playwright-core';
import { IS_FULL } from '../../support/extent.ts';
import { signInAtProvider } from '../../support/identity.ts';
import { describeInPortal } from '../../support/portal-browser.ts';
import { portalOperations } from '../../support/portal-contract.ts';
import type { Site } from '../../support/portal-site.ts';
import { newKey, read, settle, type Settled, type Visit } from '../../support/portal-visit.ts';
import { until } from '../../support/processes.ts';
import { itemsOf } from '../../support/secrets/items.ts';
import { forgeChanges, frameAll, stealReads, type Target } from './attacks.ts';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const ATTACKER = 'attacker@example.com';
/** What a landing tries of the operations: the browser refuses all of a kind for the same reason. */
const tried = <Operation>(of: readonly Operation[]): readonly Operation[] =>
  IS_FULL ? of : of.filter((_, nth) => nth % 4 === 1);
/** Valid for any change. */
const BODY = JSON.stringify({ name: 'Stolen', email: ATTACKER, role: 'owner', graceHours: 0 });

let hostile: HostileSite;
beforeAll(async () => {
  hostile = await startHostileSite();
});
afterAll(() => hostile.stop());

describeInPortal('against a hostile page', (onVisit) => {
  let site: Site;
  let visited: Visit;
  let page: Page;
  onVisit((portal) => ({ site, visited, page } = portal));
  let victim: Settled;
  let userId: string;
  let target: Target;

  beforeEach(async () => {
    victim = await settle(visited);
    const { accountId, projectId, email } = victim;
    const { keyId } = await newKey(victim, { name: 'CI' });
    const answerTo = async (path: string) => (await read(visited, path)).json() as Promise<unknown>;
    const { members } = (await answerTo(`/api/accounts/${accountId}/members`)) as { members: { memberId: string }[] };
    const { sessions } = (await answerTo('/api/sessions')) as { sessions: { sessionId: string }[] };
    ({ userId } = ((await answerTo('/api/session')) as { user: { userId: string } }).user);
    // The attacker knows every id.
    const ids: Readonly<Record<string, string | undefined>> = {
      accountId,
      projectId,
      keyId,
      email,
      memberId: members[0]?.memberId,
      sessionId: sessions[0]?.sessionId,
      requestId: '01b92504-8230-7a78-958c-786de2921d1b',
    };
    const operations = portalOperations.map(({ method, path }) => ({
      method,
      path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? ''),
    }));
    // By method, so that a landing tries each.
    const changes = operations
      .filter(({ method }) => method !== 'GET')
      .toSorted((one, other) => one.method.localeCompare(other.method));
    const reads = operations.filter(({ method }) => method === 'GET');
    expect([changes.length > 15, reads.length > 10]).toEqual([true, true]);
    target = {
      portal: site.portalUrl,
      changes: tried(changes).map((operation) => ({ ...operation, body: BODY })),
      reads: tried(reads).map(({ path }) => path),
    };
    for (const method of ['POST', 'PATCH', 'DELETE'])
      expect(target.changes.map((operation) => operation.method)).toContain(method);
    // The victim's own page is closed during the attack; the browser may complain of refused requests to the hostile
    // page.
    await page.close();
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

  test.each(['crossSite', 'sameSite'] as const)(
    'of another origin (%s) nothing is changed, read, shown, ended or begun',
    async (origin) => {
      await unharmed(async () => {
        await page.goto(hostile[origin]);
        expect(await page.evaluate(forgeChanges, target)).toEqual([]);
        expect(await page.evaluate(stealReads, target)).toEqual([]);
      });

      await unharmed(async () => {
        await page.goto(hostile[origin]);
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
          await page.goto(hostile[origin]);
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

/** A hostile site on this machine: an empty page at every path. */
interface HostileSite {
  /** For a browser on `localhost` this is another site. */
  readonly crossSite: string;
  /** The same server with the name `localhost`: the same site, another origin. */
  readonly sameSite: string;
  stop(): Promise<void>;
}

/** Starts the site on a free port. */
async function startHostileSite(): Promise<HostileSite> {
  const page = '<!doctype html><title>hostile</title><link rel="icon" href="data:,"><body></body>';
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    crossSite: `http://127.0.0.1:${port}`,
    sameSite: `http://localhost:${port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
