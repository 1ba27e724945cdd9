import { beforeEach, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { choose, settleWithKey } from '../../support/portal-visit.ts';
import { drawn } from './look.ts';

/** What is done between a press and the picture that shows what it opens. */
interface Act {
  /** Of a key that goes down. */
  readonly key?: string;
  /** The name of a button that is pressed. */
  readonly press?: string;
}

/** The time in which a second press belongs to the first, in milliseconds. */
const DOUBLE_PRESS_MS = 500;

// On the page of keys, which has a dialog and a menu.
describeInPortal('what a press opens', () => {
  /** The name of the button of the menu. */
  let actions: string;
  beforeEach(async () => {
    const { key, projectPath } = await settleWithKey(visited);
    actions = `Actions of CI …${key.slice(-4)}`;
    await page.goto(`${site.portalUrl}${projectPath}/keys`);
    // Its code is there from now on.
    await button(actions).click();
    await menu().waitFor();
    await page.keyboard.press('Escape');
    await menu().waitFor({ state: 'detached' });
  });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const menu = () => page.getByRole('menu');
  const dialog = () => page.getByRole('dialog', { name: 'Create a key' });
  /** The label or the words of what has the focus. */
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement;
      return element.labels?.[0]?.textContent || element.getAttribute('aria-label') || element.textContent;
    });
  /** The same once something has closed: the focus goes back with the frame after that. */
  const focusedAfter = async (closed: Locator) => {
    await closed.waitFor({ state: 'detached' });
    await drawn(page);
    return focused();
  };
  /** Presses a button, and acts before anything is drawn. Returns whether what it opens was there then. */
  const pressAnd = (name: string, { key, press }: Act): Promise<boolean> =>
    page.evaluate(
      async (act) => {
        const find = (wanted: string) =>
          [...document.querySelectorAll('button')].find(
            (candidate) => (candidate.getAttribute('aria-label') ?? candidate.textContent) === wanted,
          );
        const pressed = (element: HTMLElement | undefined): void => {
          element?.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, isPrimary: true }));
          element?.click();
        };
        find(act.name)?.focus();
        pressed(find(act.name));
        // As a mouse that moves: what was pressed was pressed by it.
        document.dispatchEvent(new PointerEvent('pointermove'));
        await Promise.resolve();
        await Promise.resolve();
        const wasThere = document.querySelector('[role=dialog], [role=menu]') !== null;
        if (act.key !== undefined) {
          const event = { key: act.key, bubbles: true, cancelable: true };
          document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', event));
          document.activeElement?.dispatchEvent(new KeyboardEvent('keyup', event));
        }
        if (act.press !== undefined) pressed(find(act.press));
        return wasThere;
      },
      { name, key, press },
    );

  test('takes the keys that are typed before it is drawn', async () => {
    const [session, box] = [await page.context().newCDPSession(page), await button('Create key').boundingBox()];
    const mouse = { x: (box?.x ?? NaN) + 5, y: (box?.y ?? NaN) + 5, button: 'left', clickCount: 1 } as const;
    // At once: nothing waits for an answer of the page.
    await Promise.all([
      session.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...mouse }),
      session.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...mouse }),
      ...Array.from('two words').flatMap((text) => [
        session.send('Input.dispatchKeyEvent', { type: 'keyDown', key: text, text }),
        session.send('Input.dispatchKeyEvent', { type: 'keyUp', key: text }),
      ]),
    ]);
    expect(await dialog().getByLabel('Name of the key').inputValue()).toBe('two words');
  });

  test('is open for the first key already: it closes, is walked through and is left by it', async () => {
    expect(await pressAnd('Create key', { key: 'x' })).toBe(false);
    expect(await focused()).toBe('Name of the key');
    await page.keyboard.press('Escape');
    expect(await focusedAfter(dialog())).toBe('Create key');
    expect(await pressAnd('Create key', { key: 'Escape' })).toBe(false);
    expect(await focusedAfter(dialog())).toBe('Create key');
    expect(await pressAnd(actions, { key: 'ArrowDown' })).toBe(false);
    expect(await focused()).toBe('Cap its units …');
    await page.keyboard.press('Escape');
    expect(await focusedAfter(menu())).toBe(actions);
  });

  test('is taken back by a press elsewhere before it is drawn', async () => {
    expect(await pressAnd(actions, { press: 'Create key' })).toBe(false);
    await dialog().waitFor();
    expect(await focused()).toBe('Name of the key');
    expect(await menu().count()).toBe(0);
  });

  test('leaves the focus to the title of the page, where the row that had it is gone', async () => {
    await choose(page, actions, 'Revoke');
    await button('Revoke key').click();
    await page.getByText('No key of this project works any more.').waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
  });

  test('stays after a double press, and a later press beside it closes it', async () => {
    const box = await button('Create key').boundingBox();
    await button('Create key').click();
    // In the page: on a crowded core the test itself would come too late.
    const isCovered = await page.evaluate(
      async ([x, y]) => {
        while (!document.querySelector('[role=dialog] :focus')) await new Promise(requestAnimationFrame);
        const met = document.elementFromPoint(x, y) as HTMLElement;
        met.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, isPrimary: true }));
        met.click();
        return !met.closest('button');
      },
      [(box?.x ?? NaN) + 5, (box?.y ?? NaN) + 5] as const,
    );
    expect(isCovered).toBe(true);
    expect(await focused()).toBe('Name of the key');
    await page.evaluate((ms) => new Promise((resolve) => void setTimeout(resolve, ms)), DOUBLE_PRESS_MS);
    await page.mouse.click(5, 5);
    await dialog().waitFor({ state: 'detached' });
  });

  test('stays with what was typed in it after a press beside it, and Esc closes it', async () => {
    await button('Create key').click();
    await page.keyboard.type('CI');
    await page.evaluate((ms) => new Promise((resolve) => void setTimeout(resolve, ms)), DOUBLE_PRESS_MS);
    await page.mouse.click(5, 5);
    expect(await dialog().getByLabel('Name of the key').inputValue()).toBe('CI');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });
});
