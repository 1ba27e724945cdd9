import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { enter, settle, settleAtKeys, YOU } from '../../support/portal-visit.ts';
import { look } from './look.ts';

/** The background of a page, `--bg` of portal/styles/tokens.css. */
const GROUND = { light: 'rgb(250, 251, 252)', dark: 'rgb(14, 16, 19)' } as const;

describeInPortal('what a reader chooses:', () => {
  describe('the colours', () => {
    const groundOf = (of: Page): Promise<string> => of.evaluate(() => getComputedStyle(document.body).backgroundColor);
    /** The menu of the signed-in person; if nobody is signed in, the separate menu of colours. */
    const menu = (of = page) => of.getByRole('button', { name: YOU }).or(of.getByRole('button', { name: 'Colours' }));
    const choose = async (words: string): Promise<void> => {
      await menu().click();
      await page.getByRole('menuitemradio', { name: words }).click();
      await page.getByRole('menu').waitFor({ state: 'detached' });
    };
    const chosen = async (of = page): Promise<string> => {
      await menu(of).click();
      const words = await of.getByRole('menuitemradio', { checked: true }).innerText();
      await of.keyboard.press('Escape');
      await of.getByRole('menu').waitFor({ state: 'detached' });
      return words;
    };
    const kept = (): Promise<unknown> =>
      page.evaluate(() => [localStorage, sessionStorage].map((storage) => Object.fromEntries(Object.entries(storage))));

    test('are those of the machine until others are chosen, which are kept; nothing else is', async () => {
      await page.emulateMedia({ colorScheme: 'dark' });
      await enter(visited);
      await page.goto(site.portalUrl);
      await menu().waitFor();
      expect(await groundOf(page)).toBe(GROUND.dark);
      await choose('Light');
      expect(await groundOf(page)).toBe(GROUND.light);
      expect(await kept()).toEqual([{ theme: 'light' }, {}]);
      await page.reload();
      await menu().waitFor();
      expect([await groundOf(page), await chosen()]).toEqual([GROUND.light, 'Light']);
      await choose('System');
      await page.waitForFunction((dark) => getComputedStyle(document.body).backgroundColor === dark, GROUND.dark);
      expect([await groundOf(page), await kept()]).toEqual([GROUND.dark, [{}, {}]]);
    });

    test('that were chosen are there before the app is, so that the page does not flash, and are followed by the other tabs', async () => {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`${site.portalUrl}/docs`);
      const other = await visited.context.newPage();
      await other.emulateMedia({ colorScheme: 'light' });
      await other.goto(`${site.portalUrl}/docs/errors`);
      await menu(other).waitFor();
      await choose('Dark');
      await other.waitForFunction((dark) => getComputedStyle(document.body).backgroundColor === dark, GROUND.dark);
      expect(await chosen(other)).toBe('Dark');
      // The app no longer runs: the page shows what was there before the app.
      await page.route(/\/assets\/(app|chunk)-.*\.js/, (route) => route.abort());
      await page.reload({ waitUntil: 'load' });
      expect(await page.locator('#app').innerHTML()).toBe('');
      expect(await groundOf(page)).toBe(GROUND.dark);
      visited.forgive('net::ERR_FAILED');
    });

    test('go by the machine where the browser keeps nothing', async () => {
      await page.addInitScript(() => {
        Object.defineProperty(window, 'localStorage', {
          get: () => {
            throw new DOMException('denied', 'SecurityError');
          },
        });
      });
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`${site.portalUrl}/docs`);
      await choose('Dark');
      expect(await groundOf(page)).toBe(GROUND.dark);
      await page.reload();
      await menu().waitFor();
      expect(await groundOf(page)).toBe(GROUND.light);
    });
  });

  test('a time is shown exactly when pointed at, and when pressed by keyboard, until it is pressed again', async () => {
    const { projectPath } = await settle(visited);
    await page.goto(`${site.portalUrl}${projectPath}/settings`);
    const created = page
      .getByRole('definition')
      .filter({ has: page.locator('time') })
      .getByRole('button');
    const words = await created.innerText();
    expect(words).toMatch(/^\d{1,2}\s\w{3}$/);
    expect(await created.getAttribute('title')).toMatch(/^\d{1,2} \w{3} \d{4},? (at )?\d\d:\d\d:\d\d \S+$/);
    await created.focus();
    await page.keyboard.press('Enter');
    expect(await created.innerText()).toBe(await created.getAttribute('title'));
    await page.keyboard.press('Space');
    expect(await created.innerText()).toBe(words);
  });

  test('a list of choices is chosen from by keyboard, and Esc closes it and not what is around it', async () => {
    const isOpen = (): Promise<boolean> => page.evaluate(() => document.querySelector('select:open') !== null);
    const { accountId, projectId } = await settle(visited);
    await page.goto(`${site.portalUrl}/accounts/${accountId}/developers/tokens`);
    await page.getByRole('button', { name: 'Create token' }).click();
    const list = page.getByRole('dialog').getByLabel('In', { exact: true });
    await list.focus();
    await page.keyboard.press('Space');
    expect(await isOpen()).toBe(true);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect([await isOpen(), await list.inputValue()]).toEqual([false, projectId]);
    await page.keyboard.press('Space');
    expect(await isOpen()).toBe(true);
    await page.keyboard.press('Escape');
    expect([await isOpen(), await page.getByRole('dialog').count()]).toEqual([false, 1]);
    expect(await list.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  describe('where to go, by typing:', () => {
    const field = () => page.getByRole('combobox', { name: /^Page, action, word of the documentation/ });
    const typed = async (text: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await field().waitFor();
      await page.keyboard.type(text);
    };
    const chosen = () => page.getByRole('dialog').getByRole('option', { selected: true });

    test('a page of a project, by parts of both names', async () => {
      const { projectPath } = await settleAtKeys(visited);
      await page.getByLabel('Name of the key').waitFor();
      // As after a menu: its button has the focus then.
      await page.getByRole('button', { name: YOU }).focus();
      await typed('trip us');
      await page.getByRole('option', { name: /^Usage .* Trip planner$/ }).waitFor();
      await look(page, 'the palette');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${site.portalUrl}${projectPath}/usage`);
      await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
      expect(await page.getByRole('dialog').count()).toBe(0);
    });

    test('the meaning of a code, also for who is not signed in; the arrows choose, Esc goes back to where one was', async () => {
      await page.goto(`${site.portalUrl}/docs`);
      const button = page.getByRole('button', { name: /^Search or go to/ });
      await button.focus();
      await typed('zebra crossing');
      await page.getByText('No page has this name.').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      // The focus comes back with the next frame.
      await button.and(page.locator(':focus')).waitFor();
      await typed('api key');
      const first = await chosen().innerText();
      await page.keyboard.press('ArrowDown');
      expect(await chosen().innerText()).not.toBe(first);
      await page.keyboard.press('ArrowUp');
      expect(await chosen().innerText()).toBe(first);
      await field().fill('limit exceeded');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.activeElement?.id === 'RATE_LIMIT_EXCEEDED');
    });
  });
});
