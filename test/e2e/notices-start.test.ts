import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { CLOCK_HEADER, CLOCK_PATH } from '../../local/clock.ts';
import { cliOn } from '../support/cli.ts';
import { signedIn } from '../support/portal-site.ts';
import { atDoor } from '../support/processes.ts';
import { startsInTests } from '../support/starting.ts';
import { DAY_MS } from '../support/times.ts';

const start = startsInTests();

interface Mail {
  readonly to: string;
  readonly text: string;
}

/** The mails to an address once there is one. */
async function mailsTo(mailbox: string, address: string): Promise<Mail[]> {
  const begunAt = performance.now();
  let mails: Mail[] = [];
  while (mails.length === 0 && performance.now() - begunAt < 20_000) {
    await sleep(50);
    mails = ((await (await fetch(`${mailbox}/mails.json`)).json()) as Mail[]).filter(({ to }) => to === address);
  }
  return mails;
}

describe('npm start', () => {
  test('tells who is invited, with the rights that the notices function has in AWS', async () => {
    const portal = await start.portal({}, atDoor);
    const { create, newProject } = await signedIn(portal, 'owner@example.com');
    const { accountId, account } = await newProject();
    await create(`${account}/members`, { email: 'guest@example.com', role: 'member' });
    const [invitation] = await mailsTo(portal.mailboxUrl, 'guest@example.com');
    expect(invitation?.text).toContain(`${portal.portalUrl}/invitations/${accountId}`);
    // The banner stays in sight until there is a request.
    expect(portal.stdout).not.toContain('sandbox-gateway-notices');
  });

  test('on its own database tells of changes of other processes, such as the CLI’s', async () => {
    const portal = await start.portal();
    const cli = cliOn(portal.databaseUrl);
    const create = ['account', 'create', '--name', 'Maps', '--email', 'a@example.com', '--owner', 'boss@example.com'];
    expect((await cli.run(...create)).status).toBe(0);
    cli.close();
    expect(await mailsTo(portal.mailboxUrl, 'boss@example.com')).toHaveLength(1);
  });

  test('on its own database tells of a key that expires soon once its clock is there', async () => {
    const portal = await start.portal();
    const { create, newProject } = await signedIn(portal, 'owner@example.com');
    const { project } = await newProject();
    await create(`${project}/keys`, { name: 'CI', expiresInDays: 30 });
    const moved = await fetch(`${portal.url}${CLOCK_PATH}`, {
      method: 'POST',
      headers: { [CLOCK_HEADER]: String(24 * DAY_MS) },
    });
    expect(moved.status).toBe(200);
    const [expiry] = await mailsTo(portal.mailboxUrl, 'owner@example.com');
    expect(expiry?.text).toMatch(/expires soon.*CI/s);
  });
});
