import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { createAccount } from '../../functions/accounts/team/accounts.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { removeMember, updateMember } from '../../functions/accounts/team/members.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import {
  auditOf,
  itemsOf,
  join,
  miscounted,
  outcomes,
  ownAccount,
  membershipStatesIn,
  withoutCounts,
} from '../support/people.ts';

/** An account with two active owners. */
async function twoOwners() {
  const gateway = testGateway();
  const { owner, accountId, store } = await ownAccount(gateway);
  const [first = ''] = Object.keys(await membershipStatesIn(gateway, accountId));
  const second = await join(gateway, accountId, 'owner');
  return { gateway, accountId, owner, store, second, owners: [first, second.memberId] as const };
}
const countsOf = async (gateway: TestGateway, accountId: string) => {
  const account = (await itemsOf(gateway, `ACCOUNT#${accountId}`)).find(({ sk }) => sk === 'ACCOUNT');
  return [account?.members, account?.activeMembers, account?.owners];
};

describe('the last active owner of an account', () => {
  test('is neither removed nor made a member; another one may go', async () => {
    const { gateway, accountId, owners } = await twoOwners();
    const { store } = gateway;
    const [first, second] = owners;
    const { memberId: member } = await join(gateway, accountId, 'member');
    await removeMember(store, accountId, first);
    const line = `Member ${second} is the last owner of account ${accountId}; make another one first.`;
    for (const leave of [removeMember(store, accountId, second), updateMember(store, accountId, second, 'member')]) {
      await expect(leave).rejects.toMatchObject({ message: line, code: 'LAST_OWNER' });
    }
    await updateMember(store, accountId, second, 'owner');
    await updateMember(store, accountId, member, 'owner');
    await updateMember(store, accountId, second, 'member');
    expect(await membershipStatesIn(gateway, accountId)).toEqual({
      [second]: 'active member',
      [member]: 'active owner',
    });
    expect(await countsOf(gateway, accountId)).toEqual([2, 2, 1]);
  });

  test('stays also where others are invited as owners: who is invited owns nothing yet', async () => {
    const gateway = testGateway();
    const { accountId, store } = await ownAccount(gateway);
    const [owner = ''] = Object.keys(await membershipStatesIn(gateway, accountId));
    const invited = await inviteMember(store, accountId, { email: 'b@example.com', role: 'owner' });
    await expect(removeMember(store, accountId, owner)).rejects.toMatchObject({ code: 'LAST_OWNER' });
    await updateMember(store, accountId, invited, 'member');
    await updateMember(store, accountId, invited, 'owner');
    await removeMember(store, accountId, invited);
    expect(await membershipStatesIn(gateway, accountId)).toEqual({ [owner]: 'active owner' });
    expect(await countsOf(gateway, accountId)).toEqual([1, 1, 1]);
  });

  test('stays in an account from before there were counts', async () => {
    const { gateway, accountId, owners } = await twoOwners();
    await join(gateway, accountId, 'member');
    await withoutCounts(gateway, accountId);
    // If the counts cannot be written, nothing is changed.
    before(gateway, 'UpdateItemCommand', () => Promise.reject(new Error('away')));
    await expect(removeMember(gateway.store, accountId, owners[0])).rejects.toThrow('away');
    const { refused } = await outcomes(owners.map((id) => removeMember(gateway.store, accountId, id)));
    expect(refused).toEqual(['LAST_OWNER']);
    expect(await countsOf(gateway, accountId)).toEqual([2, 2, 1]);
  });
});

