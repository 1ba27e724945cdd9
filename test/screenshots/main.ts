/**
 * `npm run screenshots`: pictures of every page of the portal in docs/images/portal, in both schemes, on a narrow and a
 * wide screen. Takes names of pages; without any, all. It runs the portal on free ports, on a clock of its own.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import type { BrowserContext } from 'playwright-core';
import { findBrowser, launch } from '../support/chromium.ts';
import { end } from '../support/processes.ts';
import { makeFixedLooking } from './fixed-looking.ts';
import { SHOTS, type Shot } from './pages.ts';
import { BEGIN_MS, seed, type Seeded } from './seed.ts';
import { NOW_MS, startClockedSite } from './site.ts';

const FOLDER = 'docs/images/portal';
const SCHEMES = ['light', 'dark'] as const;
/** Width of the screen, by what the files call it, and its height. */
const SCREENS = { narrow: [360, 780], wide: [1280, 800] } as const;
const QUALITY = 45;

const names = process.argv.slice(2);
const executable = findBrowser();
if (executable === undefined) throw new Error('No browser: install chromium, or set CHROMIUM_PATH.');
const shots = SHOTS.filter(({ name }) => names.length === 0 || names.includes(name));
const browser = await launch(executable);
const site = await startClockedSite(BEGIN_MS);
try {
  const seeded = await seed(site, browser);
  await mkdir(FOLDER, { recursive: true });
  const outside = await browser.newContext();
  for (const shot of shots) {
    for (const screen of Object.keys(SCREENS) as (keyof typeof SCREENS)[]) {
      for (const scheme of SCHEMES) {
        const image = await take(shot, shot.isOutside ? outside : seeded.owner.context, seeded, screen, scheme);
        await writeFile(`${FOLDER}/${shot.name}-${screen}-${scheme}.webp`, image);
      }
    }
    process.stdout.write(`${shot.name}\n`);
  }
} finally {
  await browser.close();
  await end(site);
}

/** Opens a page of the portal and takes its picture, as a WebP. */
async function take(
  { path, shows, then }: Shot,
  context: BrowserContext,
  seeded: Seeded,
  screen: keyof typeof SCREENS,
  colorScheme: (typeof SCHEMES)[number],
): Promise<Buffer> {
  const [width, height] = SCREENS[screen];
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  try {
    await devtools.send('Emulation.setTimezoneOverride', { timezoneId: 'UTC' });
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.clock.setFixedTime(NOW_MS);
    await site.setTime(NOW_MS);
    await page.goto(site.portalUrl + path(seeded), { waitUntil: 'networkidle' });
    await page.getByText(shows).filter({ visible: true }).first().waitFor();
    await then?.(page);
    await page.waitForLoadState('networkidle');
    await page.evaluate(makeFixedLooking);
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
    return Buffer.from(data, 'base64');
  } finally {
    await page.close();
  }
}
