import { describe, expect, test } from '@jest/globals';
import { claimants, somebody } from '../support/claimants.ts';
import { itemsOf, usedLimitsOf } from '../support/people.ts';
import type { TestBrowser } from '../support/portal.ts';
import { MINUTE_MS } from '../support/times.ts';

const isSignedIn = ({ jar }: TestBrowser): boolean => jar.cookies.has('__Host-Http-session');

describe('who deletes their profile and signs in again as the same person', () => {
  test('leaves no more of it than a number and its end, and that to who comes again', async () => {
    const { portal, team, signIn, person } = claimants();
    const { browser, account, claims } = await team();
    const { user } = (await browser.get('/api/session')).body as { user: { userId: string } };
    const before = await usedLimitsOf(portal, user.userId);
    expect(before.map(({ sk }) => (sk as string).split('#')[0])).toEqual(['CHANGES', 'SIGN-INS']);
    const { pk } = before[0] as { pk: string };
    expect(pk).toMatch(/^USED#[0-9a-f]{64}$/);
    for (const path of [account, '/api/profile']) expect((await browser.delete(path)).status).toBe(204);
    const left = (await itemsOf(portal, pk)).map(({ sk, ...item }) => [(sk as string).split('#')[0], item]);
    const [epochSeconds, minute] = [portal.clock.nowMs / 1000, expect.any(Number)];
    expect(left).toEqual([
      ['CHANGES', { pk, count: 3, ttl: minute }],
      ['REMAINDER', { pk, accountsCreated: 1, ttl: epochSeconds + 90 * 86_400 }],
      ['SIGN-INS', { pk, count: 1, ttl: minute }],
    ]);
    await signIn(browser, claims);
    const { user: again } = (await browser.get('/api/session')).body as { user: { userId: string } };
    expect(again.userId).not.toBe(user.userId);
    // The items that remained belong to the new person again.
    expect(await usedLimitsOf(portal, again.userId)).toMatchObject(before.map(({ sk }) => ({ pk, sk })));
    const somebodyElse = await person();
    const { user: other } = (await somebodyElse.get('/api/session')).body as { user: { userId: string } };
    const [theirs] = await usedLimitsOf(portal, other.userId);
    expect(theirs?.pk).not.toBe(pk);
  });
});

describe('a person signs in so often in a minute and no more', () => {
  const LIMIT = 10;

  test('at once, also as who has deleted their profile; what goes beyond begins and ends nothing', async () => {
    const { portal, callbackOf, signIn, person } = claimants({ signInsPerMinute: LIMIT });
    const claims = somebody();
    const first = await person(claims);
    expect((await first.delete('/api/profile')).status).toBe(204);
    const browsers = Array.from({ length: 25 }, () => portal.browser());
    const callbacks = await Promise.all(browsers.map((browser) => callbackOf(browser, claims)));
    const answers = await Promise.all(browsers.map((browser, i) => browser.navigate(callbacks[i] ?? new URL(''))));
    const inside = browsers.filter(isSignedIn);
    expect(inside).toHaveLength(LIMIT - 1);
    for (const [i, { status, headers }] of answers.entries()) {
      const to = browsers[i] && isSignedIn(browsers[i]) ? '/' : '/?signIn=failed&reason=tooOften';
      expect([status, headers.location]).toEqual([303, to]);
    }
    // A refused sign-in ends no session of the browser.
    const [browser] = inside as [TestBrowser];
    expect((await signIn(browser, claims)).headers.location).toContain('tooOften');
    const { sessions } = (await browser.get('/api/sessions')).body as { sessions: unknown[] };
    expect(sessions).toHaveLength(LIMIT - 1);
    // A person causes it: the platform team gets no alarm.
    expect(new Set(portal.telemetry.metrics)).toEqual(new Set(['SignIns', 'SignInsRefused']));
  });

  test('of others, and in the next minute, as many again', async () => {
    const { portal, person } = claimants({ signInsPerMinute: 1 });
    const claims = somebody();
    expect((await Promise.all([person(claims), person(claims)])).filter(isSignedIn)).toHaveLength(1);
    expect(isSignedIn(await person())).toBe(true);
    portal.clock.nowMs += MINUTE_MS;
    expect((await Promise.all([person(claims), person(claims)])).filter(isSignedIn)).toHaveLength(1);
  });
});
