import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { createClient, documentClient } from '../../../functions/shared/store/client.ts';
import { addressAs } from '../../support/iam-proxy/callers.ts';
import { IS_FULL } from '../../support/extent.ts';
import { FILLED_IN, HOSTILE_NAMES } from '../../support/hostile/names.ts';
import { browser, describeInPortal, page as own, site, visited } from '../../support/portal-browser.ts';
import { putUsage } from '../../support/portal-usage.ts';
import { change, newKey, read, settle, signIn, visit, type Settled, choose, YOU } from '../../support/portal-visit.ts';
import { harmOn } from './harm.ts';
import { drawn } from './look.ts';

const NAMES = Object.values(HOSTILE_NAMES);
const WIDTHS = [320, 1280];
/** A landing looks at each view in one width, by turns. */
let looks = 0;
const widths = (): number[] => (IS_FULL ? WIDTHS : WIDTHS.slice(looks++ % 2).slice(0, 1));
const HEIGHT = 800;

describeInPortal('names that are meant to harm', () => {
  /** Gives a person and their member names that an identity provider may send, but that the portal's forms refuse. */
  const rename = async (accountId: string, memberId: string, userId: string, name: string): Promise<void> => {
    const client = createClient(addressAs('test', site.databaseUrl));
    const keys = [
      { pk: `USER#${userId}`, sk: 'USER' },
      { pk: `ACCOUNT#${accountId}`, sk: `MEMBER#${memberId}` },
    ];
    for (const Key of keys) {
      await documentClient(client).send(
        new UpdateCommand({
          TableName: 'Gateway',
          Key,
          UpdateExpression: 'SET #name = :name, email = :email',
          ExpressionAttributeNames: { '#name': 'name' },
          ExpressionAttributeValues: { ':name': name, ':email': `${name}@example.com` },
        }),
      );
    }
    client.destroy();
  };

  /** An account in which every name is hostile. */
  const build = async (): Promise<{ settled: Settled; keyIds: string[]; requestId: string }> => {
    const settled = await settle(visited, HOSTILE_NAMES.markup);
    const { accountId, projectId } = settled;
    const account = `/api/accounts/${accountId}`;
    const project = `${account}/projects/${projectId}`;
    const keyIds: string[] = [];
    await change(visited, 'PATCH', account, { name: HOSTILE_NAMES.reversed });
    for (const name of [HOSTILE_NAMES.long, HOSTILE_NAMES.marks, HOSTILE_NAMES.style])
      await change(visited, 'POST', '/api/accounts', { name });
    for (const name of NAMES) {
      if (name !== HOSTILE_NAMES.markup) await change(visited, 'POST', `${account}/projects`, { name });
      const body = { name, expiresInDays: 3 };
      keyIds.push((await newKey(settled, body)).keyId);
    }
    await change(visited, 'PATCH', project, { name: HOSTILE_NAMES.reversed });
    const invited = { email: "o'b&{{191*193}}@example.com", role: 'owner' };
    await change(visited, 'POST', `${account}/members`, invited);
    const [event] = await putUsage(
      site,
      settled,
      NAMES.map((clientRequestId, index) => ({
        occurredAt: new Date(Date.now() - 60_000 - index).toISOString(),
        keyId: keyIds[index] ?? '',
        clientRequestId,
      })),
    );
    const { user } = (await answerTo('/api/session')) as { user: { userId: string } };
    const { members } = (await answerTo(`${account}/members`)) as { members: { memberId: string; status: string }[] };
    const own = members.find(({ status }) => status === 'active');
    await rename(accountId, own?.memberId ?? '', user.userId, HOSTILE_NAMES.reversed);
    return { settled, keyIds, requestId: event?.requestId ?? '' };
  };
  const answerTo = async (path: string) => (await read(visited, path)).json() as Promise<unknown>;

  test('are text in every place that shows them, turn nothing else, and no page is wider for them', async () => {
    const { settled, requestId } = await build();
    /** The page that is looked at. */
    let page = own;
    const { accountId, projectPath } = settled;
    const account = `/accounts/${accountId}`;
    const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
    const look = async (what: string): Promise<void> => {
      for (const width of widths()) {
        await page.setViewportSize({ width, height: HEIGHT });
        await drawn(page);
        expect([what, width, await page.evaluate(harmOn, FILLED_IN)]).toEqual([what, width, []]);
      }
      // A narrow screen hides the navigation.
      await page.setViewportSize({ width: 1280, height: HEIGHT });
    };
    const open = async (path: string, sign: string): Promise<void> => {
      await page.goto(site.portalUrl + path);
      // The navigation shows names before the page is complete.
      await page.waitForFunction(() => document.title.includes(' · '));
      await shows(sign);
    };

    const shows = (sign: string): Promise<void> =>
      page.getByText(sign).and(page.locator(':not(option)')).first().waitFor();
    const follow = async (navigation: string, name: string, sign: string): Promise<void> => {
      await page.getByRole('navigation', { name: navigation }).getByRole('link', { name, exact: true }).click();
      await shows(sign);
    };
    const lookAtDialog = async (button: string | RegExp, what: string): Promise<void> => {
      await press(button);
      await lookAtOpen(what);
    };
    const lookAtChoice = async (button: RegExp, entry: string, what: string): Promise<void> => {
      await choose(page, button, entry);
      await lookAtOpen(what);
    };
    const lookAtOpen = async (what: string): Promise<void> => {
      const dialog = page.getByRole('alertdialog');
      await dialog.waitFor();
      await look(what);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };

    await open(account, HOSTILE_NAMES.template);
    await page.getByText('Needs you').waitFor();
    await look('home');
    const navigation = page.getByRole('navigation', { name: 'Main' });
    expect(await navigation.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('listbox', { name: 'Places' }).getByText(HOSTILE_NAMES.template).first().waitFor();
    await look('palette');

    await open(`${projectPath}/keys`, HOSTILE_NAMES.formula);
    await look('keys');
    for (const dialog of ['Rotate', 'Revoke']) await lookAtChoice(/^Actions of paid/, dialog, dialog);
    await follow('Project', 'Usage', HOSTILE_NAMES.formula);
    await look('usage');
    await open(`${projectPath}/requests?request=${requestId}`, 'Exact time');
    await look('request');
    await page.keyboard.press('Escape');
    await page.getByText('Exact time').waitFor({ state: 'detached' });
    await follow('Project', 'Settings', 'Close project');
    await look('project');
    await lookAtDialog('Close project', 'closing of a project');

    await follow('Main', 'Team', '(you)');
    await look('team');
    await lookAtChoice(/^Actions of/, 'Change role', 'last owner');
    await lookAtChoice(/^Actions of o'b/, 'Withdraw', 'withdrawal');

    await follow('Main', 'Audit', 'renamed the account');
    await look('audit');
    await follow('Main', 'Settings', 'Account id');
    await look('settings');
    await lookAtDialog('Close account', 'closing of an account');
    await follow('Settings', 'E-mails and thresholds', 'E-mails to owners');
    await look('mails');
    await choose(page, YOU, 'Profile and sessions');
    await shows('(this one)');
    await look('profile');
    await open('/accounts/acc_0000000000000000/projects', 'There is nothing here');
    await look('nothing here');

    // Another person who is invited to the account.
    const other = await visit(browser, site.portalUrl);
    await change(visited, 'POST', `/api/accounts/${accountId}/members`, { email: other.email, role: 'member' });
    await signIn(other, '/welcome');
    ({ page } = other);
    await page.getByText('invited you to').waitFor();
    await look('invitation');
    await press('Accept');
    await page.getByText('You are in').waitFor();
    await look('what a toast says');
    expect(other.complaints).toEqual([]);
    await other.context.close();
  });
});
