import { beforeEach, expect, test } from '@jest/globals';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { shownKey, WITH_MOTION } from '../../support/portal-visit.ts';

describeInPortal('a first visit', () => {
  // As most people see it.
  beforeEach(() => page.emulateMedia(WITH_MOTION));

  test('by keyboard only: signed in, account and project named, key created, pinged, renamed and revoked', async () => {
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    /** Moves the focus until it is on an element with this name. */
    const tabTo = async (name: string, back = false): Promise<void> => {
      for (let presses = 0; presses < 30; presses++) {
        const focused = await page.evaluate(() => {
          const { activeElement: element } = document;
          const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
          return [
            element?.getAttribute('aria-label'),
            element?.textContent,
            ...labels.map((label) => label.textContent),
          ];
        });
        if (focused.includes(name)) return;
        await press(back ? 'Shift+Tab' : 'Tab');
      }
      throw new Error(`The keyboard does not reach "${name}".`);
    };
    await page.goto(site.portalUrl);
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    await tabTo('Sign in');
    await press('Enter');
    await page.getByLabel('E-mail address').waitFor();
    await tabTo('E-mail address');
    await press('Control+A');
    await page.keyboard.type(visited.email);
    await press('Enter');

    // A form has the focus when it appears.
    await page.getByLabel('Name of the account').waitFor();
    await page.keyboard.type('Keyboard team');
    await press('Enter');
    await page.getByLabel('Name of the project').waitFor();
    await press('Enter');
    await page.getByLabel('Name of the key').waitFor();
    await press('Enter');

    const key = await shownKey(page);
    const dialog = page.getByRole('alertdialog');
    // That of the step before would lie over the buttons.
    expect(await page.getByRole('button', { name: 'Hide this message' }).count()).toBe(0);
    await tabTo('Send a test ping');
    await press('Enter');
    await dialog.getByText(/^200, \d+ ms$/).waitFor();
    await press('Escape');
    await page.getByText('You have not copied the key.').waitFor();
    // The focus is on the button that keeps the key.
    await press('Enter');
    expect(await shownKey(page)).toBe(key);
    await tabTo('Copy the key', true);
    await press('Enter');
    await page.getByText('Copied', { exact: true }).last().waitFor();
    await press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Keys' }).getByText('Succeeded').waitFor();
    // The form that had the focus is gone.
    await page.waitForFunction(() => document.activeElement?.textContent === 'Create key');

    /** Opens the menu of a key and moves down to an entry with this number of key presses. */
    const chooseFor = async (name: string, presses: number): Promise<void> => {
      await tabTo(`Actions of ${name} …${key.slice(-4)}`);
      await press('Enter');
      await page.getByRole('menuitem').first().waitFor();
      await press(...Array.from({ length: presses }, () => 'ArrowDown'), 'Enter');
      await page.getByRole('menu').waitFor({ state: 'detached' });
    };
    const [rename, revoke] = [0, 7];
    await chooseFor('First key', rename);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('renamed by keyboard');
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The focus is where it was before.
    await page.waitForFunction(() =>
      document.activeElement?.getAttribute('aria-label')?.startsWith('Actions of First key'),
    );
    await chooseFor('First key', rename);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('laptop');
    await press('Enter');
    await page.getByRole('table', { name: 'Keys' }).getByText('laptop', { exact: true }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await chooseFor('laptop', revoke);
    await page.getByRole('alertdialog').waitFor();
    // Enter on the focused button keeps the key.
    await press('Enter');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await chooseFor('laptop', revoke);
    await page.getByRole('alertdialog').waitFor();
    await page.getByRole('button', { name: 'End it anyway' }).waitFor();
    await tabTo('End it anyway');
    await press('Enter');
    await page.getByText('No key of this project works any more.').waitFor();
    await tabTo('Ended');
    await press('Enter');
    await page.getByText('Revoked', { exact: true }).waitFor();
  });
});
