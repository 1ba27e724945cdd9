import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInPortal } from '../../support/portal-browser.ts';
import type { PortalSite } from '../../support/portal-site.ts';
import { settle, signIn, type Visit } from '../../support/portal-visit.ts';

/** The page's ground, `--bg` of portal/styles/tokens.css. */
const GROUND = { light: 'rgb(250, 250, 248)', dark: 'rgb(19, 19, 18)' } as const;

describeInPortal('what a reader chooses:', (onVisit) => {
  let site: PortalSite;
  let visited: Visit;
  let page: Page;
  onVisit((portal) => ({ site, visited, page } = portal));

  describe('the colours', () => {
    const groundOf = (of: Page): Promise<string> => of.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const choose = (words: string) => page.getByLabel('Colours').selectOption(words);
    const kept = (): Promise<unknown> =>
      page.evaluate(() => [localStorage, sessionStorage].map((storage) => Object.fromEntries(Object.entries(storage))));

    test('are those of the machine until others are chosen, which are kept; nothing else is', async () => {
      await page.emulateMedia({ colorScheme: 'dark' });
      await signIn(visited);
      expect(await groundOf(page)).toBe(GROUND.dark);
      await choose('Light');
      expect(await groundOf(page)).toBe(GROUND.light);
      expect(await kept()).toEqual([{ theme: 'light' }, {}]);
      await page.reload();
      await page.getByLabel('Colours').waitFor();
      expect([await groundOf(page), await page.getByLabel('Colours').inputValue()]).toEqual([GROUND.light, 'light']);
      await choose('System');
      expect([await groundOf(page), await kept()]).toEqual([GROUND.dark, [{}, {}]]);
    });

    test('that were chosen are there before the app is, so that the page does not flash', async () => {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`${site.portalUrl}/docs`);
      await choose('Dark');
      // Nothing of the app runs any more: what is painted is what was there before it.
      await page.route(/\/assets\/(app|chunk)-.*\.js/, (route) => route.abort());
      await page.reload({ waitUntil: 'load' });
      expect(await page.locator('#app').innerHTML()).toBe('');
      expect(await groundOf(page)).toBe(GROUND.dark);
      visited.forgive('net::ERR_FAILED');
    });

    test('are followed by the other tabs', async () => {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`${site.portalUrl}/docs`);
      const other = await visited.context.newPage();
      await other.emulateMedia({ colorScheme: 'light' });
      await other.goto(`${site.portalUrl}/docs/errors`);
      await other.getByLabel('Colours').waitFor();
      await choose('Dark');
      await other.waitForFunction((dark) => getComputedStyle(document.body).backgroundColor === dark, GROUND.dark);
      expect(await other.getByLabel('Colours').inputValue()).toBe('dark');
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
      await page.getByLabel('Colours').waitFor();
      expect(await groundOf(page)).toBe(GROUND.light);
    });
  });

  describe('a time', () => {
    const settings = async () => {
      const { projectPath } = await settle(visited);
      await page.goto(`${site.portalUrl}${projectPath}/settings`);
      return page
        .getByRole('definition')
        .filter({ has: page.locator('time') })
        .getByRole('button');
    };
    const EXACT = /^\d{1,2} \w{3} \d{4},? (at )?\d\d:\d\d:\d\d \S+$/;

    test('is told exactly to who points at it, and to who presses it by keyboard, until it is pressed again', async () => {
      const created = await settings();
      const words = await created.innerText();
      expect(words).toMatch(/^\d{1,2}\s\w{3}$/);
      expect(await created.getAttribute('title')).toMatch(EXACT);
      await created.focus();
      await page.keyboard.press('Enter');
      expect(await created.innerText()).toBe(await created.getAttribute('title'));
      await page.keyboard.press('Space');
      expect(await created.innerText()).toBe(words);
    });
  });
});
