import { describe, expect, test } from '@jest/globals';
import { closeAccount } from '../../functions/accounts/projects/account-closing.ts';
import { updateAccount } from '../../functions/accounts/team/accounts.ts';
import { createKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { acceptInvitation } from '../../functions/accounts/team/invitation-answers.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { removeMember, updateMember } from '../../functions/accounts/team/members.ts';
import { signOutMember } from '../../functions/accounts/people/users.ts';
import { closeProject, createProject, updateProject } from '../../functions/accounts/projects/projects.ts';
import { KEY, testGateway, type TestGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import { itemsOf, join, ownAccount } from '../support/people.ts';

/** The things that a change affects. */
interface Things {
  readonly accountId: string;
  readonly projectId: string;
  readonly keyId: string;
  /** Another member who is not an owner. */
  readonly memberId: string;
  /** The user id of that member. */
  readonly userId: string;
}
type Change = (store: AccountStore, things: Things) => Promise<unknown>;

const OF_MEMBERS: [string, Change][] = [
  ['create a project', (store, { accountId }) => createProject(store, { accountId, name: 'P', quotaLimit: 1 })],
  ['rename a project', (store, { projectId }) => updateProject(store, projectId, { name: 'New' })],
  ['create a key', (store, { projectId }) => createKey(store, { projectId, ...KEY })],
  ['rename a key', (store, { projectId, keyId }) => updateKey(store, projectId, keyId, { name: 'New' })],
  ['revoke a key', (store, { projectId, keyId }) => revokeKey(store, projectId, keyId)],
  ['rotate a key', (store, { projectId, keyId }) => rotateKey(store, projectId, keyId, 0)],
];
const OF_OWNERS: [string, Change][] = [
  ['rename an account', (store, { accountId }) => updateAccount(store, accountId, { name: 'New' })],
  ['close an account', (store, { accountId }) => closeAccount(store, accountId)],
  ['close a project', (store, { projectId }) => closeProject(store, projectId)],
  ['invite', (store, { accountId }) => inviteMember(store, accountId, { email: 'new@example.com', role: 'member' })],
  ['change a role', (store, { accountId, memberId }) => updateMember(store, accountId, memberId, 'owner')],
  ['remove a member', (store, { accountId, memberId }) => removeMember(store, accountId, memberId)],
  ['sign a member out', (store, { accountId, memberId }) => signOutMember(store, accountId, memberId)],
];

/** An account with two owners, a member, a project and a key. */
async function team(gateway: TestGateway) {
  const { accountId } = await ownAccount(gateway);
  const owner = await join(gateway, accountId, 'owner');
  const { memberId, userId } = await join(gateway, accountId, 'member');
  const projectId = await createProject(gateway.store, { accountId, name: 'P', quotaLimit: 1 });
  const { keyId } = await createKey(gateway.store, { projectId, ...KEY, name: 'CI' });
  return { owner, things: { accountId, projectId, keyId, memberId, userId } };
}
/** Everything that a change of these things could write. */
const stateOf = async (gateway: TestGateway, { accountId, projectId, userId }: Things) => [
  ...(await itemsOf(gateway, `ACCOUNT#${accountId}`)),
  ...(await itemsOf(gateway, `PROJECT#${projectId}`)),
  ...(await itemsOf(gateway, `USER#${userId}`)),
];

describe.each([...OF_MEMBERS, ...OF_OWNERS])('to %s', (what, change) => {
  const needsOwner = OF_OWNERS.some(([name]) => name === what);

  test.each([
    ['a member', undefined, 'NOT_FOUND'],
    [needsOwner ? 'an owner' : 'no owner', 'member', needsOwner ? 'OWNER_ONLY' : undefined],
    ['more than a viewer', 'viewer', needsOwner ? 'OWNER_ONLY' : 'MEMBER_ONLY'],
  ] as const)('takes %s, also while the change is on its way', async (_who, role, code) => {
    const gateway = testGateway();
    const { owner, things } = await team(gateway);
    const { accountId } = things;
    const store = await owner.in(accountId);
    before({ store }, 'TransactWriteItemsCommand', () =>
      role === undefined
        ? removeMember(gateway.store, accountId, owner.memberId)
        : updateMember(gateway.store, accountId, owner.memberId, role),
    );
    if (code === undefined) {
      await change(store, things);
      return;
    }
    await expect(change(store, things)).rejects.toMatchObject({ code });
    const state = await stateOf(gateway, things);
    // From the next request on.
    await expect(change(store, things)).rejects.toMatchObject({ code });
    expect(await stateOf(gateway, things)).toEqual(state);
    const theirs = state.filter(({ actor }) => actor === `user:${owner.userId}`);
    expect(theirs.map(({ action }) => action)).toEqual(['member.join']);
  });
});

test('who is in two accounts does in each what the role there allows, and nothing in the one as a member of the other', async () => {
  const gateway = testGateway();
  const { owner, things } = await team(gateway);
  const { accountId: other } = await ownAccount(gateway);
  const projectId = await createProject(gateway.store, { accountId: other, name: 'P', quotaLimit: 1 });
  await inviteMember(gateway.store, other, { email: owner.profile.email, role: 'member' });
  await acceptInvitation(owner.store, other, owner.profile);
  const [asOwner, asMember] = [await owner.in(things.accountId), await owner.in(other)];
  await updateProject(asMember, projectId, { name: 'New' });
  await expect(closeProject(asMember, projectId)).rejects.toMatchObject({ code: 'OWNER_ONLY' });
  await expect(closeProject(asOwner, projectId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await closeProject(asOwner, things.projectId);
});
