import { AxeBuilder } from '@axe-core/playwright';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

const SCHEMES = ['light', 'dark'] as const;
/** The narrowest screen that the portal is made for, which is also 1280 pixels at 400 %, and a common wide one. */
const WIDTHS = [320, 1280];
const HEIGHT = 800;

/** Fails on what axe finds in either scheme, and on a page that is wider than the screen. */
export async function look(page: Page, what: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    // Once what measures its own width has drawn itself again.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([what, width, scrollWidth]).toEqual([what, width, width]);
  }
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const axe = new AxeBuilder({ page }).setLegacyMode();
    // Nothing but the colours differs between the two.
    if (colorScheme === 'dark') axe.withRules('color-contrast');
    const { violations } = await axe.analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    expect([what, colorScheme, found]).toEqual([what, colorScheme, []]);
  }
}
