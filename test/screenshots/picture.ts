import type { Browser, Page } from 'playwright-core';

/** The whole page, as a WebP. */
export async function pictureOf(page: Page, quality: number): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page);
  const { cssContentSize } = await devtools.send('Page.getLayoutMetrics');
  const clip = { ...cssContentSize, scale: 1 };
  const options = { format: 'webp', quality, captureBeyondViewport: true } as const;
  const { data } = await devtools.send('Page.captureScreenshot', { ...options, clip });
  return Buffer.from(data, 'base64');
}

/** What the screen shows of the page, as a WebP. */
export async function screenOf(page: Page, quality: number): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality });
  return Buffer.from(data, 'base64');
}

const GAP_PX = 12;

/** Pictures side by side on one sheet, as a WebP. */
export async function sheetOf(
  browser: Browser,
  pictures: readonly Buffer[],
  { width, columns, quality }: { readonly width: number; readonly columns: number; readonly quality: number },
): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: columns * (width + GAP_PX) + GAP_PX, height: 1 } });
  const images = pictures.map(
    (picture) => `<img width=${width} src="data:image/webp;base64,${picture.toString('base64')}">`,
  );
  const style = `margin:${GAP_PX}px;display:flex;flex-wrap:wrap;gap:${GAP_PX}px;background:#d8dadf`;
  await page.setContent(`<body style="${style}">${images.join('')}`, { waitUntil: 'load' });
  const sheet = await pictureOf(page, quality);
  await page.close();
  return sheet;
}
