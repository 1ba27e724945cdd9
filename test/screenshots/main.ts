/**
 * `npm run screenshots`: a picture of every page of the portal in docs/images/portal, wide and light, and a sheet of
 * them all. With `--every` each page in both schemes, narrow and wide, in a folder that git ignores. Takes names of
 * pages; without any, all. It runs the portal on free ports, on a clock of its own.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { findBrowser, launch } from '../support/chromium.ts';
import { end } from '../support/processes.ts';
import { SHOTS, type Shot } from './pages.ts';
import { seed, type Seeded } from './seed.ts';
import { NOW_MS, startClockedSite } from './site.ts';

const SCHEMES = ['light', 'dark'] as const;
/** Width and height of the screen, by its name in the files. */
const SCREENS = { narrow: [360, 780], wide: [1280, 800] } as const;
const QUALITY = 45;
const THUMBNAIL_WIDTH = 424;

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
  if (images.length > 0 && names.length === 0) await writeFile(`${FOLDER}/sheet.webp`, await sheetOf(images));
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
    await page.evaluate(hideKeys);
    return await pictureOf(page);
  } finally {
    await page.close();
  }
}

/** Runs in the page: no picture shows a key, not even a local one. */
function hideKeys(): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    text.nodeValue = (text.nodeValue ?? '').replace(/svc_test_[0-9A-Za-z]{42}/, `svc_test_${'EXAMPLE'.repeat(6)}`);
}

/** What the screen shows of a page, or the whole page, as a WebP. */
async function pictureOf(page: Page, isWhole = false): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page);
  const { cssContentSize } = await devtools.send('Page.getLayoutMetrics');
  const { data } = await devtools.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
    ...(isWhole && { captureBeyondViewport: true, clip: { ...cssContentSize, scale: 1 } }),
  });
  return Buffer.from(data, 'base64');
}

/** All pictures on one sheet. */
async function sheetOf(images: readonly Buffer[]): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 3 * THUMBNAIL_WIDTH + 4 * 12, height: 1 } });
  const pictures = images.map(
    (image) => `<img width=${THUMBNAIL_WIDTH} src="data:image/webp;base64,${image.toString('base64')}">`,
  );
  await page.setContent(
    `<body style="margin:12px;display:flex;flex-wrap:wrap;gap:12px;background:#d8dadf">${pictures.join('')}`,
    { waitUntil: 'load' },
  );
  const sheet = await pictureOf(page, true);
  await page.close();
  return sheet;
}
