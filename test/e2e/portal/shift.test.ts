import { beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInPortal } from '../../support/portal-browser.ts';
import { ping, type Site } from '../../support/portal-site.ts';
import { newKey, settle, type Visit, WITH_MOTION } from '../../support/portal-visit.ts';

/** The maximum movement of visible content while a page loads, as browsers measure it ("cumulative layout shift"). */
const MOST = 0.02;
const WIDTHS = [390, 1280];

interface Shift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
}

describeInPortal('while a page comes', (onVisit) => {
  let site: Site;
  let visited: Visit;
  let page: Page;
  onVisit((portal) => ({ site, visited, page } = portal));
  beforeEach(() => page.emulateMedia(WITH_MOTION));

  /** Opens the page and waits for its heading: a slow machine can be quiet for half a second before it. */
  const open = async (path: string): Promise<void> => {
    await page.goto(site.portalUrl + path, { waitUntil: 'networkidle' });
    await page.locator('main h1').first().waitFor();
  };

  const shiftOf = (): Promise<number> =>
    page.evaluate(async () => {
      const entries: Shift[] = [];
      const observer = new PerformanceObserver((list) => entries.push(...(list.getEntries() as Shift[])));
      observer.observe({ type: 'layout-shift', buffered: true });
      // A shift is recorded when its frame is laid out. The second frame begins after the first was.
      const frame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      await frame();
      await frame();
      entries.push(...(observer.takeRecords() as Shift[]));
      return entries.reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0);
    });

  test('what moves is measured', async () => {
    await open('/docs');
    await page.evaluate(() => {
      const pushing = document.createElement('div');
      pushing.style.height = '200px';
      document.querySelector('main')?.prepend(pushing);
    });
    expect(await shiftOf()).toBeGreaterThan(MOST);
  });

  test('nothing that is seen moves', async () => {
    const settled = await settle(visited);
    const { accountId, projectPath } = settled;
    await ping(site, (await newKey(settled, { name: 'CI' })).key);
    const account = `/accounts/${accountId}`;
    const paths = [
      account,
      `${projectPath}/keys`,
      `${projectPath}/usage`,
      `${account}/team`,
      `${account}/settings`,
      `${account}/settings/notices`,
      '/profile',
      '/docs',
    ];
    for (const path of paths) {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await open(path);
        const shift = await shiftOf();
        expect([path, width, shift < MOST ? 'still' : shift]).toEqual([path, width, 'still']);
      }
    }
  });

  test.each(['the first first', 'the last first'] as const)(
    'nothing that is seen moves when answers are slow and come %s',
    async (order) => {
      const settled = await settle(visited);
      const { accountId, projectPath } = settled;
      await newKey(settled, { name: 'CI' });
      let asked = 0;
      await page.route('**/api/**', async (route) => {
        const nth = asked++;
        await new Promise((resolve) => setTimeout(resolve, order === 'the first first' ? nth * 100 : 600 - nth * 100));
        await route.continue();
      });
      for (const path of [`${projectPath}/usage`, `/accounts/${accountId}/audit`]) {
        for (const width of WIDTHS) {
          asked = 0;
          await page.setViewportSize({ width, height: 900 });
          await open(path);
          const shift = await shiftOf();
          expect([path, width, shift < MOST ? 'still' : shift]).toEqual([path, width, 'still']);
        }
      }
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    },
  );
});
