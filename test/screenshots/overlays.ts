import type { Page } from 'playwright-core';
import { screenOf } from './picture.ts';

const SCHEMES = ['light', 'dark'] as const;
const HEIGHT_PX = 640;

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

/** What lies over the page of components, each open, in both schemes. */
export async function overlaysOf(page: Page, quality: number): Promise<Buffer[]> {
  const { width = 0 } = page.viewportSize() ?? {};
  await page.setViewportSize({ width, height: HEIGHT_PX });
  const pictures: Buffer[] = [];
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
      pictures.push(await screenOf(page, quality));
    }
    await page.emulateMedia({ colorScheme: 'light' });
    if (there === TOAST) await page.locator(TOAST).click();
    else await page.keyboard.press('Escape');
    // The list of the select was over the dialog.
    if (name === 'Form') await page.keyboard.press('Escape');
    await page.locator(there).waitFor({ state: 'hidden' });
  }
  return pictures;
}
