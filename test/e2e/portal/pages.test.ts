import { describe, expect, test } from '@jest/globals';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { look } from './look.ts';
import { ping } from '../../support/portal-site.ts';
import {
  change,
  closeKey,
  createKey,
  loseAnswers,
  newKey,
  settle,
  signIn,
  choose,
  YOU,
} from '../../support/portal-visit.ts';

describeInPortal('the pages of the portal', () => {
  const open = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const follow = (name: string, navigation = 'Main'): Promise<void> =>
    page.getByRole('navigation', { name: navigation }).getByRole('link', { name, exact: true }).click();
  const closeDialog = async (): Promise<void> => {
    await page.keyboard.press('Escape');
    await page.locator('[role=dialog], [role=alertdialog]').waitFor({ state: 'detached' });
  };

  test('have nothing that axe finds, and fit a narrow screen: a first visit by mouse, from the sign-in to a key and its request', async () => {
    await page.goto(site.portalUrl);
    await page.getByRole('heading', { name: 'The gateway that counts exactly' }).waitFor();
    await look(page, 'landing');
    await expectOneRowHead();
    await page.goto(`${site.portalUrl}/profile`);
    await page.getByText('You come back to this page.').waitFor();
    const address = await page.getByRole('link', { name: 'Sign in' }).first().getAttribute('href');
    expect(address).toBe('/api/sign-in?returnTo=%2Fprofile');
    await look(page, 'sign-in');
    await page.goto(`${site.portalUrl}/?signIn=failed`);
    await page.getByText('Signing in did not work.').waitFor();
    await look(page, 'failed sign-in');
    await signIn(visited);
    await page.getByLabel('Name of the account').waitFor();
    await open('Create account');
    await page.getByText('Enter a name.').waitFor();
    await look(page, 'welcome');
    await page.getByLabel('Name of the account').fill('My team');
    await open('Create account');
    await page.getByLabel('Name of the project').waitFor();
    await look(page, 'first project');
    await open('Create project');
    await page.getByLabel('Name of the key').waitFor();
    await look(page, 'first key');

    const key = await createKey(visited, 'CI');
    const dialog = page.getByRole('alertdialog');
    const commands = (await dialog.locator('pre').allInnerTexts()).join('\n');
    expect(commands).toContain('read -rs SANDBOX_GATEWAY_API_KEY');
    expect(commands).toContain(`curl -i ${site.url}/api/v1/sandbox/ping`);
    expect(commands).not.toContain(key);
    await open('Send a test ping');
    await dialog.getByText(/^200, \d+ ms$/).waitFor();
    await dialog.getByText('All headers').click();
    for (const shown of [
      '"message":"Sandbox gateway is ready."',
      '59 of 60 requests left this minute',
      'X-RateLimit-Remaining: 59',
      'X-Service-Quota-Remaining: 9999',
      'X-Service-Request-Id: ',
    ])
      expect(await dialog.innerText()).toContain(shown);
    await page.keyboard.press('Escape');
    await page.getByText('You have not copied the key.').waitFor();
    await look(page, 'new key');
    await open('Keep it open');
    await closeKey(page);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);

    await page.getByRole('table', { name: 'Keys' }).getByText('Succeeded').waitFor();
    await look(page, 'keys');
    await page.getByRole('button', { name: /^Actions of CI/ }).click();
    await page.getByRole('menu').waitFor();
    await look(page, 'menu of a key');
    await page.keyboard.press('Escape');
    for (const name of ['Create key', 'Rename', 'Rotate', 'Revoke']) {
      if (name === 'Create key') await open(name);
      else await choose(page, /^Actions of CI/, name);
      await page.locator('[role=dialog], [role=alertdialog]').waitFor();
      await look(page, name);
      await closeDialog();
    }
    await follow('Usage', 'Project');
    await page.getByText('1 of 10,000 units').waitFor();
    await follow('Requests', 'Project');
    await page.getByRole('table', { name: 'Requests' }).getByText('CI').waitFor();
    await follow('Home');
    // The page says what to do after the first request.
    await page.getByRole('link', { name: 'Call it from your program' }).waitFor();
  });

  const expectOneRowHead = async (): Promise<void> => {
    const head = page.getByRole('banner');
    for (const width of [320, 360, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const [documentation, signInLink, all] = await Promise.all(
        [head.getByRole('link', { name: 'Documentation' }), head.getByRole('link', { name: 'Sign in' }), head].map(
          (part) => part.boundingBox(),
        ),
      );
      expect([width, documentation?.y, all?.height]).toEqual([width, signInLink?.y, 64]);
    }
  };

  test('have nothing that axe finds, and fit a narrow screen: usage, settings, home and team, to the end of a project', async () => {
    // The name has two spaces, which are seen as one, and typed so.
    const settled = await settle(visited, 'Trip  planner');
    const { key } = await newKey(settled);
    // The address of a project alone leads to its keys.
    await page.goto(`${site.portalUrl}${settled.projectPath}`);
    await page.waitForURL(`**${settled.projectPath}/keys`);
    await page.goto(`${site.portalUrl}${settled.projectPath}/usage`);
    await page.getByText('No request in the last 24 hours.').first().waitFor();
    await look(page, 'usage');
    await follow('Requests', 'Project');
    // The page before says the same of its chart.
    await page.getByText('Was I charged?').waitFor();
    await page.getByText('No request in the last 24 hours.').first().waitFor();
    await look(page, 'requests');
    await follow('Settings', 'Project');
    await page.getByRole('button', { name: 'Close project' }).waitFor();
    await look(page, 'project settings');
    await follow('Home');
    await open('New project');
    await page.getByRole('dialog').waitFor();
    await look(page, 'new project');
    await closeDialog();
    await page.getByText('Nothing needs you.').waitFor();
    await look(page, 'home');
    await follow('Team');
    await page.getByText('You are alone here.').waitFor();
    await open('Invite');
    const address = page.getByLabel('E-mail address');
    await address.fill('jürgen@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await page.getByText('Give an e-mail address of ASCII characters').waitFor();
    // So that a screen reader says it.
    expect(await address.evaluate((field) => field === document.activeElement)).toBe(true);
    visited.forgive('status of 400');
    await address.fill('somebody@example.com');
    await look(page, 'inviting');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await page.getByText('is invited for 14 days').waitFor();
    await look(page, 'invited');
    await open('Done');
    await page.getByText('Invited', { exact: true }).waitFor();
    await look(page, 'team');
    await follow('Settings');
    await page.getByText('You are its only owner').waitFor();
    await look(page, 'settings');
    await follow('E-mails and thresholds', 'Settings');
    await page.getByText('Each owner gets them.').waitFor();
    await look(page, 'mails');
    await follow('Developers');
    await page.getByText('No endpoint yet.').waitFor();
    await look(page, 'webhooks');
    await follow('Tokens', 'Developers');
    await page.getByText('No token yet.').waitFor();
    await look(page, 'tokens');
    await follow('Audit');
    await page.getByText(/created the project/).waitFor();
    await look(page, 'audit');
    await choose(page, YOU, 'Profile and sessions');
    await page.getByText('you are the only one of these').waitFor();
    await page.getByRole('table', { name: 'Sessions' }).waitFor();
    await look(page, 'profile');
    await page.goto(`${site.portalUrl}/nowhere`);
    await page.getByText('There is nothing here').waitFor();
    await look(page, 'not found');

    await page.goto(`${site.portalUrl}${settled.projectPath}/settings`);
    await open('Close project');
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('1 active key will be refused').waitFor();
    await dialog.getByRole('textbox').fill('Trip');
    await dialog.getByRole('button', { name: 'Close project' }).click();
    await dialog.getByText('This is not the name of the project.').waitFor();
    await look(page, 'closing a project');
    await dialog.getByRole('textbox').fill('Trip planner');
    await dialog.getByRole('button', { name: 'Close project' }).click();
    await page.getByText('Name a first project').first().waitFor();
    expect((await ping(site, key)).status).toBe(403);
  });

  test('are where they were for who has an old address', async () => {
    const { accountId } = await settle(visited);
    const account = `${site.portalUrl}/accounts/${accountId}`;
    for (const [old, now] of [
      ['settings/notices', 'settings/mails'],
      ['settings/tokens', 'developers/tokens'],
      ['settings/end', 'settings'],
      ['developers', 'developers/webhooks'],
      ['developers/webhooks/ept_0000000000000000', 'developers/webhooks'],
    ] as const) {
      await page.goto(`${account}/${old}`);
      await page.waitForURL(`${account}/${now}`);
    }
  });

  test.each(['constructor', '__proto__', 'toString'])(
    'are none at the name that every object has: %s',
    async (name) => {
      const { accountId } = await settle(visited);
      const address = `${site.portalUrl}/accounts/${accountId}/settings/${name}`;
      await page.goto(address);
      await page.getByText('There is nothing here').waitFor();
      expect(page.url()).toBe(address);
    },
  );

  test('are all reached on a phone, in a project by a bar of its own; a message covers neither it nor the menu', async () => {
    const { projectPath, accountId } = await settle(visited);
    const navigation = page.getByRole('navigation', { name: 'Main' });
    const bar = async (path: string, first: string) => {
      await page.goto(site.portalUrl + path);
      await page.getByRole('heading', { name: first }).first().waitFor();
      return navigation.getByRole('link').allInnerTexts();
    };
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await bar(`/accounts/${accountId}`, 'Home')).toEqual(['Home', 'Team', 'Docs']);
    expect(await bar(`${projectPath}/settings`, 'Close the project')).toEqual(['Home', 'Keys', 'Usage']);
    await page.getByRole('button', { name: 'Save' }).click();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await page.getByText(/^The name is/).waitFor();
      const you = await page.getByRole('button', { name: YOU }).boundingBox();
      const toast = await page.getByRole('button', { name: 'Hide this message' }).boundingBox();
      expect(toast && you && (toast.y + toast.height <= you.y || toast.x >= you.x + you.width)).toBe(true);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: YOU }).click();
    await page.getByRole('menuitem', { name: 'Developers' }).waitFor();
    const entries = await page.getByRole('menuitem').allInnerTexts();
    expect(entries).toEqual(expect.arrayContaining(['Team', 'Audit', 'Developers', 'Settings', 'Docs']));
    await page.getByRole('menuitem', { name: 'Developers' }).click();
    await page.waitForURL('**/developers/webhooks');
  });

  describe('keep what one was doing', () => {
    test('what is typed in a tab of the settings is there after a look at another, by keyboard and Back', async () => {
      const { accountId } = await settle(visited);
      const settings = `${site.portalUrl}/accounts/${accountId}/settings`;
      await page.goto(settings);
      const name = page.getByLabel('Name', { exact: true });
      await name.fill('Half a na');
      const tab = page
        .getByRole('navigation', { name: 'Settings' })
        .getByRole('link', { name: 'E-mails and thresholds' });
      for (let presses = 0; presses < 10 && !(await tab.evaluate((link) => link.matches(':focus'))); presses++) {
        await page.keyboard.press('Shift+Tab');
      }
      await page.keyboard.press('Enter');
      await page.getByText('Each owner gets them.').waitFor();
      expect([page.url(), await name.isVisible()]).toEqual([`${settings}/mails`, false]);
      await page.goBack();
      await name.waitFor();
      expect([page.url(), await name.inputValue()]).toEqual([settings, 'Half a na']);
    });

    test('a creation whose answer is lost keeps what was typed, and done again it is one', async () => {
      const { accountId } = await settle(visited);
      await page.goto(`${site.portalUrl}/accounts/${accountId}`);
      await open('New project');
      await page.getByLabel('Name of the project').fill('Twice asked for');
      await loseAnswers(page, 'POST', '**/projects');
      await open('Create project');
      await page.getByText('The portal did not answer.').waitFor();
      expect(await page.getByLabel('Name of the project').inputValue()).toBe('Twice asked for');
      await page.unrouteAll();
      await open('Create project');
      await page.getByRole('heading', { name: 'Create a key' }).waitFor();
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
      await page.getByRole('heading', { name: 'Twice asked for' }).first().waitFor();
      expect(await page.getByRole('heading', { name: 'Twice asked for' }).count()).toBe(1);
      // The browser reports that the answer was lost.
      visited.forgive('net::ERR_FAILED');
    });

    test('a removal whose answer is lost is done when it is done again, and says so', async () => {
      const { accountId, projectPath } = await settle(visited);
      const account = `/api/accounts/${accountId}`;
      await change(visited, 'POST', `${account}/members`, { email: 'somebody@example.com', role: 'member' });
      const endpoint = { url: 'http://localhost:1/', kinds: ['key.leaked'] };
      const { endpointId } = await change<{ endpointId: string }>(visited, 'POST', `${account}/endpoints`, endpoint);
      const removals = [
        [`/accounts/${accountId}/team`, 'Withdraw', 'The invitation is withdrawn.'],
        [`/accounts/${accountId}/developers/webhooks/${endpointId}`, 'Delete endpoint', 'The endpoint is deleted.'],
        [`${projectPath}/settings`, 'Close project', /Trip planner.* is closed\./],
        [`/accounts/${accountId}/settings`, 'Close account', /My team.* is closed\./],
      ] as const;
      for (const [path, word, done] of removals) {
        await page.goto(site.portalUrl + path);
        if (word === 'Withdraw') await choose(page, 'Actions of somebody@example.com', word);
        else if (word === 'Delete endpoint') await choose(page, /^Actions of http/, 'Delete');
        else await open(word);
        const dialog = page.getByRole('alertdialog');
        const name = dialog.getByRole('textbox');
        await dialog.waitFor();
        if (await name.count()) await name.fill(word === 'Close project' ? 'Trip planner' : 'My team');
        await loseAnswers(page, 'DELETE', '**/api/**');
        await dialog.getByRole('button', { name: word }).click();
        await dialog.getByText('The portal did not answer.').waitFor();
        await page.unrouteAll();
        await dialog.getByRole('button', { name: word }).click();
        await page.getByText(done).waitFor();
      }
      visited.forgive('net::ERR_FAILED');
      visited.forgive('status of 404');
    });
  });
});
