import { expect, test } from '@jest/globals';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { ping } from '../../support/portal-site.ts';
import { change, type Settled, settleWithKey } from '../../support/portal-visit.ts';
import { look } from './look.ts';

describeInPortal('the home of an account', () => {
  const openHome = ({ accountId }: Settled) => page.goto(`${site.portalUrl}/accounts/${accountId}`);
  const step = (name: string) => page.getByRole('listitem').getByRole('link', { name });

  test('leads on after the first key, by keyboard, until it is hidden for good', async () => {
    const settled = await settleWithKey(visited);
    await openHome(settled);
    await page.getByText('3 of 6 done').waitFor();
    expect(
      await page.getByRole('listitem').filter({ hasText: 'Send a first request' }).getAttribute('aria-current'),
    ).toBe('step');
    expect((await ping(site, settled.key)).status).toBe(200);
    await page.reload();
    await page.getByText('4 of 6 done').waitFor();
    await step('Call it from your program').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'TypeScript', exact: true }).waitFor();
    await page.goBack();
    // Of the last one there is a line.
    await page.getByText('5 of 6 done').waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'Create a key' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Invite a colleague' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Hide' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('First steps').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('Nothing needs you.').waitFor();
    expect(await page.getByText('First steps').count()).toBe(0);
  });

  test('says why requests were refused and what to do, and leads to them; axe finds nothing', async () => {
    const settled = await settleWithKey(visited);
    await change(settled, 'POST', `${settled.path}/rotate`, { graceHours: 72 });
    for (let i = 0; i < 2; i++)
      expect((await ping(site, settled.key, { 'Content-Type': 'text/plain' })).status).toBe(415);
    await openHome(settled);
    await page.getByText('UNSUPPORTED_MEDIA_TYPE').waitFor();
    await page.getByText(/· 2 times in 24 h$/).waitFor();
    // Among more requests than are looked at, it is that of the day's sums.
    await page.route('**/attention', async (route) => {
      const answer = (await (await route.fetch()).json()) as { refusals: object[] };
      const refusals = [{ ...answer.refusals[0], count: 1, isWhole: false }];
      await route.fulfill({ json: { ...answer, refusals } });
    });
    await page.reload();
    await page.getByText(/· 2 times in 24 h$/).waitFor();
    await page.route('**/usage?**', async (route) => {
      const answer = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...answer, complete: false } });
    });
    await page.reload();
    await page.getByText(/· at least 2 times in 24 h$/).waitFor();
    await page.unrouteAll();
    await page.getByText('Send Content-Type: application/json.').waitFor();
    await page.getByText(/^Replaced, ends in 2 days$/).waitFor();
    await page.getByRole('img', { name: /in the last 24 hours/ }).waitFor();
    await look(page, 'home with refusals');
    await page.getByRole('listitem').filter({ hasText: 'UNSUPPORTED_MEDIA_TYPE' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'What to do' }).waitFor();
  });

  test('lies below the bar of a phone, wherever it is scrolled', async () => {
    const settled = await settleWithKey(visited);
    expect((await ping(site, settled.key)).status).toBe(200);
    await page.setViewportSize({ width: 390, height: 320 });
    await openHome(settled);
    const lastRequest = page.getByRole('article').getByRole('button');
    await lastRequest.waitFor();
    const isBelow = await lastRequest.evaluate((button) => {
      scrollBy(0, button.getBoundingClientRect().bottom - innerHeight + 8);
      const { x, y } = button.getBoundingClientRect();
      return document.elementFromPoint(x + 1, y + 8)?.closest('nav') instanceof HTMLElement;
    });
    expect(isBelow).toBe(true);
  });

  test('shows the rest where a part of it cannot be read, and reads that again on request', async () => {
    const settled = await settleWithKey(visited);
    expect((await ping(site, settled.key)).status).toBe(200);
    let isFailing = true;
    for (const path of ['**/usage?**', '**/attention'])
      await page.route(path, (route) => (isFailing ? route.abort() : route.fallback()));
    await openHome(settled);
    await page.getByText('Could not read its requests.').waitFor();
    await page.getByText('Could not read refusals and keys.').waitFor();
    await page.getByText('1 of 10,000 units').waitFor();
    await look(page, 'home with failed parts');
    isFailing = false;
    await page.getByRole('article').getByRole('button', { name: 'Try again' }).click();
    await page.getByText('1 request in 24 h').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Nothing needs you.').waitFor();
    visited.forgive('net::ERR_FAILED');
  });
});
