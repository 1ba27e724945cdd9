import { expect, test } from '@jest/globals';
import { browser, describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import {
  change,
  enter,
  joined,
  loseAnswers,
  read,
  settle,
  visit,
  type Visit,
  choose,
  YOU,
} from '../../support/portal-visit.ts';

describeInPortal("one's own profile", () => {
  const openProfile = async (): Promise<void> => {
    await page.goto(`${site.portalUrl}/profile`);
    await page.getByRole('table', { name: 'Sessions' }).waitFor();
  };
  /** Opens the profile from another page. */
  const followToProfile = async (): Promise<void> => {
    await choose(page, YOU, 'Profile and sessions');
    await page.getByRole('table', { name: 'Sessions' }).waitFor();
  };
  /** The same person in another browser. */
  const elsewhere = async (): Promise<Visit> => {
    const other = { ...(await visit(browser, site.portalUrl)), email: visited.email };
    await enter(other);
    return other;
  };
  /** The status of another browser's session: 200, or 401. */
  const sessionStatus = async (other: Visit): Promise<number> => (await read(other, '/api/session')).status();

  test('sessions are listed, and ended: one, all others from their next request on, and this one too', async () => {
    await enter(visited);
    const others = [await elsewhere(), await elsewhere()];
    await openProfile();
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    expect(await rows.count()).toBe(4);
    expect(await page.getByText('(this one)').count()).toBe(1);
    await page
      .getByRole('button', { name: /^End the session of / })
      .first()
      .click();
    await rows.nth(3).waitFor({ state: 'detached' });
    expect((await Promise.all(others.map(sessionStatus))).sort()).toEqual([200, 401]);
    await page.getByRole('button', { name: 'End all others' }).click();
    await rows.nth(2).waitFor({ state: 'detached' });
    expect(await Promise.all(others.map(sessionStatus))).toEqual([401, 401]);
    await page.getByText('(this one)').waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    expect(await sessionStatus(visited)).toBe(401);
    for (const other of others) await other.context.close();
  });

  test('is refused to who becomes the only owner meanwhile, with the way on', async () => {
    const settled = await settle(visited);
    const other = await joined(settled, browser, 'owner');
    await openProfile();
    await page.getByRole('button', { name: 'Delete profile' }).click();
    const { accounts } = (await (await read(other, '/api/session')).json()) as { accounts: { memberId: string }[] };
    await change(other, 'DELETE', `/api/accounts/${settled.accountId}/members/${accounts[0]?.memberId}`);
    await page.getByRole('alertdialog').getByRole('textbox').fill(visited.email);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete profile' }).click();
    await page.getByRole('alertdialog').getByRole('link', { name: 'its team' }).waitFor();
    visited.forgive('status of 409');
    await other.context.close();
  });

  test('is deleted when its name is typed, also where no answer comes: who signs in again is a new person', async () => {
    await enter(visited);
    await openProfile();
    const personId = await page.getByRole('button', { name: /^Copy the id of the person/ }).innerText();
    await page.getByRole('button', { name: 'Delete profile' }).click();
    const dialog = page.getByRole('alertdialog');
    const press = () => dialog.getByRole('button', { name: 'Delete profile' }).click();
    await dialog.getByRole('textbox').fill('somebody else');
    await press();
    await dialog.getByText('This is not what you are to type.').waitFor();
    await loseAnswers(page, 'DELETE', '**/api/profile');
    await dialog.getByRole('textbox').fill(visited.email);
    await press();
    await dialog.getByText('The portal did not answer.').waitFor();
    await page.unrouteAll();
    await press();
    await page.getByText('Your profile is deleted').waitFor();
    visited.forgive('net::ERR_FAILED');
    visited.forgive('status of 401');
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await page.getByRole('button', { name: YOU }).or(page.getByLabel('E-mail address')).waitFor();
    if (await page.getByLabel('E-mail address').count()) {
      await page.getByLabel('E-mail address').fill(visited.email);
      await page.getByRole('button', { name: 'Sign in' }).click();
    }
    await followToProfile();
    expect(await page.getByRole('button', { name: /^Copy the id of the person/ }).innerText()).not.toBe(personId);
  });
});
