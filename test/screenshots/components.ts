/**
 * `npm run components`: pictures of the page of all components, in docs/images/components, at three widths, and of what
 * lies over a page, opened one after the other. To commit them is to say that somebody has looked at them. It runs the
 * portal on free ports.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { findBrowser, launch } from '../support/chromium.ts';
import { end } from '../support/processes.ts';
import { overlaysOf } from './overlays.ts';
import { pictureOf, sheetOf } from './picture.ts';
import { NOW_MS, startClockedSite } from './site.ts';

const WIDTHS_PX = [390, 768, 1280] as const;
const SEEN = 'docs/images/components';
const QUALITY = 80;

const executable = findBrowser();
if (executable === undefined) throw new Error('No browser: install chromium, or set CHROMIUM_PATH.');
const browser = await launch(executable);
const site = await startClockedSite(NOW_MS);
try {
  await mkdir(SEEN, { recursive: true });
  for (const width of WIDTHS_PX) {
    const page = await open(`${site.portalUrl}/components`, width);
    await writeFile(`${SEEN}/${width}.webp`, await pictureOf(page, QUALITY));
    const sheet = await sheetOf(browser, await overlaysOf(page, QUALITY), { width, columns: 2, quality: QUALITY });
    await writeFile(`${SEEN}/${width}-open.webp`, sheet);
    await page.close();
  }
} finally {
  await browser.close();
  await end(site);
}

/** The page at a width, with all that it is made of. */
async function open(url: string, width: number): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, timezoneId: 'UTC', reducedMotion: 'reduce' });
  await page.clock.setFixedTime(NOW_MS);
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.getByRole('heading', { name: 'Components' }).waitFor();
  await page.evaluate(() => document.fonts.ready);
  return page;
}
