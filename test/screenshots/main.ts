/**
 * `npm run screenshots`: a picture of every page of the portal in docs/images/portal, wide and light, and a sheet of
 * them all. With `--every` each page in both schemes, narrow and wide, in a folder that git ignores. Takes names of
 * pages; without any, all. It runs the portal on free ports, on a clock of its own.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import type { BrowserContext } from 'playwright-core';
import { findBrowser, launch } from '../support/chromium.ts';
import { end } from '../support/processes.ts';
import { makeFixedLooking } from './fixed-looking.ts';
import { SHOTS, type Shot } from './pages.ts';
import { seed, type Seeded } from './seed.ts';
import { NOW_MS, startClockedSite } from './site.ts';

const SCHEMES = ['light', 'dark'] as const;
/** Width and height of the screen, by its name in the files. */
const SCREENS = { narrow: [360, 780], wide: [1280, 800] } as const;
const QUALITY = 45;
/** Width of the sheet and of each picture on it. */
const [SHEET_WIDTH, THUMBNAIL_WIDTH] = [1_320, 424];

const args = process.argv.slice(2);
const isEvery = args.includes('--every');
const names = args.filter((arg) => arg !== '--every');
const FOLDER = isEvery ? 'node_modules/.cache/screenshots' : 'docs/images/portal';
const executable = findBrowser();
if (executable === undefined) throw new Error('No browser: install chromium, or set CHROMIUM_PATH.');
const shots = SHOTS.filter(({ name }) => names.length === 0 || names.includes(name));
const browser = await launch(executable);
const site = await startClockedSite(NOW_MS);
try {
  const seeded = await seed(site, browser);
  await mkdir(FOLDER, { recursive: true });
  const outside = await browser.newContext();
  const images: Buffer[] = [];
  for (const shot of shots) {
    const context = shot.isOutside ? outside : seeded.owner.context;
    if (isEvery) {
      for (const screen of Object.keys(SCREENS) as (keyof typeof SCREENS)[])
        for (const scheme of SCHEMES)
          await writeFile(
            `${FOLDER}/${shot.name}-${screen}-${scheme}.webp`,
            await take(shot, context, seeded, screen, scheme),
          );
    } else {
      const image = await take(shot, context, seeded, 'wide', 'light');
      await writeFile(`${FOLDER}/${shot.name}.webp`, image);
      images.push(image);
    }
    process.stdout.write(`${shot.name}\n`);
  }
  if (images.length === SHOTS.length) await writeFile(`${FOLDER}/sheet.webp`, await sheetOf(images));
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

/** All pictures on one sheet. */
async function sheetOf(images: readonly Buffer[]): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: SHEET_WIDTH, height: 1 } });
  const pictures = images.map(
    (image) => `<img width=${THUMBNAIL_WIDTH} src="data:image/webp;base64,${image.toString('base64')}">`,
  );
  await page.setContent(
    `<body style="margin:12px;display:flex;flex-wrap:wrap;gap:12px;background:#d8dadf">${pictures.join('')}`,
    { waitUntil: 'load' },
  );
  const devtools = await page.context().newCDPSession(page);
  const options = { format: 'webp', quality: QUALITY, captureBeyondViewport: true } as const;
  const { cssContentSize } = await devtools.send('Page.getLayoutMetrics');
  const clip = { ...cssContentSize, scale: 1 };
  const { data } = await devtools.send('Page.captureScreenshot', { ...options, clip });
  await page.close();
  return Buffer.from(data, 'base64');
}
