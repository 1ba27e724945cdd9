import { expect, test } from '@jest/globals';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { ping } from '../../support/portal-site.ts';
import { change, choose, closeKey, newKey, settle, shownKey, type Settled } from '../../support/portal-visit.ts';
import { look } from './look.ts';

describeInPortal('the cap of a key', () => {
  const field = () => page.getByLabel('Units a month, at most');
  const meter = () => page.getByRole('meter', { name: 'Cap used' });
  const cap = () => page.getByRole('button', { name: 'Cap', exact: true });
  const save = () => page.getByRole('button', { name: 'Save' });
  const open = async ({ projectPath }: Settled): Promise<void> => {
    await page.goto(`${site.portalUrl}${projectPath}/keys`);
    await page
      .getByRole('button', { name: 'Create key' })
      .or(page.getByRole('table', { name: 'Keys' }))
      .first()
      .waitFor();
  };
  /** A key with this cap, and the API's path of it. */
  const capped = async (settled: Settled, unitsLimit: number) => {
    const made = await newKey(settled, { name: 'Agent', unitsLimit });
    return { ...made, page: `${site.portalUrl}${settled.projectPath}/keys/${made.keyId}` };
  };

  test('is given with a new key, and shown in the list and on its page with what is used of it', async () => {
    const settled = await settle(visited);
    await open(settled);
    await page.getByLabel('Name of the key').fill('Agent');
    await page.getByText("Of the project's 10,000. Leave it empty for no cap.").waitFor();
    await field().fill('some');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Give a whole number up to 1,000,000,000').waitFor();
    await look(page, 'creation with a wrong cap');
    expect(await field().inputValue()).toBe('some');
    await field().fill(' 2 ');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = await shownKey(page);
    await closeKey(page);
    await meter().waitFor();
    expect(await meter().getAttribute('aria-valuetext')).toBe('0 of 2 units');
    for (let n = 0; n < 3; n++) await ping(site, key);
    await page.reload();
    await meter().waitFor();
    expect(await meter().getAttribute('aria-valuetext')).toBe('2 of 2 units');
    await page.getByText('cap used up').waitFor();
    await look(page, 'list with a used-up cap');
    await page.getByRole('table', { name: 'Keys' }).getByRole('link', { name: 'Agent' }).click();
    await page.getByText('of its cap of 2').waitFor();
    await page.getByText(/^0 left until/).waitFor();
    await page.getByRole('table', { name: 'Requests' }).getByText('KEY_QUOTA_EXCEEDED').first().waitFor();
    await look(page, 'page of a key with a used-up cap');
  });

  test('is changed in its dialog, in which it stays typed while the answer is slow, after a failure and after a refusal', async () => {
    const settled = await settle(visited);
    const key = await capped(settled, 1);
    await ping(site, key.key);
    await open(settled);
    await choose(page, /^Actions of Agent/, 'Cap its units');
    await page.getByRole('dialog', { name: 'Cap of Agent' }).waitFor();
    expect(await field().inputValue()).toBe('1');
    await page.getByText("1 used: the next requests are refused. Of the project's 10,000.").waitFor();
    await look(page, 'dialog of a cap');
    await field().fill('7');
    await page.getByText("1 used. Of the project's 10,000.").waitFor();
    let sent = 0;
    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<undefined>();
    await page.route(`${site.portalUrl}${key.path}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      sent++;
      if (sent === 1) return route.abort();
      await isAnswered;
      return route.fallback();
    });
    await save().click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await field().inputValue()).toBe('7');
    await page.keyboard.press('Enter');
    // A second press while it is under way is no second request.
    await save().click({ force: true });
    answer(undefined);
    await page.getByText('The cap is 7 units now.').first().waitFor();
    expect([sent, await meter().getAttribute('aria-valuetext')]).toEqual([2, '1 of 7 units']);
    await page.unrouteAll();

    await page.goto(key.page);
    await cap().click();
    await field().fill('');
    await save().click();
    await page.getByText('The key has no cap now.').first().waitFor();
    await page.getByText('of its cap of').waitFor({ state: 'detached' });
    await cap().click();
    await field().fill('0');
    await save().click();
    await page.getByText('With a cap of 0 every request of the key is refused.').waitFor();
    await look(page, 'dialog of a cap of nothing');
    await page.getByRole('button', { name: 'Refuse every request' }).click();
    await page.getByText('of its cap of 0').waitFor();
    await look(page, 'page of a key with a cap of nothing');

    await cap().click();
    await field().fill('9');
    // Somebody rotates it meanwhile.
    await change(visited, 'POST', `${key.path}/rotate`, {});
    await save().click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await field().inputValue()).toBe('9');
    await look(page, 'dialog of a cap that is refused');
    for (const text of ['net::ERR_FAILED', '409']) visited.forgive(text);
  });

  test('is changed at an old key too, also where its successor was revoked: both spend from one', async () => {
    const settled = await settle(visited);
    const key = await capped(settled, 1);
    const next = await change<{ keyId: string }>(visited, 'POST', `${key.path}/rotate`, {});
    await page.goto(key.page);
    const set = async (units: string): Promise<void> => {
      await page.getByText('The key in its place spends from the same cap').waitFor();
      await field().fill(units);
      await save().click();
      await page.getByText(`The cap is ${units} units now.`).first().waitFor();
    };
    await cap().click();
    await set('2');
    await change(visited, 'POST', `${key.path.replace(key.keyId, next.keyId)}/revoke`);
    await open(settled);
    await choose(page, /^Actions of Agent/, 'Cap its units');
    await set('3');
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await ping(site, key.key)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});
