import { describe, expect, test } from '@jest/globals';
import { closeAccount } from '../../functions/accounts/projects/account-closing.ts';
import { invitationPartition } from '../../functions/accounts/store/account-items.ts';
import { readAccount, updateAccount } from '../../functions/accounts/team/accounts.ts';
import { createKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { acceptInvitation } from '../../functions/accounts/team/invitation-answers.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { readKeyPage } from '../../functions/accounts/keys/key-pages.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { removeMember } from '../../functions/accounts/team/members.ts';
import { listOwnAccounts } from '../../functions/accounts/team/own-accounts.ts';
import { readProjectOverview, readProjectPage } from '../../functions/accounts/projects/project-overviews.ts';
import {
  closeProject,
  createProject,
  resumeProject,
  suspendProject,
  updateProject,
} from '../../functions/accounts/projects/projects.ts';
import { readProject } from '../../functions/accounts/projects/stored-projects.ts';
import { KEY, testGateway } from '../support/gateway.ts';
import { twoSecrets } from '../support/keys.ts';
import { before } from '../support/overtaking.ts';
import {
  auditOf,
  itemsOf,
  listOwnInvitations,
  join,
  miscounted,
  outcomes,
  ownAccount,
  ownProject,
  person,
  withoutCounts,
  type TestPerson,
} from '../support/people.ts';
import { DAY_MS } from '../support/times.ts';
import { noRequest } from '../support/usage-events.ts';

const PERIOD = '2030-01';

/** An account with a project and a valid key. */
async function inUse() {
  const own = await ownProject();
  const made = await createKey(own.store, { projectId: own.projectId, ...KEY });
  expect((await own.gateway.ping(made.key)).status).toBe(200);
  return { ...own, ...made };
}

describe('a closed project', () => {
  test('refuses its keys from the next request on, and its people find it no more', async () => {
    const { gateway, store, accountId, projectId, keyId, key } = await inUse();
    expect(await closeProject(store, projectId)).toMatchObject({ status: 'closed' });
    expect(await gateway.ping(key)).toMatchObject({ status: 403, body: { code: 'PROJECT_SUSPENDED' } });
    expect((await readProjectPage(store, accountId, PERIOD, noRequest)).projects).toEqual([]);
    const { refused } = await outcomes<unknown>([
      readProjectOverview(store, projectId, PERIOD, noRequest),
      readKeyPage(store, accountId, projectId, { limit: 50 }),
      updateProject(store, projectId, { name: 'New' }),
      closeProject(store, projectId),
      createKey(store, { projectId, ...KEY }),
      updateKey(store, projectId, keyId, { name: 'New' }),
      rotateKey(store, projectId, keyId, 0),
    ]);
    expect(refused).toEqual(Array(7).fill('NOT_FOUND'));
  });

  test('stays closed and stays known to the platform team, with what it was', async () => {
    const { gateway, store, projectId, accountId } = await inUse();
    await closeProject(store, projectId);
    for (const change of [resumeProject, suspendProject, closeProject]) {
      await expect(change(gateway.store, projectId)).rejects.toThrow(`Project ${projectId} is closed.`);
    }
    expect(await readProject(gateway.store, projectId)).toMatchObject({ status: 'closed', name: 'P', accountId });
    await expect(createKey(gateway.store, { projectId, ...KEY })).rejects.toThrow(`Project ${projectId} is closed.`);
    const [event] = await auditOf(gateway, accountId, 'project.close');
    expect(event).toMatchObject({ projectId, before: { status: 'active' }, after: { status: 'closed' } });
  });

  test.each<[string, (own: Awaited<ReturnType<typeof inUse>>) => Promise<unknown>]>([
    ['key', ({ store, projectId }) => createKey(store, { projectId, ...KEY })],
    ['rotation', ({ store, projectId, keyId }) => rotateKey(store, projectId, keyId, 0)],
    ['name', ({ store, projectId }) => updateProject(store, projectId, { name: 'New' })],
  ])('gets no %s that was on its way', async (_what, change) => {
    const own = await inUse();
    before(own.gateway, 'TransactWriteItemsCommand', () => closeProject(own.gateway.store, own.projectId));
    await expect(change(own)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await readProject(own.gateway.store, own.projectId)).toMatchObject({ name: 'P' });
  });

  test('is closed once and counted once, also when two close it at once', async () => {
    const gateway = testGateway();
    const { store, accountId } = await ownAccount(gateway, { limits: { projectsPerAccount: 2 } });
    const create = () => createProject(store, { accountId, name: 'P', quotaLimit: 1 });
    const projectId = await create();
    await create();
    const { refused } = await outcomes([closeProject(store, projectId), closeProject(store, projectId)]);
    expect(refused).toEqual(['NOT_FOUND']);
    await create();
    await expect(create()).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  });
});

describe('a closed account', () => {
  test('is closed with its projects in one change: keys are refused, and its people find it no more', async () => {
    const { gateway, store, accountId, projectId, key, owner } = await inUse();
    const other = await createProject(store, { accountId, name: 'P2', quotaLimit: 1 });
    await suspendProject(gateway.store, other);
    const gone = await createProject(store, { accountId, name: 'P3', quotaLimit: 1 });
    await closeProject(store, gone);
    const member = await join(gateway, accountId, 'member');
    const invited = await person(gateway);
    await inviteMember(store, accountId, { email: invited.profile.email, role: 'member' });
    await closeAccount(store, accountId);

    expect(await gateway.ping(key)).toMatchObject({ status: 403, body: { code: 'PROJECT_SUSPENDED' } });
    for (const { userId } of [owner, member]) expect(await listOwnAccounts(gateway.store, userId)).toEqual([]);
    expect(await listOwnInvitations(gateway.store, invited.profile)).toEqual([]);
    for (const id of [projectId, other, gone]) {
      expect(await readProject(gateway.store, id)).toMatchObject({ status: 'closed' });
    }
    expect(await readAccount(gateway.store, accountId)).toMatchObject({ name: 'Team', status: 'closed' });
    const { refused } = await outcomes<unknown>([
      acceptInvitation(invited.store, accountId, invited.profile),
      closeAccount(store, accountId),
      updateAccount(store, accountId, { name: 'New' }),
      createProject(store, { accountId, name: 'P', quotaLimit: 1 }),
      inviteMember(store, accountId, { email: 'x@example.com', role: 'member' }),
      removeMember(store, accountId, member.memberId),
      createKey(store, { projectId, ...KEY }),
    ]);
    expect(refused).toEqual(Array(7).fill('NOT_FOUND'));
    // The platform team gets this message.
    for (const change of [closeAccount(gateway.store, accountId), updateAccount(gateway.store, accountId, {})]) {
      await expect(change).rejects.toThrow(`Account ${accountId} is closed.`);
    }
    const [closing] = await auditOf(gateway, accountId, 'account.close');
    expect(closing).toMatchObject({ accountId, actor: `user:${owner.userId}` });
    expect([closing?.before, closing?.after]).toEqual([
      { status: 'open', projects: [projectId, other].sort() },
      { status: 'closed' },
    ]);
  });

  test('has no project that was created, no member who joined and no invitation that was made meanwhile', async () => {
    for (const what of ['project', 'member', 'invitation', 'anew'] as const) {
      const { gateway, store, accountId } = await inUse();
      const [invited, late] = [await person(gateway), await person(gateway)];
      const invite = ({ profile: { email } }: TestPerson) => inviteMember(store, accountId, { email, role: 'owner' });
      await invite(invited);
      let projectId: string | undefined;
      const meanwhile = {
        project: async () => (projectId = await createProject(store, { accountId, name: 'P', quotaLimit: 1 })),
        member: () => acceptInvitation(invited.store, accountId, invited.profile),
        invitation: () => invite(late),
        anew: () => {
          gateway.clock.nowMs += 15 * DAY_MS;
          return invite(invited);
        },
      };
      before(gateway, 'TransactWriteItemsCommand', meanwhile[what]);
      await closeAccount(gateway.store, accountId);
      if (projectId !== undefined)
        expect(await readProject(gateway.store, projectId)).toMatchObject({ status: 'closed' });
      await expect(invited.in(accountId)).rejects.toThrow('no member');
      for (const { profile } of [invited, late]) {
        const left = await itemsOf(gateway, invitationPartition(profile.email));
        expect(left.filter(({ sk }) => String(sk).startsWith('ACCOUNT#'))).toEqual([]);
        // What is left of it goes at its end.
        for (const { ttl } of left) expect(ttl).toEqual(expect.any(Number));
        expect(await listOwnInvitations(gateway.store, profile)).toEqual([]);
      }
    }
  });

  test('has no project that came in the place of one that went while it was closed', async () => {
    const { gateway, store, accountId, projectId } = await inUse();
    await createProject(store, { accountId, name: 'P2', quotaLimit: 1 });
    let late: string | undefined;
    // After the account is read, and before its projects are read.
    before(gateway, 'BatchGetItemCommand', async () => {
      await closeProject(store, projectId);
      before(gateway, 'TransactWriteItemsCommand', async () => {
        late = await createProject(store, { accountId, name: 'P3', quotaLimit: 1 });
      });
    });
    await closeAccount(gateway.store, accountId);
    expect(await readProject(gateway.store, late ?? 'none')).toMatchObject({ status: 'closed' });
  });

  test('has no project that came in the place of one that went once all were read', async () => {
    const { gateway, store, accountId, projectId } = await inUse();
    let late: string | undefined;
    before(gateway, 'TransactWriteItemsCommand', async () => {
      await closeProject(store, projectId);
      late = await createProject(store, { accountId, name: 'P2', quotaLimit: 1 });
    });
    await closeAccount(gateway.store, accountId);
    expect(await readProject(gateway.store, late ?? 'none')).toMatchObject({ status: 'closed' });
  });

  test('refuses what was on its way when it was closed', async () => {
    for (const what of ['project', 'invitation', 'answer', 'name'] as const) {
      const { gateway, store, accountId } = await inUse();
      const invited = await person(gateway);
      await inviteMember(store, accountId, { email: invited.profile.email, role: 'member' });
      before(gateway, 'TransactWriteItemsCommand', () => closeAccount(gateway.store, accountId));
      const changes = {
        project: () => createProject(store, { accountId, name: 'P', quotaLimit: 1 }),
        invitation: () => inviteMember(store, accountId, { email: 'x@example.com', role: 'member' }),
        answer: () => acceptInvitation(invited.store, accountId, invited.profile),
        name: () => updateAccount(store, accountId, { name: 'New' }),
      };
      await expect(changes[what]()).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await readAccount(gateway.store, accountId)).toMatchObject({ name: 'Team', status: 'closed' });
    }
  });

  test('may be one from before there were counts, or that counts wrongly; one too large is refused whole', async () => {
    const gateway = testGateway();
    const { accountId, store } = await ownAccount(gateway);
    await join(gateway, accountId, 'member');
    const create = () => createProject(gateway.store, { accountId, name: 'P', quotaLimit: 1 });
    const projectIds = await Promise.all(Array.from({ length: 94 }, create));
    await withoutCounts(gateway, accountId);
    await expect(closeAccount(store, accountId)).rejects.toMatchObject({
      message: `Account ${accountId} has over 95 projects and members; close or remove some first.`,
      code: 'LIMIT_REACHED',
    });
    expect(await readProject(gateway.store, projectIds[0] ?? '')).toMatchObject({ status: 'active' });
    await closeProject(gateway.store, projectIds[0] ?? '');
    await miscounted(gateway, accountId);
    // The largest possible account, in one transaction, while the stage changes its secret.
    await closeAccount({ ...store, keyTagSecrets: twoSecrets }, accountId);
    expect(await readProject(gateway.store, projectIds[93] ?? '')).toMatchObject({ status: 'closed' });
  });
});
