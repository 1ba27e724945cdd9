import { beforeEach, expect, test } from '@jest/globals';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { change, choose, closeKey, settleWithKey, type Settled, YOU } from '../../support/portal-visit.ts';

describeInPortal('what was typed when the session ended', () => {
  let settled: Settled & { readonly keyId: string };
  beforeEach(async () => {
    settled = await settleWithKey(visited);
  });

  const press = (name: string | RegExp): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const field = (label: string) => page.getByRole('textbox', { name: label, exact: true });
  /** Types into a field of a page; `opening` opens its form. */
  const typeAt = async (path: string, label: string, text: string, opening?: () => Promise<void>): Promise<void> => {
    await page.goto(site.portalUrl + path);
    await opening?.();
    await field(label).fill(text);
  };
  /** The session ends, and the page learns it from its next change. */
  const endSession = async (word: string): Promise<void> => {
    await settled.context.clearCookies();
    await page.getByRole('button', { name: word, exact: true }).last().click();
    await page.getByText('Your session has ended.').waitFor();
    visited.forgive('status of 401');
  };
  const signInAs = async (email: string): Promise<void> => {
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail address').fill(email);
    await press('Sign in');
    await page.getByRole('button', { name: YOU }).waitFor();
  };
  const kept = (): Promise<string | null> => page.evaluate(() => sessionStorage.getItem('kept-words'));
  test('is in the same form after the sign-in, and the form is open: of each page', async () => {
    const { accountId, projectPath, keyId } = settled;
    const account = `/accounts/${accountId}`;
    const endpoint = { url: 'https://hooks.example.com/a', kinds: ['key.leaked'] };
    const { endpointId } = await change<{ endpointId: string }>(settled, 'POST', `/api${account}/endpoints`, endpoint);
    const keys = `${projectPath}/keys`;
    const rows: [path: string, label: string, text: string, word: string, opening?: () => Promise<void>][] = [
      [keys, 'Name of the key', 'Laptop', 'Create key', () => press('Create key')],
      [keys, 'Limit of units', '70', 'Save', () => choose(page, /^Actions of CI/, 'Cap its units')],
      [`${keys}/${keyId}`, 'Name', 'Phone', 'Save', () => choose(page, /^Actions of CI/, 'Rename')],
      [account, 'Name of the project', 'Trains', 'Create project', () => press('New project')],
      [`${account}/team`, 'E-mail address', 'someone@example.com', 'Invite', () => press('Invite')],
      [`${account}/settings`, 'Name', 'Our team', 'Save'],
      [`${account}/developers/tokens`, 'Name of the token', 'Terraform', 'Create token', () => press('Create token')],
      [
        `${account}/developers/webhooks/${endpointId}`,
        'Address',
        'https://hooks.example.com/b',
        'Save',
        () => press('Change'),
      ],
      ['/welcome', 'Name of the account', 'Another team', 'Create account'],
    ];
    for (const [path, label, text, word, opening] of rows) {
      await typeAt(path, label, text, opening);
      await endSession(word);
      await signInAs(visited.email);
      await field(label).waitFor();
      expect([path, await field(label).inputValue()]).toEqual([path, text]);
      expect(await kept()).toBeNull();
    }
  });

  test('is not kept of a form that was left or sent, nor what begins like a credential, and is no other person’s', async () => {
    const { projectPath } = settled;
    const open = (): Promise<void> => press('Create key');
    const reached = { path: `${projectPath}/keys`, label: 'Name of the key' };
    await typeAt(reached.path, reached.label, 'Laptop', open);
    await press('Cancel');
    // The form is there until the page is drawn again, with a button of the same name.
    await field(reached.label).waitFor({ state: 'hidden' });
    await open();
    await field(reached.label).fill('Phone');
    await page.getByRole('button', { name: 'Create key' }).last().click();
    await closeKey(page);
    await open();
    await field(reached.label).fill('svc_test_0123');
    await endSession('Create key');
    expect(await kept()).toBeNull();
    await signInAs(visited.email);

    await typeAt(reached.path, reached.label, 'Server', open);
    await endSession('Create key');
    expect(await kept()).toContain('Server');
    await signInAs(`other-${visited.email}`);
    await page.getByRole('main').getByRole('heading').first().waitFor();
    expect(await kept()).toBeNull();
  });

  test('is not on an open page for the next person, who signed in beside it, nor is anything that was read', async () => {
    const sessions = page.getByRole('table', { name: 'Sessions' });
    const go = (path: string): Promise<void> => page.evaluate((to) => history.pushState({}, '', to), path);
    await page.clock.install();
    await page.goto(`${site.portalUrl}/profile`);
    await sessions.waitFor();
    await go('/welcome');
    await field('Name of the account').fill('Plans of one person');
    await settled.context.clearCookies();
    const beside = await settled.context.newPage();
    await beside.goto(`${site.portalUrl}/profile`);
    await beside.getByRole('link', { name: 'Sign in' }).click();
    await beside.getByLabel('E-mail address').fill(`other-${visited.email}`);
    await beside.getByRole('button', { name: 'Sign in', exact: true }).click();
    await beside.getByRole('button', { name: YOU }).waitFor();
    // Never answered: only what was read before could be shown.
    await page.route('**/api/sessions', () => undefined);
    // Each page reads the session again within half a minute.
    await page.clock.fastForward(31_000);
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    expect(await field('Name of the account').inputValue()).toBe('');
    await go('/profile');
    await page.getByText('Your id').waitFor();
    expect(await sessions.count()).toBe(0);
  });
});
