import { expect, test } from '@jest/globals';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { ping } from '../../support/portal-site.ts';
import { closeKey, shownKey, settleWithKey } from '../../support/portal-visit.ts';
import { look } from './look.ts';

describeInPortal('the page of a key', () => {
  const figure = (name: string) => page.locator('dl > div').filter({ hasText: name });

  test('is reached from the list by its name, by keyboard, and says what the key is and does', async () => {
    const { projectPath, key, keyId } = await settleWithKey(visited);
    await ping(site, key);
    await ping(site, key, { 'Content-Type': 'text/plain' });
    await page.goto(`${site.portalUrl}${projectPath}/keys`);
    const link = page.getByRole('table', { name: 'Keys' }).getByRole('link', { name: 'CI' });
    await link.waitFor();
    for (let presses = 0; presses < 30; presses++) {
      if (await link.evaluate((element) => element === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'CI', level: 1 }).waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    expect(await page.title()).toBe(`CI …${key.slice(-4)} · Keys · Developer portal`);
    await figure('Units in').getByText('1', { exact: true }).waitFor();
    // The minute of the pings is not known.
    await figure('Rate now').getByText('of 60 this minute').waitFor();
    await figure('Last used').getByText('Refused, 415 UNSUPPORTED_MEDIA_TYPE').waitFor();
    await figure('Expires').getByText('Never').waitFor();
    await page.getByRole('table', { name: 'Requests' }).getByText('Succeeded').waitFor();
    await page.getByRole('button', { name: /^Units by day in .*: show as table$/ }).click();
    await page.getByRole('table', { name: /^Units by day/ }).waitFor();
    await page
      .getByRole('button', { name: `Copy the id of the key, ${keyId}` })
      .first()
      .press('Enter');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(keyId);
    await look(page, 'key');
    await page.getByRole('navigation', { name: 'Where you are' }).getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('table', { name: 'Keys' }).waitFor();
  });

  test('shows a rotation while two keys work: who uses the old one, and whether it can be ended now; a key that is not there is nothing', async () => {
    const { projectPath, key, keyId, keys } = await settleWithKey(visited);
    await ping(site, key);
    await page.goto(`${site.portalUrl}${projectPath}/keys/${keyId}`);
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('button', { name: 'Rotate key' }).click();
    const next = await shownKey(page);
    await closeKey(page);
    const card = page.locator('section').filter({ hasText: 'Rotation: two keys work' });
    await card.getByText('0 requests since the rotation').waitFor();
    await card.getByText('Too early to tell').waitFor();
    await look(page, 'rotated key');

    await ping(site, next);
    await ping(site, key, { 'User-Agent': 'old-server/1.0' });
    // The page reads it again by itself.
    await card.getByText('1 request since the rotation').waitFor({ timeout: 20_000 });
    await card.getByText('Its newest requests were sent by old-server/1.0').waitFor();
    await card.getByText('Not safe to end yet').waitFor();

    // The page of the new key shows the same rotation.
    await card.getByRole('link', { name: `svc_test_…${next.slice(-4)}` }).click();
    await card.getByText(`svc_test_…${next.slice(-4)} (this one)`).waitFor();
    await card.getByText('1 request since the rotation').waitFor();
    await card.getByText('In use', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'End the old key now' }).click();
    await page
      .getByRole('alertdialog')
      .getByText(`…${key.slice(-4)}`)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await card.waitFor({ state: 'detached' });
    expect([(await ping(site, key)).status, (await ping(site, next)).status]).toEqual([401, 200]);
    await page.goto(`${site.portalUrl}${keys.replace('/api', '')}/${keyId}`);
    await page.getByText('Revoked').first().waitFor();
    await look(page, 'revoked key');

    await page.goto(`${site.portalUrl}${projectPath}/keys/key_0000000000000000`);
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    visited.forgive('status of 404');
  });
});
