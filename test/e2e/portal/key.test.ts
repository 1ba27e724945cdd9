import { beforeEach, describe, expect, test } from '@jest/globals';
import { chromium } from 'playwright-core';
import { tracesOf } from '../../support/secrets/browser.ts';
import { findBrowser } from '../../support/chromium.ts';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { ping } from '../../support/portal-site.ts';
import {
  closeKey,
  createKey,
  settleAtKeys,
  shownKey,
  visit,
  type Settled,
  holdClock,
  choose,
  YOU,
} from '../../support/portal-visit.ts';

describeInPortal('a new key', () => {
  let settled: Settled;
  beforeEach(async () => {
    settled = await settleAtKeys(visited);
  });

  const dialog = () => page.getByRole('alertdialog');
  const isOnPage = (key: string, of = page): Promise<boolean> =>
    of.evaluate((text) => document.documentElement.outerHTML.includes(text), key);

  /** Everything that a page can leave behind, as one text. */
  const traces = async (): Promise<string> => {
    const { kept } = await tracesOf(page);
    const fields = await page
      .locator('input, textarea')
      .evaluateAll((all: HTMLInputElement[]) => all.map(({ value }) => value));
    return kept + fields.join() + JSON.stringify(await settled.context.storageState({ indexedDB: true }));
  };

  test('is nowhere but where it is shown, and goes nowhere but to the gateway', async () => {
    const printed: string[] = [];
    page.on('console', (message) => printed.push(message.text()));
    const key = await createKey(settled, 'CI');
    await page.getByRole('button', { name: 'Send a test ping' }).click();
    await dialog()
      .getByText(/^200, /)
      .waitFor();
    expect(await traces()).not.toContain(key);
    await closeKey(page);
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('table', { name: 'Requests' }).waitFor();
    expect(await traces()).not.toContain(key);
    expect(printed.join('\n')).not.toContain(key);

    const carriers: string[] = [];
    for (const request of settled.requests) {
      const { origin } = new URL(request.url());
      // The sign-in goes through the provider's page.
      if (!request.isNavigationRequest()) expect([site.portalUrl, site.url]).toContain(origin);
      const headers = await request.allHeaders();
      const { authorization = '', ...others } = headers;
      expect(`${request.url()}${JSON.stringify(others)}${request.postData() ?? ''}`).not.toContain(key);
      if (authorization.includes(key)) carriers.push(`${request.method()} ${request.url()}`);
      if (origin === site.url) expect(headers.cookie).toBeUndefined();
    }
    expect(carriers).toEqual([`POST ${site.url}/api/v1/sandbox/ping`]);
    expect(await isOnPage(key)).toBe(false);
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('cell', { name: `svc_test_…${key.slice(-4)}` }).waitFor();
  });

  describe('is lost for good', () => {
    test('when the page is read again, which asks first', async () => {
      const key = await createKey(settled, 'CI');
      const asked: string[] = [];
      page.on('dialog', (question) => {
        asked.push(question.type());
        void question.accept();
      });
      await page.reload();
      await page.getByRole('table', { name: 'Keys' }).waitFor();
      expect(asked).toEqual(['beforeunload']);
      expect(await isOnPage(key)).toBe(false);
    });

    test('when one goes back, which asks first, and forward again', async () => {
      await page.getByRole('link', { name: 'Usage' }).click();
      await page.getByText('No request in the last 24 hours.').first().waitFor();
      await page.getByRole('link', { name: 'Keys', exact: true }).click();
      const key = await createKey(settled, 'CI');
      await page.evaluate(() => history.back());
      await page.getByText('You have not copied the key.').waitFor();
      expect(await isOnPage(key)).toBe(true);
      await page.getByRole('button', { name: 'Close without a copy' }).click();
      expect(await isOnPage(key)).toBe(false);
      await page.goBack();
      await page.getByText('No request in the last 24 hours.').first().waitFor();
      expect(await isOnPage(key)).toBe(false);
      await page.goForward();
      await page.getByRole('table', { name: 'Keys' }).waitFor();
      expect(await isOnPage(key)).toBe(false);
    });
  });

  test('is not on the page that the browser keeps for Back, nor is the account after a sign-out', async () => {
    // By default the browsers of Playwright keep no page.
    const keeping = await chromium.launch({
      executablePath: findBrowser() ?? '',
      args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'],
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    });
    try {
      const other = await visit(keeping, site.portalUrl);
      const { page } = other;
      // A kept page is shown again unchanged; of any other page only the address remains.
      await page.addInitScript(() => {
        addEventListener('pageshow', ({ persisted }) => Object.assign(globalThis, { wasKept: persisted }));
      });
      const wasKept = () => page.evaluate(() => (globalThis as { wasKept?: boolean }).wasKept);
      await settleAtKeys(other);
      const key = await createKey(other, 'of the build');
      await page.getByRole('button', { name: 'Copy the key' }).click();
      await page.goto(`${site.url}/docs`);
      await page.goBack();
      await page.getByText('of the build').first().waitFor();
      expect([await wasKept(), await isOnPage(key, page)]).toEqual([false, false]);
      // Another browser may still keep a page: when it is shown again, it is loaded again, for the person who is signed
      // in then.
      const loaded = page.waitForEvent('load');
      await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
      await loaded;
      await page.getByText('of the build').first().waitFor();

      await choose(page, YOU, 'Sign out');
      await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
      expect([await wasKept(), await isOnPage(key, page), await isOnPage('of the build', page)]).toEqual([
        false,
        false,
        false,
      ]);
      await other.context.close();
    } finally {
      await keeping.close();
    }
  });

  test('is not closed over without a question, until it was copied', async () => {
    const key = await createKey(settled, 'CI');
    const question = page.getByText('You have not copied the key.');
    // Nor is what is searched laid over it.
    await page.keyboard.press('Control+k');
    expect(await page.getByRole('combobox').count()).toBe(0);
    for (let attempt = 0; attempt < 4; attempt++) await page.keyboard.press('Escape');
    await question.waitFor();
    await page.getByRole('button', { name: 'Keep it open' }).click();
    await page.mouse.click(5, 5);
    expect(await question.count()).toBe(0);
    expect(await isOnPage(key)).toBe(true);
    await page.getByRole('button', { name: 'Close' }).click();
    await question.waitFor();
    await page.getByRole('button', { name: 'Close without a copy' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await isOnPage(key)).toBe(false);
  });

  test('a clipboard that fails is reported and does not count as a copy; a copy by hand does', async () => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
    });
    await createKey(settled, 'CI');
    await page.getByRole('button', { name: 'Copy the key' }).click();
    await page.getByText('Your browser did not let the page copy.').first().waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('You have not copied the key.').waitFor();
    await page.getByRole('button', { name: 'Keep it open' }).click();
    await dialog().locator('code').first().click({ clickCount: 3 });
    await page.keyboard.press('Control+C');
    await page.getByRole('button', { name: 'Close' }).click();
    await dialog().waitFor({ state: 'detached' });
  });

  test('nothing is read again while it is shown: neither a timer nor an ended session takes it off the page', async () => {
    await holdClock(settled);
    await page.reload();
    const key = await createKey(settled, 'CI');
    await settled.context.clearCookies();
    const before = settled.requests.length;
    await page.clock.fastForward(600_000);
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
    await page.clock.runFor(60_000);
    expect(settled.requests.slice(before).map((request) => request.url())).toEqual([]);
    expect(await isOnPage(key)).toBe(true);
    await closeKey(page);
    await page.getByText('Your session has ended.').waitFor();
    settled.forgive('status of 401');
  });

  test('gives the focus back to where it was before the two dialogs', async () => {
    await createKey(settled, 'CI');
    await closeKey(page);
    await page.getByRole('button', { name: /^Actions of CI/ }).waitFor();
    const button = page.getByRole('button', { name: 'Create key' });
    await button.click();
    await page.getByRole('dialog').getByLabel('Name of the key').fill('Laptop');
    await page.keyboard.press('Enter');
    await shownKey(page);
    await closeKey(page);
    await button.and(page.locator(':focus')).waitFor();
  });

  test('rotated while the key that it replaced still works: that one is named, with its last use, and ends; at once: so does its own', async () => {
    const send = (apiKey: string): Promise<number> => ping(site, apiKey).then(({ status }) => status);
    const rotate = async (): Promise<void> => {
      await choose(page, /^Actions of CI/, 'Rotate');
      await page.getByText('for 7 days').click();
    };
    const first = await createKey(settled, 'CI');
    await closeKey(page);
    expect(await send(first)).toBe(200);
    await choose(page, /^Actions of CI/, 'Rotate');
    await page.getByRole('button', { name: 'Rotate key' }).click();
    const second = await shownKey(page);
    await closeKey(page);
    // A page that has not seen the first key asks after the refusal.
    await page.route(/\/api\/.*\/keys(\?|$)/, async (route) => {
      const response = await route.fetch();
      if (route.request().method() !== 'GET') return route.fulfill({ response });
      const { keys } = (await response.json()) as { keys: { replacedBy: string | null }[] };
      return route.fulfill({ response, json: { keys: keys.filter(({ replacedBy }) => replacedBy === null) } });
    });
    await page.reload();
    await rotate();
    await page.getByRole('button', { name: 'Rotate key' }).click();
    await dialog().getByText('Rotating ends it at once').waitFor();
    settled.forgive('status of 409');
    expect(await page.getByRole('radio', { name: 'for 7 days' }).isChecked()).toBe(true);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.unrouteAll({ behavior: 'wait' });
    // One that has seen it asks before.
    await page.reload();
    await rotate();
    await dialog().getByText('Rotating ends it at once').waitFor();
    expect(await dialog().textContent()).toContain(`…${first.slice(-4)} was last used`);
    await page.getByRole('button', { name: 'Rotate and end the older key' }).click();
    const third = await shownKey(page);
    expect([await send(first), await send(second), await send(third)]).toEqual([401, 200, 200]);
    await closeKey(page);

    await page
      .getByText(`…${third.slice(-4)}`)
      .first()
      .waitFor();
    await choose(page, /^Actions of CI/, 'Rotate');
    await page.getByText('not at all:').click();
    await page
      .getByRole('button', { name: /^Rotate/ })
      .last()
      .click();
    const fourth = await shownKey(page);
    expect([await send(third), await send(fourth)]).toEqual([401, 200]);
    await closeKey(page);
    await page.getByRole('link', { name: 'Ended' }).click();
    await page.getByText('Expired', { exact: true }).first().waitFor();
    await page.getByText(`new key: …${fourth.slice(-4)}`).waitFor();
    // The refusal has its code in the list; the page of the request says what to do.
    await page.getByRole('row').filter({ hasText: 'API_KEY_EXPIRED' }).first().getByRole('link').click();
    await page.getByText('Use the key that replaced it').waitFor();
  });
});
