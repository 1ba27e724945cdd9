import type { Browser, Page } from 'playwright-core';

const QUALITY = 80;
const SCHEMES = ['light', 'dark'] as const;
const HEIGHT_PX = 640;
const GAP_PX = 12;

const DIALOG = '[role$=dialog]';
const TOAST = 'button[aria-label="Hide this message"]';
/** The button that opens each, in the order of the pictures, and what is there then. */
const OVERLAYS = [
  ['Dialog', DIALOG],
  ['Dialog, pending', DIALOG],
  ['Dialog, failed', DIALOG],
  ['Form', DIALOG],
  ['Drawer', DIALOG],
  ['Palette', `${DIALOG} [role=option]`],
  ['Menu', '[role=menu]'],
  ['Toast', TOAST],
  ['Toast, failed', TOAST],
] as const;

/** The whole page, as a WebP. */
export async function pictureOf(page: Page): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page);
  const { cssContentSize } = await devtools.send('Page.getLayoutMetrics');
  const clip = { ...cssContentSize, scale: 1 };
  const options = { format: 'webp', quality: QUALITY, captureBeyondViewport: true } as const;
  const { data } = await devtools.send('Page.captureScreenshot', { ...options, clip });
  return Buffer.from(data, 'base64');
}

/** What lies over the page of components, each open: a sheet with the two schemes side by side. */
export async function overlaysOf(page: Page, browser: Browser): Promise<Buffer> {
  const { width = 0 } = page.viewportSize() ?? {};
  await page.setViewportSize({ width, height: HEIGHT_PX });
  const images: string[] = [];
  for (const [name, there] of OVERLAYS) {
    await page.getByRole('button', { name, exact: true }).click();
    if (name === 'Form') {
      // Without its name, which is told beside the field.
      await page.getByRole('button', { name: 'Create project' }).click();
      await page.getByLabel('Ends').last().click();
    }
    await page.locator(there).first().waitFor();
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const { data } = await (
        await page.context().newCDPSession(page)
      ).send('Page.captureScreenshot', { format: 'png' });
      images.push(`<img width=${width} src="data:image/png;base64,${data}">`);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    if (there === TOAST) await page.locator(TOAST).click();
    else await page.keyboard.press('Escape');
    // The list of the select was over the dialog.
    if (name === 'Form') await page.keyboard.press('Escape');
    await page.locator(there).waitFor({ state: 'hidden' });
  }
  const sheet = await browser.newPage({ viewport: { width: 2 * width + 3 * GAP_PX, height: 1 } });
  try {
    await sheet.setContent(
      `<body style="margin:${GAP_PX}px;display:flex;flex-wrap:wrap;gap:${GAP_PX}px;background:#888">${images.join('')}`,
      { waitUntil: 'load' },
    );
    return await pictureOf(sheet);
  } finally {
    await sheet.close();
  }
}
