import { expect, test } from '@jest/globals';
import { browser, describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import {
  change,
  enter,
  hold,
  newKey,
  operate,
  settle,
  settleAtKeys,
  visit,
  type Settled,
  holdClock,
  choose,
  YOU,
} from '../../support/portal-visit.ts';

describeInPortal('a page says', () => {
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const openTeam = ({ accountId }: Settled) => page.goto(`${site.portalUrl}/accounts/${accountId}/team`);
  test('that it reads, while an answer is slow, and that it changes, while that is', async () => {
    const settled = await settle(visited);
    const release = await hold(page, '**/members');
    await openTeam(settled);
    await page.getByText('Reading the members …').waitFor();
    release();
    await page.getByText('(you)').waitFor();
    await page.unrouteAll();
    const finish = await hold(page, '**/members');
    await press('Invite');
    await page.getByLabel('E-mail address').fill('slow@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Invite …' }).waitFor();
    finish();
    await page.getByText('is invited for 14 days').waitFor();
  });

  test('that a read failed, on each page, and reads again on request', async () => {
    const { accountId } = await settle(visited);
    const parts = [
      ['**/api/sessions', '/profile', 'Could not read your sessions.', '(this one)'],
      ['**/audit?**', `/accounts/${accountId}/audit`, 'Could not read the audit.', 'created the account'],
      ['**/projects', `/accounts/${accountId}`, 'Could not read the projects.', 'Trip planner'],
    ] as const;
    for (const [path, address, said, shown] of parts) {
      // Only the requests of the app fail: the page and its files load.
      let isFailing = true;
      await page.route(path, (route) =>
        isFailing && route.request().resourceType() === 'fetch' ? route.abort() : route.fallback(),
      );
      await page.goto(site.portalUrl + address);
      await page.getByText(said).waitFor();
      isFailing = false;
      await press('Try again');
      await page.getByText(shown).first().waitFor();
    }
    visited.forgive('net::ERR_FAILED');
  });

  test('that the next one comes, while its code is slow, and that it could not be fetched, with the navigation still', async () => {
    await settleAtKeys(visited);
    const release = await hold(page, '**/assets/settings-*.js');
    const link = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
    await link('Settings').press('Enter');
    await page.getByRole('progressbar', { name: 'Loading the page' }).waitFor();
    // The press of a key is seen at once, as that of a pointer is.
    expect(await link('Settings').evaluate((pressed) => getComputedStyle(pressed).opacity)).toBe('0.7');
    expect(await page.getByText('Create a key').count()).toBeGreaterThan(0);
    release();
    await page.getByText('Account id').waitFor();
    expect(await page.getByRole('progressbar', { name: 'Loading the page' }).count()).toBe(0);

    await page.route('**/assets/audit-*.js', (route) => route.abort());
    await link('Audit').click();
    await page.getByText('This page could not be shown.').waitFor();
    await link('Team').click();
    await page.getByText('(you)').waitFor();
    await page.unrouteAll();
    await link('Audit').click();
    await press('Reload the page');
    await page.getByRole('group', { name: 'Changes' }).waitFor();
    (visited.complaints as string[]).splice(0);
  });

  test('that the session has ended, when something is changed, and the sign-in leads back to the same page and filter', async () => {
    const { accountId } = await settle(visited);
    const address = `${site.portalUrl}/accounts/${accountId}/audit?action=project.create`;
    await page.goto(address);
    await page.getByText(/created the project/).waitFor();
    await visited.context.clearCookies();
    await press('Refresh');
    await page.getByText('Your session has ended.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail address').fill(visited.email);
    await press('Sign in');
    await page.getByText(/created the project/).waitFor();
    expect(page.url()).toBe(address);
    visited.forgive('status of 401');
  });

  test('what holds after a change, for some seconds, and why one failed, until that is closed', async () => {
    const settled = await settle(visited);
    await newKey(settled, { name: 'CI' });
    await holdClock(visited);
    await page.goto(`${site.portalUrl}${settled.projectPath}/keys`);
    await choose(page, /^Actions of CI/, 'Rename');
    await page.getByRole('dialog').getByLabel('Name').fill('Laptop');
    await press('Save');
    const notice = page.getByText(/^The name is .*Laptop.* now\.$/);
    await notice.waitFor();
    await page.clock.runFor(7_000);
    expect(await notice.count()).toBe(0);
    await page.route('**/api/sign-out', (route) => route.abort());
    await choose(page, YOU, 'Sign out');
    const failure = page.getByText('The portal did not answer.');
    await failure.waitFor();
    await page.clock.runFor(7_000);
    expect(await failure.count()).toBe(1);
    await press('Hide this message');
    expect(await failure.count()).toBe(0);
    visited.forgive('net::ERR_FAILED');
  });

  test('that a project is suspended', async () => {
    const settled = await settle(visited);
    await operate(site, 'project', 'suspend', '--project', settled.projectId);
    await page.goto(`${site.portalUrl}${settled.projectPath}/keys`);
    await page.getByText('This project is suspended.').waitFor();
    await page.goto(`${site.portalUrl}/accounts/${settled.accountId}`);
    await page.getByText('suspended: its requests are refused').waitFor();
  });

  test('that a key ends, has expired, or still works after its rotation, which is not offered again', async () => {
    const settled = await settle(visited);
    await newKey(settled, { name: 'soon', expiresInDays: 3 });
    const { keyId } = await newKey(settled, { name: 'over', expiresInDays: 3 });
    await operate(site, 'key', 'expire', '--project', settled.projectId, '--key', keyId, '--in', '0s');
    const rotated = await newKey(settled, { name: 'rotated', expiresInDays: 90 });
    const next = await change<{ key: string }>(visited, 'POST', `${rotated.path}/rotate`, { graceHours: 24 });
    await page.goto(`${site.portalUrl}${settled.projectPath}/keys`);
    const row = (text: string) => page.getByRole('table', { name: 'Keys' }).getByRole('row').filter({ hasText: text });
    // Of three days this is no warning, so far.
    await row('soon')
      .getByText(/^\d+\s\w+$/)
      .waitFor();
    expect(
      await row('soon')
        .getByText(/expires/i)
        .count(),
    ).toBe(0);
    expect(await row('over').count()).toBe(0);
    // As the card of the project counts.
    await page.getByRole('heading', { name: '2 active keys, 1 replaced' }).waitFor();
    const old = row('replaced, ends in');
    await old.getByText(`new key: …${next.key.slice(-4)}`).waitFor();
    await old.getByRole('button', { name: /^Actions/ }).click();
    await page.getByRole('menuitem', { name: /^Revoke/ }).waitFor();
    expect(await page.getByRole('menuitem', { name: /^Rotate/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Ended' }).click();
    await row('over').getByText('Expired', { exact: true }).waitFor();
    expect(await row('soon').count()).toBe(0);
  });

  test("nothing of what is another person's, and as whom one is signed in", async () => {
    const settled = await settle(visited);
    const other = await visit(browser, site.portalUrl);
    await enter(other);
    await other.page.goto(`${site.portalUrl}${settled.projectPath}/keys`);
    await other.page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    await other.page.getByText(`You are signed in as ${other.email}`).waitFor();
    expect(await other.page.locator('body').innerText()).not.toContain('Trip planner');
    await other.context.close();
    expect(other.complaints).toEqual([]);
  });
});
