import { beforeEach, expect, test } from '@jest/globals';
import { chromium } from 'playwright-core';
import { tracesOf } from '../../support/secrets/browser.ts';
import { findBrowser } from '../../support/chromium.ts';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { ping } from '../../support/portal-site.ts';
import {
  change,
  choose,
  closeKey,
  createKey,
  holdClock,
  newKey,
  operate,
  settleAtKeys,
  settleWithKey,
  shownKey,
  visit,
  YOU,
  type Settled,
} from '../../support/portal-visit.ts';
import { look } from './look.ts';

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
    await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Requests' }).click();
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
    await page.getByRole('link', { name: `CI …${key.slice(-4)}` }).waitFor();
  });

  test('is on one line, and nothing of its dialog has to be scrolled on a screen of 1280 by 800, in any language', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await createKey(settled, 'CI');
    expect(
      await dialog()
        .locator('code')
        .first()
        .evaluate((code) => code.getClientRects().length),
    ).toBe(1);
    const scrolled = (): Promise<string[]> =>
      page.evaluate(() =>
        [...document.querySelectorAll('[role=alertdialog], [role=alertdialog] *')]
          .flatMap((element) => [element, element.parentElement ?? element])
          .filter((box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1)
          .filter((box) => /auto|scroll/.test(getComputedStyle(box).overflow))
          .map((box) => box.outerHTML.slice(0, 100)),
      );
    for (const language of ['TypeScript', 'Python', 'curl']) {
      await dialog().locator('label', { hasText: language }).click();
      await dialog()
        .getByRole('group', { name: `the commands with ${language}` })
        .waitFor();
      expect([language, await scrolled()]).toEqual([language, []]);
    }
    await page.getByRole('button', { name: 'Send a test ping' }).click();
    await dialog()
      .getByText(/^200, /)
      .waitFor();
    expect(await scrolled()).toEqual([]);
    await closeKey(page);
  });

  test('is lost for good when one goes back, or reads the page again, which both ask first', async () => {
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('No request in the last 24 hours.').first().waitFor();
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    const key = await createKey(settled, 'CI');
    await page.evaluate(() => history.back());
    await page.getByText('You have not copied the key.').waitFor();
    expect(await isOnPage(key)).toBe(true);
    await page.getByRole('button', { name: 'Close without a copy' }).click();
    await page.goBack();
    await page.getByText('No request in the last 24 hours.').first().waitFor();
    expect(await isOnPage(key)).toBe(false);
    await page.goForward();
    await page.getByRole('table', { name: 'Keys' }).waitFor();
    expect(await isOnPage(key)).toBe(false);

    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name of the key').press('Enter');
    const other = await shownKey(page);
    const asked: string[] = [];
    page.on('dialog', (question) => {
      asked.push(question.type());
      void question.accept();
    });
    await page.reload();
    await page.getByRole('table', { name: 'Keys' }).waitFor();
    expect([asked, await isOnPage(other)]).toEqual([['beforeunload'], false]);
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
    expect(await page.getByRole('combobox', { name: /request id/ }).count()).toBe(0);
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

  test('rotated while the key that it replaced still works: that one is named, with its last use, and ends', async () => {
    const send = (apiKey: string): Promise<number> => ping(site, apiKey).then(({ status }) => status);
    const rotate = async (word: string): Promise<string> => {
      await choose(page, /^Actions of CI/, 'Rotate');
      if (word !== 'Rotate key') await dialog().getByText('Rotating ends it at once').waitFor();
      if (word !== 'Rotate key') expect(await dialog().textContent()).toContain(`…${first.slice(-4)} was last used`);
      await page.getByRole('button', { name: word }).click();
      const key = await shownKey(page);
      await closeKey(page);
      return key;
    };
    const first = await createKey(settled, 'CI');
    await closeKey(page);
    expect(await send(first)).toBe(200);
    const second = await rotate('Rotate key');
    await page.reload();
    const third = await rotate('Rotate and end the older key');
    expect([await send(first), await send(second), await send(third)]).toEqual([401, 200, 200]);
  });
});

