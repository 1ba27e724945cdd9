import { describe, expect, test } from '@jest/globals';
import { closeAccount } from '../../functions/accounts/account-closing.ts';
import { accountItemKey } from '../../functions/accounts/account-items.ts';
import { readAccount, updateAccount } from '../../functions/accounts/accounts.ts';
import { createKey, updateKey } from '../../functions/accounts/api-keys.ts';
import { listAudit } from '../../functions/accounts/audit.ts';
import { acceptInvitation } from '../../functions/accounts/invitation-answers.ts';
import { inviteMember } from '../../functions/accounts/invitations.ts';
import { readKeyPage } from '../../functions/accounts/key-pages.ts';
import { rotateKey } from '../../functions/accounts/key-rotation.ts';
import { removeMember } from '../../functions/accounts/members.ts';
import { listOwnAccounts } from '../../functions/accounts/own-accounts.ts';
import { listOwnInvitations } from '../../functions/accounts/own-invitations.ts';
import { listProjectOverviews, readProjectOverview } from '../../functions/accounts/project-overviews.ts';
import {
  closeProject,
  createProject,
  resumeProject,
  suspendProject,
  updateProject,
} from '../../functions/accounts/projects.ts';
import { readProject } from '../../functions/accounts/stored-projects.ts';
import { testGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import {
  itemsOf,
  join,
  miscounted,
  outcomes,
  ownAccount,
  person,
  withoutCounts,
  type TestPerson,
} from '../support/people.ts';
import { DAY_MS } from '../support/times.ts';
import { noRequest } from '../support/usage-events.ts';

const KEY = { mode: 'test', scopes: new Set(['sandbox:invoke']), rpm: 60 } as const;
const PERIOD = '2030-01';

/** An account with a project and a key that works. */
async function inUse() {
  const gateway = testGateway();
  const own = await ownAccount(gateway);
  const projectId = await createProject(own.plane, { accountId: own.accountId, name: 'P', quotaLimit: 100 });
  const made = await createKey(own.plane, { projectId, ...KEY });
  expect((await gateway.ping(made.key)).status).toBe(200);
  return { gateway, ...own, projectId, ...made };
}

describe('a closed project', () => {
  test('refuses its keys from the next request on, and its people find it no more', async () => {
    const { gateway, plane, accountId, projectId, keyId, key } = await inUse();
    expect(await closeProject(plane, projectId)).toMatchObject({ status: 'closed' });
    expect(await gateway.ping(key)).toMatchObject({ status: 403, body: { code: 'PROJECT_SUSPENDED' } });
    expect(await listProjectOverviews(plane, accountId, PERIOD, noRequest)).toEqual([]);
    const { refused } = await outcomes<unknown>([
      readProjectOverview(plane, projectId, PERIOD, noRequest),
      readKeyPage(plane, accountId, projectId, { limit: 50 }),
      updateProject(plane, projectId, { name: 'New' }),
      closeProject(plane, projectId),
      createKey(plane, { projectId, ...KEY }),
      updateKey(plane, projectId, keyId, { name: 'New' }),
      rotateKey(plane, projectId, keyId, 0),
    ]);
    expect(refused).toEqual(Array(7).fill('NOT_FOUND'));
  });

  test('stays closed and stays known to operators, with what it was', async () => {
    const { gateway, plane, projectId, accountId } = await inUse();
    await closeProject(plane, projectId);
    for (const change of [resumeProject, suspendProject, closeProject]) {
      await expect(change(gateway.plane, projectId)).rejects.toThrow(`Project ${projectId} is closed.`);
    }
    expect(await readProject(gateway.plane, projectId)).toMatchObject({ status: 'closed', name: 'P', accountId });
    await expect(createKey(gateway.plane, { projectId, ...KEY })).rejects.toThrow(`Project ${projectId} is closed.`);
    const [event] = (await Array.fromAsync(listAudit(gateway.plane, accountId))).filter(
      ({ action }) => action === 'project.close',
    );
    expect(event).toMatchObject({ projectId, before: { status: 'active' }, after: { status: 'closed' } });
  });

  test('gets no key that was on its way', async () => {
    for (const make of ['create', 'rotate']) {
      const { gateway, plane, projectId, keyId } = await inUse();
      before(gateway, 'TransactWriteItemsCommand', () => closeProject(gateway.plane, projectId));
      const change =
        make === 'create' ? createKey(plane, { projectId, ...KEY }) : rotateKey(plane, projectId, keyId, 0);
      await expect(change).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  test('gets no name that was on its way', async () => {
    const { gateway, plane, projectId } = await inUse();
    before(gateway, 'TransactWriteItemsCommand', () => closeProject(gateway.plane, projectId));
    await expect(updateProject(plane, projectId, { name: 'New' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await readProject(gateway.plane, projectId)).toMatchObject({ name: 'P' });
  });

  test('is closed once and counted once, also when two close it at once', async () => {
    const gateway = testGateway();
    const { plane, accountId } = await ownAccount(gateway, { limits: { projectsPerAccount: 2 } });
    const create = () => createProject(plane, { accountId, name: 'P', quotaLimit: 1 });
    const projectId = await create();
    await create();
    const { refused } = await outcomes([closeProject(plane, projectId), closeProject(plane, projectId)]);
    expect(refused).toEqual(['NOT_FOUND']);
    await create();
    await expect(create()).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  });
});

describe('a closed account', () => {
  test('is closed with its projects in one change: keys are refused, and its people find it no more', async () => {
    const { gateway, plane, accountId, projectId, key, owner } = await inUse();
    const other = await createProject(plane, { accountId, name: 'P2', quotaLimit: 1 });
    await suspendProject(gateway.plane, other);
    const gone = await createProject(plane, { accountId, name: 'P3', quotaLimit: 1 });
    await closeProject(plane, gone);
    const member = await join(gateway, accountId, 'member');
    const invited = await person(gateway);
    await inviteMember(plane, accountId, { email: invited.profile.email, role: 'member' });
    await closeAccount(plane, accountId);

    expect(await gateway.ping(key)).toMatchObject({ status: 403, body: { code: 'PROJECT_SUSPENDED' } });
    for (const { userId } of [owner, member]) expect(await listOwnAccounts(gateway.plane, userId)).toEqual([]);
    expect(await listOwnInvitations(gateway.plane, invited.profile)).toEqual([]);
    for (const id of [projectId, other, gone]) {
      expect(await readProject(gateway.plane, id)).toMatchObject({ status: 'closed' });
    }
    expect(await readAccount(gateway.plane, accountId)).toMatchObject({ name: 'Team', status: 'closed' });
    const { refused } = await outcomes<unknown>([
      acceptInvitation(invited.plane, accountId, invited.profile),
      closeAccount(plane, accountId),
      updateAccount(plane, accountId, { name: 'New' }),
      createProject(plane, { accountId, name: 'P', quotaLimit: 1 }),
      inviteMember(plane, accountId, { email: 'x@example.com', role: 'member' }),
      removeMember(plane, accountId, member.memberId),
      createKey(plane, { projectId, ...KEY }),
    ]);
    expect(refused).toEqual(Array(7).fill('NOT_FOUND'));
    // Operators are told.
    for (const change of [closeAccount(gateway.plane, accountId), updateAccount(gateway.plane, accountId, {})]) {
      await expect(change).rejects.toThrow(`Account ${accountId} is closed.`);
    }
    const closing = (await Array.fromAsync(listAudit(gateway.plane, accountId))).find(
      ({ action }) => action === 'account.close',
    );
    expect(closing).toMatchObject({ accountId, actor: `user:${owner.userId}` });
    expect([closing?.before, closing?.after]).toEqual([
      { status: 'open', projects: [projectId, other].sort() },
      { status: 'closed' },
    ]);
  });

  test('has no project that was created, no member who joined and no invitation that was made meanwhile', async () => {
    for (const what of ['project', 'member', 'invitation', 'anew'] as const) {
      const { gateway, plane, accountId } = await inUse();
      const [invited, late] = [await person(gateway), await person(gateway)];
      const invite = ({ profile: { email } }: TestPerson) => inviteMember(plane, accountId, { email, role: 'owner' });
      await invite(invited);
      let projectId: string | undefined;
      const meanwhile = {
        project: async () => (projectId = await createProject(plane, { accountId, name: 'P', quotaLimit: 1 })),
        member: () => acceptInvitation(invited.plane, accountId, invited.profile),
        invitation: () => invite(late),
        anew: () => {
          gateway.clock.nowMs += 15 * DAY_MS;
          return invite(invited);
        },
      };
      before(gateway, 'TransactWriteItemsCommand', meanwhile[what]);
      await closeAccount(gateway.plane, accountId);
      if (projectId !== undefined)
        expect(await readProject(gateway.plane, projectId)).toMatchObject({ status: 'closed' });
      await expect(invited.in(accountId)).rejects.toThrow('no member');
      for (const { profile } of [invited, late]) {
        expect(await itemsOf(gateway, accountItemKey.invitation(profile.email, '').pk)).toEqual([]);
      }
    }
  });

  test('has no project that came in the place of one that went while it was closed', async () => {
    const { gateway, plane, accountId, projectId } = await inUse();
    await createProject(plane, { accountId, name: 'P2', quotaLimit: 1 });
    let late: string | undefined;
    // After the account is read, and before its projects are.
    before(gateway, 'BatchGetItemCommand', async () => {
      await closeProject(plane, projectId);
      before(gateway, 'TransactWriteItemsCommand', async () => {
        late = await createProject(plane, { accountId, name: 'P3', quotaLimit: 1 });
      });
    });
    await closeAccount(gateway.plane, accountId);
    expect(await readProject(gateway.plane, late ?? 'none')).toMatchObject({ status: 'closed' });
  });

  test('has no project that came in the place of one that went once all were read', async () => {
    const { gateway, plane, accountId, projectId } = await inUse();
    let late: string | undefined;
    before(gateway, 'TransactWriteItemsCommand', async () => {
      await closeProject(plane, projectId);
      late = await createProject(plane, { accountId, name: 'P2', quotaLimit: 1 });
    });
    await closeAccount(gateway.plane, accountId);
    expect(await readProject(gateway.plane, late ?? 'none')).toMatchObject({ status: 'closed' });
  });

  test('refuses what was on its way when it was closed', async () => {
    for (const what of ['project', 'invitation', 'answer', 'name'] as const) {
      const { gateway, plane, accountId } = await inUse();
      const invited = await person(gateway);
      await inviteMember(plane, accountId, { email: invited.profile.email, role: 'member' });
      before(gateway, 'TransactWriteItemsCommand', () => closeAccount(gateway.plane, accountId));
      const changes = {
        project: () => createProject(plane, { accountId, name: 'P', quotaLimit: 1 }),
        invitation: () => inviteMember(plane, accountId, { email: 'x@example.com', role: 'member' }),
        answer: () => acceptInvitation(invited.plane, accountId, invited.profile),
        name: () => updateAccount(plane, accountId, { name: 'New' }),
      };
      await expect(changes[what]()).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await readAccount(gateway.plane, accountId)).toMatchObject({ name: 'Team', status: 'closed' });
    }
  });

  test('may be one from before there were counts, or that counts wrongly; one too large is refused whole', async () => {
    const gateway = testGateway();
    const { accountId, plane } = await ownAccount(gateway);
    await join(gateway, accountId, 'member');
    const create = () => createProject(gateway.plane, { accountId, name: 'P', quotaLimit: 1 });
    const projectIds = await Promise.all(Array.from({ length: 95 }, create));
    await withoutCounts(gateway, accountId);
    await expect(closeAccount(plane, accountId)).rejects.toMatchObject({
      message: `Account ${accountId} has over 96 projects and members; close or remove some first.`,
      code: 'LIMIT_REACHED',
    });
    expect(await readProject(gateway.plane, projectIds[0] ?? '')).toMatchObject({ status: 'active' });
    await closeProject(gateway.plane, projectIds[0] ?? '');
    await miscounted(gateway, accountId);
    // The largest there may be, in one transaction.
    await closeAccount(plane, accountId);
    expect(await readProject(gateway.plane, projectIds[94] ?? '')).toMatchObject({ status: 'closed' });
  });
});
