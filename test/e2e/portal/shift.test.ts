import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInPortal } from '../../support/portal-browser.ts';
import { ping, type Site } from '../../support/portal-site.ts';
import { change, settle, type Visit } from '../../support/portal-visit.ts';

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

  const shiftOf = (): Promise<number> =>
    page.evaluate(async () => {
      const entries: Shift[] = [];
      const observer = new PerformanceObserver((list) => entries.push(...(list.getEntries() as Shift[])));
      observer.observe({ type: 'layout-shift', buffered: true });
      // The entries come with a frame, in a separate task.
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)));
      return entries.reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0);
    });

  test('what moves is measured', async () => {
    await page.goto(`${site.portalUrl}/docs`, { waitUntil: 'networkidle' });
    await page.evaluate(() => {
      const pushing = document.createElement('div');
      pushing.style.height = '200px';
      document.querySelector('main')?.prepend(pushing);
    });
    expect(await shiftOf()).toBeGreaterThan(MOST);
  });

  test('nothing that is seen moves', async () => {
    const { accountId, projectPath } = await settle(visited);
    const { key } = await change<{ key: string }>(visited, 'POST', `/api${projectPath}/keys`, { name: 'CI' });
    await ping(site, key);
    const account = `/accounts/${accountId}`;
    for (const path of [
      account,
      `${projectPath}/keys`,
      `${projectPath}/usage`,
      `${account}/team`,
      `${account}/settings`,
      '/profile',
      '/docs',
    ]) {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(site.portalUrl + path, { waitUntil: 'networkidle' });
        const shift = await shiftOf();
        expect([path, width, shift < MOST ? 'still' : shift]).toEqual([path, width, 'still']);
      }
    }
  });
});
