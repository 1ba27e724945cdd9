import { beforeEach, expect, test } from '@jest/globals';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { ping } from '../../support/portal-site.ts';
import { newKey, settle, WITH_MOTION } from '../../support/portal-visit.ts';

/** The maximum movement of visible content while a page loads, as browsers measure it ("cumulative layout shift"). */
const MOST = 0.02;
const WIDTHS = [390, 1280];

interface Shift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
}

describeInPortal('while a page comes', () => {
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

  /** Fails for a page that moves, at either width. */
  const expectStill = async (path: string, before: () => void = () => undefined): Promise<void> => {
    for (const width of WIDTHS) {
      before();
      await page.setViewportSize({ width, height: 900 });
      await open(path);
      const shift = await shiftOf();
      expect([path, width, shift < MOST ? 'still' : shift]).toEqual([path, width, 'still']);
    }
  };

  const settledWithRequest = async () => {
    const settled = await settle(visited);
    await ping(site, (await newKey(settled, { name: 'CI' })).key);
    return { projectPath: settled.projectPath, account: `/accounts/${settled.accountId}` };
  };

  test('nothing that is seen moves', async () => {
    const { projectPath, account } = await settledWithRequest();
    for (const path of [
      account,
      `${projectPath}/keys`,
      `${projectPath}/requests`,
      `${projectPath}/usage`,
      `${account}/team`,
      `${account}/settings`,
      `${account}/settings/mails`,
      `${account}/developers/webhooks`,
      '/profile',
      '/docs',
    ])
      await expectStill(path);
  });

  test('nothing that is seen moves when answers are slow, and the last comes first', async () => {
    const { projectPath, account } = await settledWithRequest();
    let asked = 0;
    await page.route('**/api/**', async (route) => {
      const nth = asked++;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, 600 - nth * 100)));
      await route.continue();
    });
    for (const path of [`${projectPath}/requests`, `${projectPath}/usage`, `${account}/audit`])
      await expectStill(path, () => void (asked = 0));
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
