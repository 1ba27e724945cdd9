import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createClient, documentClient } from '../../../functions/store/client.ts';
import { localAddress } from '../../../local/settings.ts';
import { FILLED_IN, HOSTILE_NAMES } from '../../support/hostile/names.ts';
import { describeInPortal } from '../../support/portal-browser.ts';
import type { Site } from '../../support/portal-site.ts';
import { putUsage } from '../../support/portal-usage.ts';
import { change, read, settle, signIn, visit, type Settled, type Visit } from '../../support/portal-visit.ts';
import { harmOn } from './harm.ts';

const NAMES = Object.values(HOSTILE_NAMES);
const WIDTHS = [320, 1280];
const HEIGHT = 800;

describeInPortal('names that are meant to harm', (onVisit) => {
  let site: Site;
  let visited: Visit;
  let page: Page;
  let visitOther: () => Promise<Visit>;
  onVisit((portal) => {
    ({ site, visited, page } = portal);
    visitOther = () => visit(portal.browser, portal.site.portalUrl);
  });

  /** Gives a person and their member the names that an identity provider may tell, which the portal's forms do not take. */
  const rename = async (accountId: string, memberId: string, userId: string, name: string): Promise<void> => {
    const client = createClient({ ...localAddress(0), endpoint: site.databaseUrl });
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

  /** An account whose every name is one of them. */
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
      keyIds.push((await change<{ keyId: string }>(visited, 'POST', `${project}/keys`, body)).keyId);
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
    const { accountId, projectPath } = settled;
    const account = `/accounts/${accountId}`;
    const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
    const look = async (what: string): Promise<void> => {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT });
        await page.evaluate(
          () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
        );
        expect([what, width, await page.evaluate(harmOn, FILLED_IN)]).toEqual([what, width, []]);
      }
    };
    const open = async (path: string, sign: string): Promise<void> => {
      await page.goto(site.portalUrl + path);
      await page.getByText(sign).and(page.locator(':not(option)')).first().waitFor();
    };

    await open(`${account}/projects`, HOSTILE_NAMES.template);
    await look('projects');
    await page.keyboard.press('Control+k');
    await page.getByRole('listbox', { name: 'Places' }).getByText(HOSTILE_NAMES.template).first().waitFor();
    await look('palette');

    await open(`${projectPath}/keys`, HOSTILE_NAMES.formula);
    await look('keys');
    for (const dialog of ['Rotate', 'Revoke']) {
      await page.goto(`${site.portalUrl}${projectPath}/keys`);
      await press(new RegExp(`^${dialog} paid`));
      await page.getByRole('alertdialog').waitFor();
      await look(dialog);
    }
    await open(`${projectPath}/usage`, HOSTILE_NAMES.formula);
    await look('usage');
    await open(`${projectPath}/usage?request=${requestId}`, 'In UTC');
    await look('request');
    await open(`${projectPath}/settings`, 'Close project');
    await look('project');
    await press('Close project');
    await page.getByRole('alertdialog').waitFor();
    await look('closing of a project');

    await open(`${account}/team`, '(you)');
    await look('team');
    await press(/^Change the role of/);
    await page.getByRole('alertdialog').waitFor();
    await look('last owner');
    await page.goto(`${site.portalUrl}${account}/team`);
    await press(/^Withdraw/);
    await page.getByRole('alertdialog').waitFor();
    await look('withdrawal');

    await open(`${account}/audit`, 'Account changed');
    await look('audit');
    await open(`${account}/settings`, 'Close account');
    await look('settings');
    await press('Close account');
    await page.getByRole('alertdialog').waitFor();
    await look('closing of an account');
    await open('/profile', '(this one)');
    await look('profile');
    await open('/accounts/acc_0000000000000000/projects', 'There is nothing here');
    await look('nothing here');

    // Somebody else, who is invited to it.
    const other = await visitOther();
    await change(visited, 'POST', `/api/accounts/${accountId}/members`, { email: other.email, role: 'member' });
    await signIn(other, '/welcome');
    ({ page } = other);
    await page.getByText('invited you to').waitFor();
    await look('invitation');
    expect(other.complaints).toEqual([]);
    await other.context.close();
  });
});
