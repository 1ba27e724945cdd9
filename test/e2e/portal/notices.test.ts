import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { browser, describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { ping } from '../../support/portal-site.ts';
import { change, choose, hold, newKey, operate, read, settle, visit, type Visit } from '../../support/portal-visit.ts';
import { until } from '../../support/processes.ts';
import { scriptedServer } from '../../support/scripted-server.ts';
import { noteSecret } from '../../support/secrets/journal.ts';
import { look } from './look.ts';

describeInPortal('notices', () => {
  test('lead from an invitation to the account, and tell of a quota by banner, mail and a webhook that the library of the standard verifies', async () => {
    const settled = await settle(visited);
    const { accountId } = settled;
    const { key } = await newKey(settled, { name: 'CI' });
    const receiver = await scriptedServer({ status: 200, body: {} });
    const other = await visit(browser, site.portalUrl);
    await change(visited, 'POST', `/api/accounts/${accountId}/members`, { email: other.email, role: 'owner' });
    // Before they are an owner: that the limit was changed is told to others only.
    await operate(site, 'project', 'update', '--project', settled.projectId, '--quota', '5');

    const invitation = await openMail(other, 'You are invited', 'See the invitation');
    await invitation.getByText('Use the e-mail address that the invitation was sent to.').waitFor();
    await invitation.getByRole('link', { name: 'Sign in' }).first().click();
    await invitation.getByLabel('E-mail address').fill(other.email);
    await invitation.getByRole('button', { name: 'Sign in' }).click();
    await invitation.getByRole('button', { name: 'Accept' }).click();
    await invitation.waitForURL(`${site.portalUrl}/accounts/${accountId}`);

    await invitation.goto(`${site.portalUrl}/accounts/${accountId}`);
    await invitation.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Developers' }).click();
    await invitation.getByRole('button', { name: 'Add endpoint' }).click();
    await invitation.getByLabel('Address').fill('http://example.com');
    await invitation.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click();
    await invitation
      .getByText('Give an https address, such as https://example.com/hooks, or http://localhost')
      .waitFor();
    await invitation.getByLabel('Address').fill(receiver.url.replace('127.0.0.1', 'localhost'));
    await invitation.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click();
    const secrets = [await takeSecret(invitation)];
    // The list comes in place of the button that had the focus.
    await invitation.getByRole('table', { name: 'Webhook endpoints' }).waitFor();
    await invitation.waitForFunction(() => document.activeElement?.textContent === 'Add endpoint');
    await invitation.getByRole('link', { name: /^http:\/\/localhost/ }).click();
    await choose(invitation, /^Actions of http/, 'New secret');
    await invitation.getByRole('button', { name: 'Make a new secret' }).click();
    secrets.push(await takeSecret(invitation));
    await invitation.getByText('Both secrets work until').waitFor();

    for (let used = 1; used <= 4; used++) expect((await ping(site, key)).status).toBe(200);
    const usage = await openMail(other, '80 % of a project', 'See the usage');
    await usage.getByText('80 % of the quota is used.').waitFor();
    const help = usage.getByRole('link', { name: 'Ask the platform team for more' });
    expect(await help.getAttribute('href')).toBe('https://help.example.com/more');
    await until(() => receiver.requests.length > 0);
    receiver.close();
    const [{ headers, body }] = receiver.requests as [(typeof receiver.requests)[0]];
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
        type: 'quota.threshold_reached',
        data: { accountId, projectId: settled.projectId, thresholdPercent: 80 },
      });
    }
    await invitation.reload();
    await invitation.getByText('Arrived').waitFor();
    await invitation.getByText('80 %', { exact: true }).click();
    await invitation.getByText('"thresholdPercent": 80').waitFor();
    await invitation.getByText(String(headers['webhook-id'])).first().waitFor();
    await invitation.getByLabel('Type to send').selectOption('key.expiring');
    await invitation.getByRole('button', { name: 'Send a sample of this type' }).click();
    await invitation.getByRole('row', { name: /key\.expiring/ }).waitFor();
    await look(invitation, 'an endpoint');

    expect((await ping(site, key)).status).toBe(200);
    expect((await ping(site, key)).status).toBe(429);
    await usage.reload();
    await usage.getByText('The quota is used up.').waitFor();
    await usage.getByText(/until 1 \w+, 00:00 UTC\. Ask the platform team/).waitFor();
    await usage.goto(`${site.portalUrl}/accounts/${accountId}`);
    await usage.getByText(/^Used up until 1 /).waitFor();
    await other.context.close();
  });

  /** Waits for a mail to the person, and presses its link as it stands in the mailbox's page. */
  async function openMail({ page: mails, context, email }: Visit, subject: string, link: string): Promise<Page> {
    const mail = mails.getByRole('listitem').filter({ hasText: email }).filter({ hasText: subject });
    await mails.goto(site.mailboxUrl);
    await mail.waitFor();
    await mail.getByRole('link').click();
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      mails.frameLocator('iframe').getByRole('link', { name: link }).click(),
    ]);
    return opened;
  }

  /** The signing secret that a dialog shows, which is closed then. */
  async function takeSecret(shown: Page): Promise<string> {
    const dialog = shown.getByRole('alertdialog', { name: 'Your signing secret. You see it only now' });
    const secret = await dialog.locator('code').first().innerText();
    noteSecret('secret of an endpoint', secret);
    await dialog.getByRole('button', { name: 'Copy the secret' }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    return secret;
  }

  test('of two kinds, switched off in quick succession while the portal is slow, are both off, and shown so at once', async () => {
    const { accountId } = await settle(visited);
    await page.goto(`${site.portalUrl}/accounts/${accountId}/settings/mails`);
    await page.getByRole('checkbox', { name: /^Quotas/ }).waitFor();
    const release = await hold(page, '**/mails');
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

  test('are told at the thresholds that one types, also with a comma at the end', async () => {
    const { accountId } = await settle(visited);
    await page.goto(`${site.portalUrl}/accounts/${accountId}/settings/mails`);
    const percents = page.getByLabel('Percent of a quota or cap');
    await percents.fill('50, 90,');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await percents.inputValue()).toBe('50, 90');
    // Another owner changes one field, while the other is typed.
    const path = `/api/accounts/${accountId}/thresholds`;
    await page.getByLabel('Days before an expiry').fill('14');
    await change(visited, 'PATCH', path, { percents: [60] });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('textbox', { name: 'Percent of a quota or cap' }).and(page.locator('[value="60"]')).waitFor();
    expect(await (await read(visited, path)).json()).toEqual({ percents: [60], days: [14] });
  });

  test('stop by no link that was cut: its page says so, and has nothing to press', async () => {
    await page.goto(`${site.portalUrl}/mails/stop`);
    await page.getByText('This link is not complete.').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    await look(page, 'a link that was cut');
  });
});