describeInPortal('the list of keys', () => {
  const list = () => page.getByRole('table', { name: 'Keys' });
  const row = (text: string) => list().getByRole('row').filter({ hasText: text });

  test('says of each key its days, its units, how its last request ended, when and by whom, and its end', async () => {
    const { projectPath, key, ...settled } = await settleWithKey(visited, { name: 'CI', unitsLimit: 10 });
    const day = await newKey({ ...settled, projectPath }, { name: 'for a day', expiresInDays: 1 });
    await ping(site, key, { 'User-Agent': 'import/1.2' });
    await ping(site, day.key, { 'User-Agent': 'import/1.3', 'Content-Type': 'text/plain' });
    await page.goto(`${site.portalUrl}${projectPath}/keys`);
    await row('CI').getByText('by import/1.2').waitFor();
    expect(await list().getByRole('columnheader').allInnerTexts()).toEqual([
      'Name',
      '7 days',
      'Units',
      'Last answer',
      'Ends',
      'Actions',
    ]);
    await row('CI').getByText('just now').waitFor();
    await row('CI').getByRole('img', { name: '1 unit in the last 7 days: 0, 0, 0, 0, 0, 0, 1' }).waitFor();
    await row('CI').getByText('1 of 10').waitFor();
    await row('for a day').getByText('UNSUPPORTED_MEDIA_TYPE').waitFor();
    await row('for a day')
      .getByRole('img', { name: /^0 units/ })
      .waitFor();
    // Made for a day it is no warning that it ends in one.
    expect(
      await row('for a day')
        .getByText(/expires/i)
        .count(),
    ).toBe(0);
    expect(await list().innerText()).not.toContain('svc_');
    await look(page, 'list of keys');
    // It goes on by itself.
    await ping(site, key, { 'User-Agent': 'import/1.4', 'Content-Type': 'text/plain' });
    await row('CI').getByText('by import/1.4').waitFor();
    await row('CI')
      .getByRole('link', { name: /Refused/ })
      .click();
    await page.getByRole('dialog').getByText('import/1.4').waitFor();
  });

  test('can be filtered from eight keys on; a key that is pasted there finds itself, and is in no address', async () => {
    const { projectPath, key, ...settled } = await settleWithKey(visited);
    const field = page.getByRole('searchbox', { name: 'Filter the keys' });
    const more = (name: string) => newKey({ ...settled, projectPath }, { name });
    for (const name of ['two', 'three', 'four', 'five', 'six', 'seven']) await more(name);
    await page.goto(`${site.portalUrl}${projectPath}/keys`);
    await page.getByRole('heading', { name: '7 active keys' }).waitFor();
    expect(await field.count()).toBe(0);
    await more('eight');
    await page.reload();
    const names = () => list().getByRole('row').locator('a[href*="/keys/"]').allInnerTexts();
    await field.fill('SEV');
    expect(await names()).toEqual([expect.stringMatching(/^seven/)]);
    await field.fill('nine');
    await page.getByText('No key is called so.').waitFor();
    await look(page, 'keys that no filter names');
    await page.getByRole('button', { name: 'Show all keys' }).click();
    expect(await names()).toHaveLength(8);
    await field.fill(key);
    expect(await names()).toEqual([`CI …${key.slice(-4)}`]);
    expect(page.url()).not.toContain('svc_');
    expect(settled.requests.filter((request) => request.url().includes('svc_'))).toEqual([]);
    await field.fill('');
  });
});