describe('a member', () => {
  test('is invited once with an e-mail address, whatever the case of its letters, also when ten invite at once', async () => {
    const { gateway, accountId, store } = await twoOwners();
    const invite = (email: string) => inviteMember(store, accountId, { email, role: 'member' });
    const { done, refused } = await outcomes(
      Array.from({ length: 10 }, (_, i) => invite(i % 2 === 0 ? 'Grace@example.com' : 'grace@EXAMPLE.com')),
    );
    expect([done.length, new Set(refused)]).toEqual([1, new Set(['ALREADY_MEMBER'])]);
    expect(await membershipStatesIn(gateway, accountId)).toMatchObject({ [done[0] ?? '']: 'invited member' });
    expect(await countsOf(gateway, accountId)).toEqual([3, 2, 2]);
    // Only A to Z are compared without case; and another account has its own invitations.
    await inviteMember(store, accountId, { email: 'GRACE@éxample.com', role: 'member' });
    await inviteMember(store, accountId, { email: 'grace@Éxample.com', role: 'member' });
    const other = await createAccount(gateway.store, { name: 'B', email: 'b@example.com' });
    await inviteMember(gateway.store, other, { email: 'grace@example.com', role: 'member' });
  });

  test('is not invited who is a member, also when the address joins meanwhile', async () => {
    const { gateway, accountId, second, store } = await twoOwners();
    const invite = (email: string) => inviteMember(store, accountId, { email, role: 'member' });
    await expect(invite(second.profile.email.toUpperCase())).rejects.toMatchObject({ code: 'ALREADY_MEMBER' });
    for (const [i, command] of ['GetItemCommand', 'QueryCommand', 'TransactWriteItemsCommand'].entries()) {
      const email = `joins-${i}@example.com`;
      before(gateway, command, () => join(gateway, accountId, 'member', { email }));
      await expect(inviteMember(gateway.store, accountId, { email, role: 'owner' })).rejects.toMatchObject({
        code: 'ALREADY_MEMBER',
      });
    }
    expect(await countsOf(gateway, accountId)).toEqual([5, 5, 2]);
  });

  test('is invited where the account counts wrongly, too', async () => {
    const { gateway, accountId } = await twoOwners();
    await miscounted(gateway, accountId);
    const memberId = await inviteMember(gateway.store, accountId, { email: 'grace@example.com', role: 'member' });
    expect(await membershipStatesIn(gateway, accountId)).toMatchObject({ [memberId]: 'invited member' });
    expect(await countsOf(gateway, accountId)).toEqual([3, 2, 2]);
    // Also if it has lost some of its counts.
    const { client, tables } = gateway.store;
    const UpdateExpression = 'REMOVE activeMembers, owners';
    await client.send(
      new UpdateCommand({ TableName: tables.gateway, Key: itemKey.account(accountId), UpdateExpression }),
    );
    await inviteMember(gateway.store, accountId, { email: 'alan@example.com', role: 'member' });
    expect(await countsOf(gateway, accountId)).toEqual([4, 2, 2]);
  });

  test('is invited also while others join, unless they never cease to', async () => {
    const details = { email: 'guest@example.com', role: 'member' } as const;
    const team = async (joins: number, command = 'TransactWriteItemsCommand') => {
      const { gateway, accountId, store } = await twoOwners();
      before(gateway, command, () => join(gateway, accountId, 'member'), joins);
      return { gateway, accountId, store };
    };
    const one = await team(1);
    await inviteMember(one.store, one.accountId, details);
    // After the members are read, or before.
    for (const command of ['TransactWriteItemsCommand', 'QueryCommand']) {
      const { gateway, accountId } = await team(100, command);
      await expect(inviteMember(gateway.store, accountId, details)).rejects.toThrow(
        `The team of account ${accountId} was changed meanwhile; try again.`,
      );
    }
  });

  test('that gets another role is audited with the one before and the one after, and not when it is the same', async () => {
    const { gateway, accountId, owners } = await twoOwners();
    await updateMember(gateway.store, accountId, owners[0], 'member');
    await updateMember(gateway.store, accountId, owners[0], 'member');
    expect(await auditOf(gateway, accountId, 'member.update')).toEqual([
      expect.objectContaining({ memberId: owners[0], before: { role: 'owner' }, after: { role: 'member' } }),
    ]);
  });

  test('that is removed leaves nothing but ids, a role and a status', async () => {
    const { gateway, accountId, second, owners } = await twoOwners();
    await removeMember(gateway.store, accountId, owners[1]);
    expect(Object.keys(await membershipStatesIn(gateway, accountId))).toEqual([owners[0]]);
    expect((await itemsOf(gateway, `USER#${second.userId}`)).map(({ sk }) => (sk as string).split('#')[0])).toEqual([
      'USER',
    ]);
    expect(await auditOf(gateway, accountId, 'member.remove')).toEqual([
      expect.objectContaining({ memberId: owners[1], before: { role: 'owner', status: 'active' }, after: null }),
    ]);
  });

  test('may leave, once', async () => {
    const { gateway, accountId } = await twoOwners();
    const member = await join(gateway, accountId, 'member');
    const store = await member.in(accountId);
    await removeMember(store, accountId, member.memberId);
    await expect(member.in(accountId)).rejects.toThrow('no member');
    // A repeat: this member no longer exists, and the caller is no member.
    await expect(removeMember(store, accountId, member.memberId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await countsOf(gateway, accountId)).toEqual([2, 2, 2]);
  });
});
