import { expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeInPortal } from '../../support/portal-browser.ts';
import type { Site } from '../../support/portal-site.ts';
import { change, enter, read, settle, visit, type Visit } from '../../support/portal-visit.ts';
import { look } from './look.ts';

describeInPortal('notices', (onVisit) => {
  let site: Site;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  onVisit((portal) => ({ site, browser, visited, page } = portal));

  test('of an invitation come to the local mailbox, and its link leads who is invited to the account', async () => {
    const { accountId } = await settle(visited);
    const other = await visit(browser, site.portalUrl);
    await change(visited, 'POST', `/api/accounts/${accountId}/members`, { email: other.email, role: 'member' });
    await enter(other);
    const [opened] = await Promise.all([other.context.waitForEvent('page'), openMail(other)]);
    await opened.getByRole('button', { name: 'Accept' }).click();
    await opened.waitForURL(`${site.portalUrl}/accounts/${accountId}`);
    await other.context.close();
  });

  /** Waits for a mail to the person, and presses its link as it stands in the mailbox's page. */
  async function openMail({ page: mails, email }: Visit): Promise<void> {
    const mail = mails.getByRole('listitem').filter({ hasText: email });
    await mails.goto(site.mailboxUrl);
    await mail.waitFor();
    await mail.getByRole('link').click();
    await mails.frameLocator('iframe').getByRole('link', { name: 'See the invitation' }).click();
  }

  test('of two kinds, switched off in quick succession while the portal is slow, are both off, and shown so at once', async () => {
    const { accountId } = await settle(visited);
    await page.goto(`${site.portalUrl}/accounts/${accountId}/settings`);
    await page.getByRole('checkbox', { name: /^Quotas/ }).waitFor();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/mails', async (route) => {
      await held;
      await route.continue();
    });
    for (const kind of ['Quotas', 'Keys']) {
      await page.getByText(`${kind}:`).click();
      expect(await page.getByRole('checkbox', { name: new RegExp(`^${kind}`) }).isChecked()).toBe(false);
    }
    release();
    await page.getByText('Saved.').first().waitFor();
    const path = `/api/accounts/${accountId}/mails`;
    await page.waitForFunction(() => document.querySelectorAll('input[type=checkbox]:checked').length === 1);
    expect(await (await read(visited, path)).json()).toEqual({ quota: false, keys: false, team: true });
  });

  test('stop by no link that was cut: its page says so, and has nothing to press', async () => {
    await page.goto(`${site.portalUrl}/mails/stop`);
    await page.getByText('This link is not complete.').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    await look(page, 'a link that was cut');
  });

  test('of an invitation say at the sign-in which address to use, and the link to send fits a narrow screen', async () => {
    const { accountId } = await settle(visited);
    const other = await visit(browser, site.portalUrl);
    await other.page.goto(`${site.portalUrl}/invitations/${accountId}`);
    await other.page.getByText('Use the e-mail address that the invitation was sent to.').waitFor();
    await other.context.close();

    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(`${site.portalUrl}/accounts/${accountId}/team`);
    await page.getByRole('button', { name: 'Invite' }).first().click();
    await page.getByLabel('E-mail address').fill(other.email);
    await page.keyboard.press('Enter');
    const link = page.getByRole('dialog').getByText(`/invitations/${accountId}`);
    const { x, width } = (await link.boundingBox()) ?? { x: 0, width: Infinity };
    expect(x + width).toBeLessThanOrEqual(360);
  });
});
