import { describe, expect, test } from '@jest/globals';
import { createAccount, readAccount } from '../../functions/accounts/accounts.ts';
import { listAudit } from '../../functions/accounts/audit.ts';
import { addMember, removeMember, updateMember } from '../../functions/accounts/members.ts';
import { listMembers, type MemberRole } from '../../functions/accounts/stored-members.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';

let people = 0;
const add = ({ plane }: TestGateway, accountId: string, role: MemberRole) =>
  addMember(plane, accountId, { email: `p${++people}@example.com`, name: 'P', role });

/** An account with two owners. */
async function twoOwners() {
  const gateway = testGateway();
  const accountId = await createAccount(gateway.plane, { name: 'A', email: 'a@example.com' });
  const owners = [await add(gateway, accountId, 'owner'), await add(gateway, accountId, 'owner')] as const;
  return { gateway, accountId, owners };
}
const rolesIn = async ({ plane }: TestGateway, accountId: string) =>
  Object.fromEntries(
    (await Array.fromAsync(listMembers(plane, accountId))).map(({ memberId, role }) => [memberId, role]),
  );
const actionsIn = async ({ plane }: TestGateway, accountId: string) =>
  (await Array.fromAsync(listAudit(plane, accountId))).map(({ action }) => action);

describe('the last owner of an account', () => {
  test('is neither removed nor made a member; another one may go', async () => {
    const { gateway, accountId, owners } = await twoOwners();
    const [first, second] = owners;
    const member = await add(gateway, accountId, 'member');
    await removeMember(gateway.plane, accountId, first);
    const line = `Member ${second} is the last owner of account ${accountId}; make another one first.`;
    await expect(removeMember(gateway.plane, accountId, second)).rejects.toThrow(line);
    await expect(updateMember(gateway.plane, accountId, second, 'member')).rejects.toThrow(line);
    await updateMember(gateway.plane, accountId, second, 'owner');
    await updateMember(gateway.plane, accountId, member, 'owner');
    await updateMember(gateway.plane, accountId, second, 'member');
    expect(await rolesIn(gateway, accountId)).toEqual({ [second]: 'member', [member]: 'owner' });
  });

  test.each([
    ['remove', removeMember],
    [
      'step down',
      (plane: TestGateway['plane'], accountId: string, id: string) => updateMember(plane, accountId, id, 'member'),
    ],
  ] as const)('stays when two owners %s at once', async (_how, leave) => {
    const { gateway, accountId, owners } = await twoOwners();
    const [first, second] = owners;
    before(gateway, 'TransactWriteItemsCommand', () => removeMember(gateway.plane, accountId, first));
    await expect(leave(gateway.plane, accountId, second)).rejects.toThrow('is the last owner');
    expect(await rolesIn(gateway, accountId)).toEqual({ [second]: 'owner' });
    const actions = await actionsIn(gateway, accountId);
    expect(actions.filter((action) => action.startsWith('member.')).sort()).toEqual([
      ...['member.add', 'member.add', 'member.remove'],
    ]);
  });

  test('stays when really two run at once, however often', async () => {
    for (let i = 0; i < 10; i++) {
      const { gateway, accountId, owners } = await twoOwners();
      const done = await Promise.allSettled(owners.map((id) => removeMember(gateway.plane, accountId, id)));
      expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(Object.values(await rolesIn(gateway, accountId))).toEqual(['owner']);
    }
  });
});

describe('a member', () => {
  test('is added once with an e-mail address, however it is written, also when two add at once', async () => {
    const { gateway, accountId } = await twoOwners();
    const { plane } = gateway;
    const details = { name: 'Ada', role: 'member' } as const;
    let memberId = '';
    before(gateway, 'TransactWriteItemsCommand', async () => {
      memberId = await addMember(plane, accountId, { ...details, email: 'Ada@example.com' });
    });
    await expect(addMember(plane, accountId, { ...details, email: 'ada@example.com' })).rejects.toThrow(
      /^Member mem_\w+ has this e-mail address already\.$/,
    );
    expect(await rolesIn(gateway, accountId)).toMatchObject({ [memberId]: 'member' });
    expect(Object.keys(await rolesIn(gateway, accountId))).toHaveLength(3);
    const [other] = [await createAccount(plane, { name: 'B', email: 'b@example.com' })];
    await addMember(plane, other, { ...details, email: 'ada@example.com' });
  });

  test('that gets another role is audited with the one before and the one after, and not when it is the same', async () => {
    const { gateway, accountId, owners } = await twoOwners();
    await updateMember(gateway.plane, accountId, owners[0], 'member');
    await updateMember(gateway.plane, accountId, owners[0], 'member');
    const events = await Array.fromAsync(listAudit(gateway.plane, accountId));
    expect(events.filter(({ action }) => action === 'member.update')).toEqual([
      expect.objectContaining({ memberId: owners[0], before: { role: 'owner' }, after: { role: 'member' } }),
    ]);
  });

  test('that is no owner goes and rises also where there is no owner', async () => {
    const gateway = testGateway();
    const accountId = await createAccount(gateway.plane, { name: 'A', email: 'a@example.com' });
    const [first, second] = [await add(gateway, accountId, 'member'), await add(gateway, accountId, 'member')];
    await removeMember(gateway.plane, accountId, first);
    await updateMember(gateway.plane, accountId, second, 'owner');
    expect(await rolesIn(gateway, accountId)).toEqual({ [second]: 'owner' });
  });

  test('that is removed leaves nothing but ids and a role', async () => {
    const { gateway, accountId, owners } = await twoOwners();
    await removeMember(gateway.plane, accountId, owners[0]);
    expect(Object.keys(await rolesIn(gateway, accountId))).toEqual([owners[1]]);
    const events = await Array.fromAsync(listAudit(gateway.plane, accountId));
    expect(events.filter(({ action }) => action === 'member.remove')).toEqual([
      expect.objectContaining({ memberId: owners[0], before: { role: 'owner' }, after: null }),
    ]);
  });

  test('is looked for in its own account', async () => {
    const { gateway, accountId, owners } = await twoOwners();
    const other = await createAccount(gateway.plane, { name: 'B', email: 'b@example.com' });
    const line = `There is no member ${owners[0]} in account ${other}.`;
    await expect(removeMember(gateway.plane, other, owners[0])).rejects.toThrow(line);
    await expect(updateMember(gateway.plane, other, owners[0], 'member')).rejects.toThrow(line);
    await expect(removeMember(gateway.plane, 'acc_x', owners[0])).rejects.toThrow('There is no account acc_x.');
    expect(Object.keys(await rolesIn(gateway, accountId))).toHaveLength(2);
    expect(await readAccount(gateway.plane, accountId)).toMatchObject({ name: 'A' });
  });
});
