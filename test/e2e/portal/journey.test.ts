import { beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInPortal } from '../../support/portal-browser.ts';
import type { Site } from '../../support/portal-site.ts';
import { shownKey, type Visit, WITH_MOTION } from '../../support/portal-visit.ts';

describeInPortal('a first visit', (onVisit) => {
  let site: Site;
  let visited: Visit;
  let page: Page;
  onVisit((portal) => ({ site, visited, page } = portal));
  // As most people see it.
  beforeEach(() => page.emulateMedia(WITH_MOTION));

  /** Checks the dialog after a successful ping. */
  const seeAnswer = async (): Promise<void> => {
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText(/^200, \d+ ms$/).waitFor();
    await dialog.getByText('All headers').click();
    const shown = await dialog.innerText();
    expect(shown).toContain('"message":"Sandbox gateway is ready."');
    expect(shown).toContain('59 of 60 requests left this minute');
    for (const name of ['X-RateLimit-Remaining: 59', 'X-Service-Quota-Remaining: 9999', 'X-Service-Request-Id: ']) {
      expect(shown).toContain(name);
    }
  };

  test('by mouse: signed in, account and project named, key created, pinged, and the request is seen', async () => {
    await page.goto(site.portalUrl);
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('');
    await page.getByLabel('E-mail address').fill(visited.email);
    await page.getByRole('button', { name: 'Sign in' }).click();

    await page.getByLabel('Name of the account').fill('Trip planner team');
    await page.getByRole('button', { name: 'Create account' }).click();
    expect(await page.getByLabel('Name of the project').inputValue()).toBe('My first project');
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();

    const key = await shownKey(page);
    const commands = await page.getByRole('alertdialog').locator('pre').first().innerText();
    expect(commands).toContain('read -rs SANDBOX_GATEWAY_API_KEY');
    const then = await page.getByRole('alertdialog').locator('pre').nth(1).innerText();
    expect(then).toContain(`curl -i ${site.url}/api/v1/sandbox/ping`);
    expect(commands + then).not.toContain(key);
    await page.getByRole('button', { name: 'Send a test ping' }).click();
    await seeAnswer();
    await page.getByRole('button', { name: 'Copy the key' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);

    // It appears at once beside the keys, and in Usage.
    await page.getByRole('table', { name: 'Requests' }).getByText('Succeeded').waitFor();
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('1 of 10,000 units').waitFor();
    const requests = page.getByRole('table', { name: 'Requests' });
    await requests.getByText('First key').waitFor();
    expect(await requests.getByRole('row').count()).toBe(2);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
    await page.getByText(/^(just now|\d+ s ago)$/).waitFor();
    // The page says what to do after the first request.
    await page.getByRole('link', { name: 'Call it from your program' }).waitFor();
  });

  test('by keyboard only: the same', async () => {
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
    await tabTo('Send a test ping');
    await press('Enter');
    await seeAnswer();
    await press('Escape');
    await page.getByText('You have not copied the key.').waitFor();
    // The focus is on the button that keeps the key.
    await press('Enter');
    expect(await shownKey(page)).toBe(key);
    await tabTo('Copy the key', true);
    await press('Enter');
    await page.getByText('Copied', { exact: true }).last().waitFor();
    await press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Requests' }).getByText('Succeeded').waitFor();

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
    await tabTo('Revoke key');
    await press('Enter');
    await page.getByText('No key of this project works any more.').waitFor();
    await tabTo('Ended');
    await press('Enter');
    await page.getByText('Revoked', { exact: true }).waitFor();
  });
});