describeInPortal('the page of a key', () => {
  const figure = (name: string) => page.locator('dl > div').filter({ hasText: name });

  test('is reached from the list by its name, by keyboard, and says what the key is and does', async () => {
    const { projectPath, key, keyId } = await settleWithKey(visited);
    await ping(site, key);
    await ping(site, key, { 'Content-Type': 'text/plain' });
    await page.goto(`${site.portalUrl}${projectPath}/keys`);
    const link = page.getByRole('table', { name: 'Keys' }).getByRole('link', { name: 'CI' });
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'CI', level: 1 }).waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    expect(await page.title()).toBe(`CI …${key.slice(-4)} · Keys · Developer portal`);
    await figure('Units in').getByText('1', { exact: true }).waitFor();
    // The minute of the pings is not known.
    await figure('Rate now').getByText('of 60 this minute').waitFor();
    await figure('Last used').getByText('Refused, 415 UNSUPPORTED_MEDIA_TYPE').waitFor();
    await page.getByRole('table', { name: 'Requests' }).getByText('Succeeded').waitFor();
    await page.getByRole('button', { name: /^Units by day in .*: show as table$/ }).click();
    await page.getByRole('table', { name: /^Units by day/ }).waitFor();
    const copy = page.getByRole('button', { name: `Copy the id of the key, ${keyId}` });
    await copy.first().press('Enter');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(keyId);
    await look(page, 'key');
    // What is done in a hurry is a button, everything else an entry of the menu.
    const actions = page.locator('header:has(h1)');
    expect(
      await actions.getByRole('button', { name: /^(Rotate|Pause|Rename|Cap|Change|Revoke)/ }).allInnerTexts(),
    ).toEqual(['Rotate', 'Pause']);
    await page.getByRole('button', { name: /^Actions of CI/ }).click();
    await page.getByRole('menu').waitFor();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
      'Rename',
      'Cap its units …',
      'Change its expiry …',
      'Revoke …',
    ]);
    await look(page, 'menu of the page of a key');
  });

  test('shows a rotation while two keys work: who uses the old one, and whether it can be ended now', async () => {
    const settled = await settleWithKey(visited);
    const { projectPath, key, keyId, keys } = settled;
    const next = await change<{ key: string }>(settled, 'POST', `${keys}/${keyId}/rotate`, { graceHours: 24 });
    await page.goto(`${site.portalUrl}${projectPath}/keys/${keyId}`);
    const card = page.locator('section').filter({ hasText: 'Rotation: two keys work' });
    await card.getByText('0 requests since the rotation').waitFor();
    await card.getByText('Too early to tell').waitFor();
    await ping(site, key, { 'User-Agent': 'old-server/1.0' });
    // The page reads it again by itself.
    await card.getByText('1 request since the rotation').waitFor({ timeout: 20_000 });
    await card.getByText('Its newest requests were sent by old-server/1.0').waitFor();
    await card.getByText('Not safe to end yet').waitFor();
    await look(page, 'rotated key');

    // The page of the new key shows the same rotation.
    await card.getByRole('link', { name: `svc_test_…${next.key.slice(-4)}` }).click();
    await card.getByText(`svc_test_…${next.key.slice(-4)} (this one)`).waitFor();
    await card.getByRole('button', { name: 'End the old key …' }).click();
    const asked = page.getByRole('alertdialog', { name: 'End the old key' });
    await asked.getByText('1 request', { exact: true }).waitFor();
    await asked.getByText(/^Since the rotation, /).waitFor();
    await asked.getByText('old-server/1.0', { exact: true }).waitFor();
    await asked.getByRole('link').and(asked.locator('[href*="?request="]')).waitFor();
    await look(page, 'end of an old key that is still used');
    await asked.getByRole('button', { name: 'End it anyway' }).click();
    await card.waitFor({ state: 'detached' });
    expect([(await ping(site, key)).status, (await ping(site, next.key)).status]).toEqual([401, 200]);
  });
});

describeInPortal('the end of a key', () => {
  const asked = () => page.getByRole('alertdialog');
  const facts = () => asked().locator('dl').innerText();

  test('says what used it in 24 hours where it was not rotated, and its button that it is used', async () => {
    const settled = await settleWithKey(visited);
    const list = page.getByRole('table', { name: 'Keys' });
    await page.goto(`${site.portalUrl}${settled.projectPath}/keys`);
    await choose(page, /^Actions of CI/, 'Revoke');
    await asked().getByText('0 requests').waitFor();
    await asked().getByText('not among the newest requests').first().waitFor();
    await asked().getByRole('button', { name: 'Revoke key' }).waitFor();
    await page.keyboard.press('Escape');
    await ping(site, settled.key, { 'User-Agent': 'nightly/2.4 (linux)' });
    await page.reload();
    await choose(page, /^Actions of CI/, 'Revoke');
    await asked().getByRole('button', { name: 'End it anyway' }).waitFor();
    await asked().getByText('nightly/2.4').waitFor();
    expect(await facts()).toMatch(
      /In the last 24 hours\s+1 request\s+Last used\s+just now\s+Last sender\s+nightly\/2\.4/,
    );
    await page.keyboard.press('Escape');
    expect(await list.innerText()).toContain('just now');
    await list.getByRole('link', { name: 'CI' }).click();
    await page.locator('dl > div').filter({ hasText: 'Last used' }).getByText('just now').waitFor();
  });

  test('of an old key that is paused, or not used since, asks for no more than that; two keys do not work then', async () => {
    const settled = await settleWithKey(visited);
    const { projectPath, keys, keyId, path } = settled;
    await change(settled, 'POST', `${keys}/${keyId}/rotate`, { graceHours: 24 });
    await page.goto(`${site.portalUrl}${projectPath}/keys/${keyId}`);
    await page.getByText('Rotation: two keys work').waitFor();
    await change(settled, 'PATCH', path, { paused: true });
    await ping(site, settled.key);
    await page.getByText('Rotation: the old key is paused').waitFor({ timeout: 20_000 });
    await page.getByText('1 request since the rotation').waitFor({ timeout: 20_000 });
    // A refused request is no use: page and list say the same.
    await page.locator('dl > div').filter({ hasText: 'Last used' }).getByText('not yet').waitFor();
    await page.getByText('Refused, 403 API_KEY_PAUSED').waitFor();
    await look(page, 'rotation with a paused old key');
    await page.getByRole('button', { name: 'End the old key …' }).click();
    await asked().getByRole('button', { name: 'End the old key', exact: true }).click();
    await asked().waitFor({ state: 'detached' });
    expect((await ping(site, settled.key)).status).toBe(401);
  });
});

