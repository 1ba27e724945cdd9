import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { HAS_PAGES, IS_FULL } from '../../support/extent.ts';
import { ROOT } from '../../support/processes.ts';

/** The code that runs in the page, as text. Its value would be copied out of the page. */
const AXE = `${readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')}; undefined`;
const SCHEMES = ['light', 'dark'] as const;
let looks = 0;
/** A landing looks in one scheme, by turns: `app/colours` computes the contrast of both. */
const schemes = () => (IS_FULL ? SCHEMES : SCHEMES.slice(looks++ % 2).slice(0, 1));
/** The narrowest screen that the portal supports, which is also 1280 pixels at 400 %, and a common wide one. */
const WIDTHS = [320, 1280];
const HEIGHT = 800;

/** Waits until what has changed is drawn. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/** Fails for each finding of axe in either scheme ({@link schemes}), and for a page that scrolls by what nobody sees. */
export async function look(page: Page, what: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    // After elements that measure their own width were drawn again.
    await drawn(page);
    // A chart may take its new width a moment after the page, on a busy machine.
    await page.waitForFunction((most) => document.documentElement.scrollWidth === most, width).catch(() => undefined);
    const { scrollWidth, scrollHeight } = await page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      return { scrollWidth, scrollHeight };
    });
    expect([what, width, scrollWidth]).toEqual([what, width, width]);
    expect([what, width, scrollHeight]).not.toEqual([what, width, HEIGHT + 1]);
  }
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  for (const [nth, colorScheme] of schemes().entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Only the colours differ between the two.
    const found = await violations(page, nth > 0 ? ['color-contrast'] : undefined);
    expect([what, colorScheme, found]).toEqual([what, colorScheme, []]);
  }
}

/**
 * The findings of axe by these rules (default: all), each with its rule and elements. The passed checks stay in the
 * page.
 */
const violations = (page: Page, rules: string[] | undefined): Promise<string[]> =>
  page.evaluate(
    async (options) => {
      const { axe } = window as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } };
      const { violations: found } = await axe.run(options);
      return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    },
    // It would read each style sheet again, for a rule that is off, and each medium: the portal has no sound.
    {
      preload: false,
      resultTypes: ['violations'],
      // It is the slowest. A landing that changes no page has `app/colours`.
      rules: { 'color-contrast': { enabled: HAS_PAGES } },
      ...(rules && { runOnly: { type: 'rule', values: rules } }),
    } satisfies RunOptions,
  );
