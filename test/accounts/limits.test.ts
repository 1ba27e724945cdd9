import { describe, expect, test } from '@jest/globals';
import { createKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { removeMember, updateMember } from '../../functions/accounts/team/members.ts';
import { createOwnAccount, listOwnAccounts } from '../../functions/accounts/team/own-accounts.ts';
import { readProjectPage } from '../../functions/accounts/projects/project-overviews.ts';
import { closeProject, createProject, updateProject } from '../../functions/accounts/projects/projects.ts';
import { listMembers } from '../../functions/accounts/team/stored-members.ts';
import { KEY, testGateway, type TestGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import { atOnce, itemsOf, join, outcomes, ownAccount, ownProject, person, usedLimitsOf } from '../support/people.ts';
import { noRequest } from '../support/usage-events.ts';

const newKey = (store: AccountStore, projectId: string) => createKey(store, { projectId, ...KEY });

describe('of many at once exactly so many are made as there may be', () => {
  test('accounts that a person creates, closed ones included', async () => {
    const gateway = testGateway();
    const { store, userId, profile } = await person(gateway, { limits: { accountsPerPerson: 5 } });
    const { done, refused } = await atOnce(8, () => createOwnAccount(store, { name: 'A', person: profile }));
    expect([done.length, refused]).toEqual([5, Array(3).fill('LIMIT_REACHED')]);
    // It does not tell people to remove one: that makes no room.
    const publicDetail = expect.stringContaining('closed ones included') as unknown;
    await expect(createOwnAccount(store, { name: 'A', person: profile })).rejects.toMatchObject({ publicDetail });
    const own = await listOwnAccounts(gateway.store, userId);
    expect(own.map(({ accountId, role }) => [accountId, role])).toEqual(done.sort().map((id) => [id, 'owner']));
    // The refused attempts have left nothing: neither an account nor a membership pointer.
    expect((await itemsOf(gateway, `USER#${userId}`)).map(({ sk }) => (sk as string).split('#')[0])).toEqual([
      ...Array<string>(5).fill('ACCOUNT'),
      'USER',
    ]);
  });

  test('projects of an account', async () => {
    const gateway = testGateway();
    const { accountId, store } = await ownAccount(gateway, { limits: { projectsPerAccount: 10 } });
    const create = () => createProject(store, { accountId, name: 'P', quotaLimit: 1 });
    await closeProject(store, await create());
    for (let i = 0; i < 7; i++) await create();
    const { done, refused } = await atOnce(6, create);
    expect([done.length, refused]).toEqual([3, Array(3).fill('LIMIT_REACHED')]);
    const { projects } = await readProjectPage(store, accountId, '2030-01', noRequest);
    expect(projects).toHaveLength(10);
    // A closed project makes room for one.
    await closeProject(store, done[0] ?? '');
    expect((await atOnce(2, create)).refused).toEqual(['LIMIT_REACHED']);
  });

  test('members of an account, invited ones included', async () => {
    const gateway = testGateway();
    const { accountId, store } = await ownAccount(gateway, { limits: { membersPerAccount: 6 } });
    await join(gateway, accountId, 'member');
    const invite = (i: number) => inviteMember(store, accountId, { email: `p${i}@example.com`, role: 'member' });
    const { done, refused } = await atOnce(7, invite);
    expect([done.length, refused]).toEqual([4, Array(3).fill('LIMIT_REACHED')]);
    expect(await Array.fromAsync(listMembers(store, accountId))).toHaveLength(6);
    await removeMember(store, accountId, done[0] ?? '');
    expect((await atOnce(2, (i) => invite(10 + i))).refused).toEqual(['LIMIT_REACHED']);
  });

  test('and the platform team may make more', async () => {
    const { gateway, accountId, store, projectId } = await ownProject({
      projectsPerAccount: 1,
      activeKeysPerProject: 1,
      membersPerAccount: 1,
    });
    await newKey(gateway.store, projectId);
    await newKey(gateway.store, projectId);
    await createProject(gateway.store, { accountId, name: 'P', quotaLimit: 1 });
    await inviteMember(gateway.store, accountId, { email: 'b@example.com', role: 'member' });
    // The things that they create count.
    const invite = () => inviteMember(store, accountId, { email: 'c@example.com', role: 'member' });
    for (const [what, remedy, change] of [
      ['active keys in the project', 'Revoke one first.', () => newKey(store, projectId)],
      [
        'projects in the account',
        'Close one first.',
        () => createProject(store, { accountId, name: 'P', quotaLimit: 1 }),
      ],
      ['members in the account', 'Remove one or withdraw an invitation first.', invite],
    ] as const) {
      const message = `There are 1 ${what}, which is the limit.`;
      const publicDetail = `${message} ${remedy}`;
      await expect(change()).rejects.toMatchObject({ message, publicDetail, code: 'LIMIT_REACHED' });
    }
  });
});

describe('of the changes of a person', () => {
  const countOf = async (gateway: TestGateway, userId: string) =>
    (await usedLimitsOf(gateway, userId)).find(({ sk }) => (sk as string).startsWith('CHANGES#'))?.count;

  test('what changes nothing counts, and so do refusals, but not of what is not found', async () => {
    const { gateway, accountId, store, owner, projectId } = await ownProject({ activeKeysPerProject: 1 });
    const { keyId } = await newKey(store, projectId);
    const member = await join(gateway, accountId, 'member');
    const memberStore = await member.in(accountId);
    const [memberBefore, ownerBefore] = [await countOf(gateway, member.userId), await countOf(gateway, owner.userId)];
    expect([memberBefore, ownerBefore]).toEqual([1, 3]);

    await updateProject(store, projectId, { name: 'P' });
    await revokeKey(store, projectId, keyId);
    await revokeKey(store, projectId, keyId);
    expect(await countOf(gateway, owner.userId)).toBe(6);
    await newKey(store, projectId);
    const refused = await outcomes<unknown>([
      newKey(store, projectId),
      rotateKey(store, projectId, keyId, 0),
      inviteMember(store, accountId, { email: member.profile.email, role: 'member' }),
    ]);
    expect(refused.refused).toEqual(['LIMIT_REACHED', 'KEY_NOT_ACTIVE', 'ALREADY_MEMBER']);
    await createProject(store, { accountId, name: 'P', quotaLimit: 1 }, 'a-click');
    const other = createProject(store, { accountId, name: 'Q', quotaLimit: 1 }, 'a-click');
    await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    expect(await countOf(gateway, owner.userId)).toBe(12);

    const unauthorised = await outcomes<unknown>([
      closeProject(memberStore, projectId),
      updateProject(memberStore, 'x', { name: 'P' }),
      updateMember(memberStore, accountId, member.memberId, 'owner'),
      inviteMember(memberStore, accountId, { email: owner.profile.email, role: 'member' }),
      revokeKey(memberStore, projectId, 'key_x'),
    ]);
    // Also with another reason to refuse: a caller without authority learns only that.
    expect(unauthorised.refused).toEqual(['OWNER_ONLY', 'NOT_FOUND', 'OWNER_ONLY', 'OWNER_ONLY', 'NOT_FOUND']);
    expect(await countOf(gateway, member.userId)).toBe(4);
  });

  test('a used-up minute is reported before any other reason, but after authority', async () => {
    const { store, projectId, gateway, accountId } = await ownProject({ activeKeysPerProject: 1, changesPerMinute: 3 });
    const { keyId } = await newKey(store, projectId);
    for (const change of [() => newKey(store, projectId), () => updateKey(store, projectId, keyId, {})]) {
      await expect(change()).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    }
    const member = await join(gateway, accountId, 'member', { limits: { changesPerMinute: 1 } });
    const memberStore = await member.in(accountId);
    await expect(closeProject(memberStore, projectId)).rejects.toMatchObject({ code: 'OWNER_ONLY' });
    // An instance remembers a minute that it refused, and asks nothing more in it.
    for (const change of [
      () => updateProject(memberStore, projectId, {}),
      () => closeProject(memberStore, projectId),
    ]) {
      await expect(change()).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    }
  });

  test('a creation that is repeated counts as one more', async () => {
    const { gateway, accountId, store, owner, projectId } = await ownProject();
    const creations = [
      () => createOwnAccount(owner.store, { name: 'A', person: owner.profile }, 'k'),
      () => createProject(store, { accountId, name: 'P', quotaLimit: 1 }, 'k'),
      () => inviteMember(store, accountId, { email: 'b@example.com', role: 'member' }, 'k'),
      () => createKey(store, { projectId, ...KEY }, 'k'),
    ];
    let count = 2;
    for (const create of creations) {
      for (let i = 0; i < 3; i++) await create();
      expect(await countOf(gateway, owner.userId)).toBe((count += 3));
    }
    const { keyId } = await newKey(store, projectId);
    for (let i = 0; i < 3; i++) await rotateKey(store, projectId, keyId, 0, 'k');
    expect(await countOf(gateway, owner.userId)).toBe(count + 4);
  });

  test('one that is decided again counts once', async () => {
    const { gateway, store, projectId, owner } = await ownProject();
    before(gateway, 'TransactWriteItemsCommand', () => updateProject(gateway.store, projectId, { name: 'other' }), 2);
    await updateProject(store, projectId, { name: 'mine' });
    expect(await countOf(gateway, owner.userId)).toBe(3);
  });
});