describeInPortal('the cap of a key', () => {
  const field = () => page.getByLabel('Limit of units');
  const period = () => page.getByLabel('Period of the limit');
  const meter = () => page.getByRole('meter', { name: 'Cap used' });
  const save = () => page.getByRole('button', { name: 'Save' });

  test('is given with a new key, and shown in the list and on its page with what is used of it', async () => {
    await settleAtKeys(visited);
    await page.getByLabel('Name of the key').fill('Agent');
    await field().fill('some');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Give a whole number up to 1,000,000,000').waitFor();
    await look(page, 'creation with a wrong cap');
    await field().fill(' 2 ');
    // As the quota does, unless another period is chosen.
    await page.getByText(/^It begins again on 1 \w+, 00:00 UTC\. The project has 10,000 a month\.$/).waitFor();
    await period().selectOption('once');
    await page.getByText('It never begins again: when its units are used, requests are refused').waitFor();
    await period().selectOption('week');
    await page.getByText(/^It begins again on Monday, \d+ \w+, 00:00 UTC\./).waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = await shownKey(page);
    await closeKey(page);
    for (let n = 0; n < 3; n++) await ping(site, key);
    await page.reload();
    await meter().waitFor();
    expect(await meter().getAttribute('aria-valuetext')).toMatch(/^2 of 2 units a week, until Monday, /);
    await page.getByText('cap of 2 a week used up').waitFor();
    await look(page, 'list with a used-up cap');
    await page.getByRole('table', { name: 'Keys' }).getByRole('link', { name: 'Agent' }).click();
    await page.getByText('of 2 a week').waitFor();
    await page.getByText(/^0 left until Monday, /).waitFor();
    await page.getByRole('table', { name: 'Requests' }).getByText('KEY_QUOTA_EXCEEDED').first().waitFor();
    await look(page, 'page of a key with a used-up cap');
  });

  test('is changed in its dialog, which says what follows, and asks where every request would be refused', async () => {
    const settled = await settleWithKey(visited, { name: 'Agent', unitsLimit: 1 });
    await ping(site, settled.key);
    await page.goto(`${site.portalUrl}${settled.projectPath}/keys`);
    await choose(page, /^Actions of Agent/, 'Cap its units');
    await page.getByText('1 used: the next requests are refused. It begins again on ').waitFor();
    await field().fill('7');
    await page.getByText('1 used. It begins again on ').waitFor();
    await period().selectOption('day');
    await save().click();
    await page.getByText('The cap is now 7 units a day.').first().waitFor();
    await page.getByText('0 of 7 a day').waitFor();
    await choose(page, /^Actions of Agent/, 'Cap its units');
    await field().fill('0');
    await save().click();
    await page.getByText('With a cap of 0 every request of the key is refused.').waitFor();
    await look(page, 'dialog of a cap of nothing');
    await page.getByRole('button', { name: 'Refuse every request' }).click();
    await page.getByText('The cap is now 0 units a day.').first().waitFor();
    expect((await ping(site, settled.key)).status).toBe(429);
  });
});

