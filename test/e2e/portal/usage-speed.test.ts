import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { putUsage } from '../../support/portal-usage.ts';
import { settle } from '../../support/portal-visit.ts';
import { drawn } from './look.ts';

const HOUR_MS = 3_600_000;
/** The time of the reference on an idle machine with two cores; the test is for a slower one. */
const REFERENCE_MS = 22;
/** The slower machine takes this many times longer. */
const SLOWED = 4;
const MAX_ROUNDS = 10;
/** An "interaction to next paint" that feels immediate (web.dev, "INP"). */
const INP_MS = 200;

/** A time this many hours ago, in the middle of its hour. */
const ago = (hours: number): string => {
  const hour = Math.floor(Date.now() / HOUR_MS) - hours;
  return new Date(hour * HOUR_MS + HOUR_MS / 2).toISOString();
};

describeInPortal('what one does on a slow machine', () => {
  test('on the pages of usage and of requests, is seen at once', async () => {
    const settled = await settle(visited);
    const events = Array.from({ length: 200 }, (_, index) => ({ occurredAt: ago(index * 3), latencyMs: 10 + index }));
    await putUsage(site, settled, events);
    const session = await visited.context.newCDPSession(page);
    // The CPU time of the page's thread, relative to a reference: neither waiting nor a crowded core changes the
    // result.
    await session.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' });
    await session.send('Performance.enable');
    const taskMs = async (): Promise<number> => {
      const { metrics } = await session.send('Performance.getMetrics');
      return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN);
    };
    const quickest: Record<string, number> = {};
    const workOf = async (act: () => Promise<unknown>): Promise<number> => {
      await drawn(page);
      const beforeMs = await taskMs();
      await act();
      await drawn(page);
      return (await taskMs()) - beforeMs;
    };
    /**
     * Runs an action, and records the work of the page's thread until its result is visible, as a multiple of the
     * reference.
     */
    const seen = async (what: string, act: () => Promise<unknown>): Promise<void> => {
      const [before, work, after] = [await workOf(reference), await workOf(act), await workOf(reference)];
      quickest[what] = Math.min(quickest[what] ?? Infinity, work / ((before + after) / 2));
    };
    const reference = () =>
      page.evaluate(() => {
        const list = document.body.appendChild(document.createElement('div'));
        for (let count = 0; count < 2_000; count++) {
          list.appendChild(document.createElement('p')).textContent = String(count);
        }
        const height = list.offsetHeight;
        list.remove();
        return height;
      });
    /** Clicks without the search for the element, which is work of the test and not of the page. */
    const clicked = async (what: string, target: Locator): Promise<void> => {
      const element = await target.elementHandle();
      await seen(what, () => element.evaluate((found) => (found as HTMLElement).click()));
    };
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const tooSlow = () => Object.entries(quickest).filter(([, parts]) => !(parts * REFERENCE_MS * SLOWED < INP_MS));
    // Other work on a shared core makes a round only slower, so the quickest round counts.
    for (let round = 0; round === 0 || (round < MAX_ROUNDS && tooSlow().length > 0); round++) {
      await page.goto(`${site.portalUrl}${settled.projectPath}/usage`);
      await page.getByRole('img', { name: /^Requests by outcome/ }).waitFor();
      await clicked('range', page.getByRole('link', { name: '30 days' }));
      await page.getByRole('img', { name: 'in the last 30 days' }).first().waitFor();
      await page.getByRole('slider').first().focus();
      for (const step of [1, 2, 3]) await seen(`step ${step}`, () => page.keyboard.press('ArrowLeft'));
      await clicked('table', button('Requests by outcome: show as table'));
      await clicked('chart', button('Requests by outcome: show as chart'));

      await page.goto(`${site.portalUrl}${settled.projectPath}/requests?range=30d`);
      const first = page.getByRole('table', { name: 'Requests', exact: true }).getByRole('link').first();
      await first.waitFor();
      await page.getByRole('slider').focus();
      await seen('span', () => page.keyboard.press('Shift+ArrowLeft'));
      await clicked('filters', button('Filter'));
      await clicked('one request', first);
      await page.getByRole('dialog').waitFor();
      await seen('closed', () => page.keyboard.press('Escape'));
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    expect(Math.min(...Object.values(quickest))).toBeGreaterThan(0);
    expect(tooSlow()).toEqual([]);
  });
});
