import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browser, describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { ping } from '../../support/portal-site.ts';
import {
  change,
  closeKey,
  createKey,
  hold,
  invited,
  joined,
  read,
  settle,
  settleWithKey,
  signIn,
  visit,
  type Settled,
  type Visit,
  choose,
} from '../../support/portal-visit.ts';

describeInPortal('a team', () => {
  const press = (name: string | RegExp, on = page): Promise<void> => on.getByRole('button', { name }).first().click();
  const confirm = (name: string, on = page): Promise<void> =>
    on.getByRole('alertdialog').getByRole('button', { name, exact: true }).click();
  /** Opens a page of the account. */
  const open = (name: string, { accountId }: Settled, on = page) =>
    on.goto(`${site.portalUrl}/accounts/${accountId}/${name}`);
  const leaveWithout = async (other: Visit, ...forgiven: string[]): Promise<void> => {
    await other.context.close();
    for (const text of forgiven) other.forgive(text);
    expect(other.complaints).toEqual([]);
  };

  test('of two: invited, accepted, works, and is removed while a change is in flight, which is refused and says so', async () => {
    const settled = await settle(visited);
    const other = await visit(browser, site.portalUrl);
    await open('team', settled);
    await press('Invite');
    await page.getByLabel('E-mail address').fill(other.email.toUpperCase());
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await page.getByText('They get an e-mail with this link').waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    const shown = page.getByRole('dialog').getByText(`/invitations/${settled.accountId}`);
    const { x, width } = (await shown.boundingBox()) ?? { x: 0, width: Infinity };
    expect(x + width).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.getByRole('dialog').getByRole('button', { name: 'Copy the link' }).click();
    const link = `${site.portalUrl}/invitations/${settled.accountId}`;
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await press('Done');

    await signIn(other);
    await other.page.getByText(/^A person who goes by .+ invited you to My team as a member/).waitFor();
    await press('Accept', other.page);
    await other.page.getByRole('heading', { name: 'Trip planner' }).getByRole('link').click();
    const key = await createKey(other, 'of the second');
    await closeKey(other.page);
    expect((await ping(site, key)).status).toBe(200);
    await other.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Team' }).click();
    await other.page.getByText('(you)').waitFor();
    expect(await other.page.getByRole('link', { name: 'Audit' }).count()).toBe(0);
    // Only the menu of their own row, to leave.
    expect(await other.page.getByRole('button', { name: /^(Actions|Invite)/ }).count()).toBe(1);

    // The change has left the page and has not reached the portal yet.
    await other.page.goto(`${site.portalUrl}${settled.projectPath}/keys`);
    await press('Create key', other.page);
    await other.page.getByLabel('Name of the key').fill('too late');
    const arrive = await hold(other.page, '**/keys');
    await Promise.all([
      other.page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/keys')),
      other.page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click(),
    ]);
    await page.reload();
    await choose(page, `Actions of ${other.email.split('@', 1)[0]}`, 'Remove');
    // The dialog grows by what it reads: a press on a button that moves between down and up is none.
    await page.getByRole('alertdialog').getByText('Keys that they made').waitFor();
    await confirm('Remove');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    arrive();
    await other.page.getByRole('heading', { name: 'You are no longer in this account' }).waitFor();
    await other.page.getByText('was not done').waitFor();
    const { keys } = await page.evaluate(
      async (path) => (await (await fetch(path)).json()) as { keys: { name: string }[] },
      `/api/accounts/${settled.accountId}/projects/${settled.projectId}/keys`,
    );
    expect(keys.map(({ name }) => name)).toEqual(['of the second']);
    await leaveWithout(other, 'status of 404');
  });

  test('says at the removal of a member which of the keys that they made still work', async () => {
    const settled = await settle(visited);
    const other = await joined(settled, browser);
    const keys = `/api${settled.projectPath}/keys`;
    const { keyId } = await change<{ keyId: string }>(other, 'POST', keys, { name: 'of another name' });
    await change(other, 'PATCH', `${keys}/${keyId}`, { name: 'still there' });
    const ended = await change<{ keyId: string }>(other, 'POST', keys, { name: 'ended' });
    await change(other, 'POST', `${keys}/${ended.keyId}/revoke`);
    const old = await change<{ keyId: string }>(other, 'POST', keys, { name: 'rotated' });
    await change(other, 'POST', `${keys}/${old.keyId}/rotate`, { graceHours: 0 });
    const dialog = page.getByRole('alertdialog');
    const remove = async (): Promise<void> => {
      await open('team', settled);
      await choose(page, `Actions of ${other.email.split('@', 1)[0]}`, 'Remove');
    };
    await remove();
    await dialog.getByRole('listitem').first().waitFor();
    const shown = await dialog.getByRole('listitem').allInnerTexts();
    expect(shown.sort()).toEqual([expect.stringMatching(/^rotated/), expect.stringMatching(/^still there/)]);
    expect(await dialog.getByRole('link', { name: 'See all keys' }).count()).toBe(0);

    // What cannot be read may hide a key that works.
    await page.route('**/keys?state=active*', (route) => route.fulfill({ status: 503, json: {} }));
    await remove();
    await dialog.getByRole('link', { name: 'See all keys' }).click();
    await page.waitForURL(`**/audit?actor=*`);
    await page.unrouteAll();
    visited.forgive('status of 503');
    await leaveWithout(other);
  });

  test('its only owner sees why they cannot leave, and can once there is another one', async () => {
    const settled = await settle(visited);
    const other = await joined(settled, browser);
    await open('team', settled);
    for (const name of ['Leave', 'Change role']) {
      await choose(page, `Actions of ${visited.email.split('@', 1)[0]}`, name);
      await page.getByRole('alertdialog', { name: 'You are the only owner' }).waitFor();
      await confirm('Close');
    }
    await open('settings', settled);
    await page.getByText('You are its only owner').waitFor();
    const release = await hold(page, '**/projects');
    await page.reload();
    await press('Close account');
    // Before its projects are read it does not say that there is none.
    await page.getByRole('alertdialog').getByText('All its projects and keys will be closed with it.').waitFor();
    release();
    await page.getByRole('alertdialog').getByText('1 project with 0 active keys will be closed with it.').waitFor();
    await open('team', settled);
    await choose(page, `Actions of ${other.email.split('@', 1)[0]}`, 'Change role');
    await page
      .getByRole('alertdialog')
      .getByText(/^Owner also/)
      .click();
    await confirm('Change role');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await open('settings', settled);
    await press('Leave account');
    await page.getByRole('alertdialog', { name: 'Leave this account?', exact: true }).waitFor();
    await confirm('Leave');
    // The page shows no notice about the person's own action.
    await page.getByLabel('Name of the account').waitFor();
    await other.page.goto(site.portalUrl);
    await other.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit' }).click();
    const left = other.page.getByRole('listitem').filter({ hasText: 'left the account.' });
    await left.getByText('(former member)').waitFor();
    await left.getByRole('button', { name: /^Details/ }).click();
    await left.getByText(visited.email, { exact: true }).waitFor();
    await leaveWithout(other);
  });

  /** A control that only reads; the menus are looked at one by one. */
  const READS =
    /^(Copy the id of|just now$|\d+ \w+ ago$|\d{1,2} \w{3}|\d\d:\d\d|Check again\b|Statement$|Export CSV$|Filter$|Live$|Was I charged\?$|Find$|Key$|Actions of )/;
  const CONTROL = /- (?:button|textbox|checkbox|radio|combobox|switch|spinbutton) "([^"]*)"/g;
  /** What is on a page for changes, by its names. */
  async function changesOn(on: Page): Promise<string[]> {
    const controls = (await on.getByRole('main').ariaSnapshot()).matchAll(CONTROL);
    return Array.from(controls, ([, name = '']) => name).filter((name) => !READS.test(name));
  }
  async function menuOf(on: Page, name: RegExp): Promise<string[]> {
    await on.getByRole('button', { name }).click();
    const entries = on.getByRole('menu').getByRole('menuitem');
    await entries.first().waitFor();
    const words = await entries.allInnerTexts();
    await on.keyboard.press('Escape');
    return words;
  }

  test('with a viewer: their pages have nothing that changes anything but their own membership', async () => {
    const settled = await settleWithKey(visited);
    await ping(site, settled.key);
    const viewer = await joined(settled, browser, 'viewer');
    const [account, project] = [`/accounts/${settled.accountId}`, settled.projectPath];
    await page.goto(`${site.portalUrl}${project}/settings`);
    await page.getByRole('button', { name: 'Close project' }).waitFor();
    expect(await changesOn(page)).toEqual(['Name', 'Save', 'Close project']);
    const looks = [
      [account, 'Trip planner'],
      [`${project}/keys`, '1 active key'],
      [`${project}/keys/${settled.keyId}`, /^Units by day/],
      [`${project}/requests`, 'Trip planner'],
      [`${project}/usage`, 'Units by key'],
      [`${project}/settings`, 'Close the project'],
      [`${account}/settings`, 'Leave the account', 'Leave account'],
      [`${account}/settings/mails`, 'Thresholds'],
      [`${account}/developers/tokens`, 'Developers'],
      [`${account}/team`, 'Team'],
    ] as const;
    for (const [path, shown, ...own] of looks) {
      await viewer.page.goto(site.portalUrl + path);
      await viewer.page.getByRole('heading', { name: shown }).waitFor();
      expect([path, await changesOn(viewer.page)]).toEqual([path, own]);
    }
    await viewer.page.getByText(/^Viewers look, members/).waitFor();
    await viewer.page.getByText('(you)').waitFor();
    expect(await viewer.page.getByRole('button', { name: /^Actions of/ }).count()).toBe(1);
    expect(await menuOf(viewer.page, /^Actions of/)).toEqual(['Leave …']);
    await viewer.page.goto(`${site.portalUrl}${project}/keys`);
    expect(await menuOf(viewer.page, /^Actions of CI/)).toEqual(['Copy the id', 'Its requests']);
    await leaveWithout(viewer);
  });

  test('a change of who has left meanwhile says so', async () => {
    const settled = await settle(visited);
    const other = await joined(settled, browser);
    await open('team', settled);
    await choose(page, `Actions of ${other.email.split('@', 1)[0]}`, 'Change role');
    const session = (await (await read(other, '/api/session')).json()) as { accounts: { memberId: string }[] };
    await change(other, 'DELETE', `/api/accounts/${settled.accountId}/members/${session.accounts[0]?.memberId}`);
    await confirm('Change role');
    await page.getByRole('alertdialog').getByText('This is not there any more').waitFor();
    visited.forgive('status of 404');
    await leaveWithout(other);
  });

  test('a former owner learns it from the refusal of a change, and the page follows', async () => {
    const settled = await settle(visited);
    const other = await joined(settled, browser, 'owner');
    await open('team', settled, other.page);
    await press('Invite', other.page);
    await other.page.getByLabel('E-mail address').fill('somebody@example.com');
    await open('team', settled);
    await choose(page, `Actions of ${other.email.split('@', 1)[0]}`, 'Change role');
    await page
      .getByRole('alertdialog')
      .getByText(/^Member works/)
      .click();
    await confirm('Change role');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await other.page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await other.page.getByText('Only an owner of the account may do this.').waitFor();
    expect(await other.page.getByLabel('E-mail address').inputValue()).toBe('somebody@example.com');
    // An error of the page takes the place of that of the attempt before.
    await other.page.getByLabel('E-mail address').fill('somebody');
    await other.page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await other.page.getByText('Enter an e-mail address.').waitFor();
    expect(await other.page.getByText('Only an owner of the account may do this.').count()).toBe(0);
    await other.page.keyboard.press('Escape');
    await other.page.getByRole('button', { name: 'Invite' }).waitFor({ state: 'detached' });
    await open('developers/tokens', settled, other.page);
    await other.page.getByText('Only owners of the account see its webhooks and management tokens.').waitFor();
    await leaveWithout(other, 'status of 403');
  });

  describe('an invitation', () => {
    test('that is withdrawn while it is looked at says so to who accepts it; another one can be declined', async () => {
      const settled = await settle(visited);
      const other = await invited(settled, browser);
      await other.page.goto(site.portalUrl);
      await other.page.getByText('invited you to My team').waitFor();
      await open('team', settled);
      await page.getByText(/^until /).waitFor();
      await choose(page, /^Actions of person-\d+@/, 'Copy the link');
      await page.getByText(/^Copied the link/).waitFor();
      const link = `${site.portalUrl}/invitations/${settled.accountId}`;
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
      await choose(page, /^Actions of person-\d+@/, 'Withdraw');
      await confirm('Withdraw');
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      await press('Accept', other.page);
      await other.page.getByText('is no more: it was withdrawn, or has expired.').waitFor();

      const members = `/api/accounts/${settled.accountId}/members`;
      await change(visited, 'POST', members, { email: other.email, role: 'member' });
      // It is offered to who opens a link to the account.
      await other.page.goto(`${site.portalUrl}${settled.projectPath}/keys`);
      await other.page.getByRole('heading', { name: 'You are invited' }).waitFor();
      await press('Decline', other.page);
      await other.page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
      await page.reload();
      await page.getByText('You are alone here.').waitFor();
      await leaveWithout(other, 'status of 404');
    });

    test('says who invites, in words that no name can be; further ones come when they are asked for', async () => {
      await settle(visited);
      const invitation = (name: string, invitedByKind: string, invitedBy: string) => ({
        accountId: `acc_${name.padEnd(16, '0')}`,
        accountName: name,
        role: 'member',
        invitedBy,
        invitedByKind,
        expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
      });
      const newest = [invitation('One', 'operator', 'operator'), invitation('Two', 'person', 'The platform team')];
      await page.route('**/api/session', async (route) => {
        const response = await route.fetch();
        const session = (await response.json()) as object;
        await route.fulfill({ response, json: { ...session, invitations: newest, invitationsCursor: 'first' } });
      });
      const further: Record<string, object> = {
        first: { invitations: [], cursor: 'second' },
        second: { invitations: [invitation('Three', 'person', 'Ada')], cursor: null },
      };
      await page.route('**/api/invitations?*', (route) =>
        route.fulfill({ json: further[new URL(route.request().url()).searchParams.get('cursor') ?? ''] }),
      );
      await page.goto(`${site.portalUrl}/welcome`);
      await page.getByText('The platform team invited you to One as a member').waitFor();
      await page.getByText('A person who goes by The platform team invited you to Two').waitFor();
      expect(await page.locator('q').allTextContents()).toEqual(['The platform team']);
      await press('More invitations');
      await page.getByText('A person who goes by Ada invited you to Three').waitFor();
      expect(await page.getByRole('button', { name: 'More invitations' }).count()).toBe(0);
      await page.unrouteAll();
    });
  });
});