describeInPortal('a budget of several keys', () => {
  const row = (name: string) => page.getByRole('table', { name: 'Keys' }).getByRole('row').filter({ hasText: name });
  const note = () => page.getByText('shares one budget with');

  test('is shared from a key of it, shown with its keys, and stopped for all of them with one change', async () => {
    const settled = await settleWithKey(visited, { name: 'Run', unitsLimit: 3, unitsPeriod: 'once' });
    const status = async (key: string) => (await ping(site, key)).status;
    await page.goto(`${site.portalUrl}${settled.projectPath}/keys`);
    await choose(page, /^Actions of Run/, 'New key under this budget');
    await page.getByText('The keys of a budget spend its units together.').waitFor();
    await look(page, 'new key under a budget');
    const worker = await createKey(settled, 'Worker');
    await closeKey(page);
    await page.getByText('2 keys share 0 of 3 units').waitFor();
    // The form of any new key offers it, too.
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Budget', { exact: true }).selectOption({ index: 1 });
    const helper = await createKey(settled, 'Helper');
    await closeKey(page);
    await page.getByText('3 keys share 0 of 3 units').waitFor();
    expect([await status(settled.key), await status(worker), await status(helper), await status(worker)]).toEqual([
      200, 200, 200, 429,
    ]);
    await page.reload();
    await page.getByText('3 keys share 3 of 3 units: used up').waitFor();
    // What each of them used of it stays its own.
    for (const name of ['Run', 'Worker', 'Helper']) await row(name).getByText('1', { exact: true }).waitFor();
    await look(page, 'list with a budget');

    await row('Worker').getByRole('link', { name: 'Worker' }).click();
    expect(await note().innerText()).toMatch(/with 2 other keys: .*Run …\w{4} \(the first\).* 0 stops them all/s);
    await page.getByText('0 left for 3 keys; it never begins again').waitFor();
    await look(page, 'page of a key with a budget');
    await choose(page, /^Actions of Worker/, 'Cap its units');
    await page.getByText('3 keys share it. A change is for all of them').waitFor();
    const field = page.getByLabel('Limit of units');
    await field.fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('0 stops all of its keys').waitFor();
    await field.fill('9');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The budget is now 9 units, once.').first().waitFor();
    expect([await status(settled.key), await status(helper)]).toEqual([200, 200]);
    await choose(page, /^Actions of Worker/, 'Cap its units');
    await field.fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('With a budget of 0 every request of these 3 keys is refused').waitFor();
    await look(page, 'dialog that stops a budget');
    await page.getByRole('button', { name: 'Stop 3 keys' }).click();
    await page.getByText('The budget is now 0 units, once.').first().waitFor();
    await page.getByText('stopped for 3 keys').waitFor();
    expect([await status(settled.key), await status(worker), await status(helper)]).toEqual([429, 429, 429]);
  });

  test('goes on after the end of its first key, and a key with too high a rate is told why it has none', async () => {
    const settled = await settleWithKey(visited, { name: 'Run', unitsLimit: 3, unitsPeriod: 'once' });
    const { keyId, keys, projectPath } = settled;
    const worker = await change<{ keyId: string; key: string }>(settled, 'POST', keys, {
      name: 'Worker',
      capOf: keyId,
    });
    await page.goto(`${site.portalUrl}${projectPath}/keys`);
    await choose(page, /^Actions of Run/, 'Revoke');
    await page.getByText('The other key of its budget goes on as before.').waitFor();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await row('Run').waitFor({ state: 'detached' });
    await row('Worker').getByText('0 of 3, once').waitFor();
    expect((await ping(site, worker.key)).status).toBe(200);
    await row('Worker').getByRole('link', { name: 'Worker' }).click();
    await page.getByText(/^No other working key .* The first, key_\w+, has ended\.$/).waitFor();

    const fast = await newKey(settled, { name: 'Fast', unitsLimit: 3, unitsPeriod: 'once' });
    await operate(site, 'key', 'update', '--project', settled.projectId, '--key', fast.keyId, '--rpm', '181');
    await page.goto(`${site.portalUrl}${projectPath}/keys`);
    await choose(page, /^Actions of Fast/, 'New key under this budget');
    await page.getByLabel('Name of the key').fill('Second');
    await page.getByRole('button', { name: 'Create key' }).last().click();
    await page.getByText('at most 180 requests a minute each').waitFor();
    expect(await page.getByLabel('Name of the key').inputValue()).toBe('Second');
    settled.forgive('status of 400');
  });
});
