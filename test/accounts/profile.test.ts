import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createAccount } from '../../functions/accounts/team/accounts.ts';
import { closeAccount } from '../../functions/accounts/projects/account-closing.ts';
import { accountItemKey } from '../../functions/accounts/store/account-items.ts';
import { asPerson } from '../../functions/accounts/authority/authority.ts';
import { signIn } from '../../functions/accounts/people/identities.ts';
import { acceptInvitation } from '../../functions/accounts/team/invitation-answers.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { removeMember, updateMember } from '../../functions/accounts/team/members.ts';
import { createOwnAccount, listOwnAccounts } from '../../functions/accounts/team/own-accounts.ts';
import { deleteProfile, deleteRemains, MAX_LEFT_AT_ONCE } from '../../functions/accounts/people/profile.ts';
import { countRead } from '../../functions/accounts/authority/rate.ts';
import { signOutMember, endAllSessions } from '../../functions/accounts/people/users.ts';
import { putItem, recordCalls } from '../support/database.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { twoSecrets } from '../support/keys.ts';
import { before, cancelled } from '../support/overtaking.ts';
import { auditOf, itemsOf, join, ownAccount, person, membershipStatesIn, withoutCounts } from '../support/people.ts';
import { DAY_MS } from '../support/times.ts';

/** An account of another person that a person has joined. */
async function joined(role: 'owner' | 'member' = 'member') {
  const gateway = testGateway();
  const { accountId, owner } = await ownAccount(gateway);
  const ada = await join(gateway, accountId, role);
  return { gateway, accountId, owner, ada, go: () => deleteProfile(ada.store, ada) };
}
const userOf = async (gateway: TestGateway, userId: string) =>
  (await itemsOf(gateway, `USER#${userId}`)).find(({ sk }) => sk === 'USER');
const kindsOf = async (gateway: TestGateway, userId: string) =>
  (await itemsOf(gateway, `USER#${userId}`)).map(({ sk }) => (sk as string).split('#')[0]);
const removalsIn = async ({ store }: TestGateway, accountId: string) =>
  (await auditOf({ store }, accountId)).filter(({ action }) => /^member\.(leave|remove)$/.test(action));

describe('a person who deletes their profile', () => {
  test('is gone from every account, with an audit event in each, in one transaction', async () => {
    const { gateway, accountId, owner, ada } = await joined();
    const other = await ownAccount(gateway);
    await inviteMember(gateway.store, other.accountId, { email: ada.profile.email, role: 'owner' });
    const { role } = await acceptInvitation(ada.store, other.accountId, ada.profile);
    expect(role).toBe('owner');
    const identityHash = (await userOf(gateway, ada.userId))?.identityHash ?? '';
    const { commands } = recordCalls(gateway.operatorClient);
    await deleteProfile(ada.store, ada);
    expect(commands.filter((command) => !/^(GetItem|BatchGetItem|Query)$/.test(command))).toEqual([
      'TransactWriteItems',
    ]);
    for (const [account, was] of [
      [accountId, 'member'],
      [other.accountId, 'owner'],
    ] as const) {
      expect(Object.values(await membershipStatesIn(gateway, account))).toEqual(['active owner']);
      const actor = `user:${ada.userId}`;
      const before = { role: was, status: 'active' };
      expect(await removalsIn(gateway, account)).toEqual([expect.objectContaining({ actor, before, after: null })]);
      const item = (await itemsOf(gateway, `ACCOUNT#${account}`)).find(({ sk }) => sk === 'ACCOUNT');
      expect(item).toMatchObject({ members: 1, activeMembers: 1, owners: 1 });
    }
    expect(await itemsOf(gateway, `IDENTITY#${identityHash as string}`)).toEqual([]);
    expect(await kindsOf(gateway, ada.userId)).toEqual([]);
    // The others are not affected.
    await createOwnAccount(owner.store, { name: 'More', person: owner.profile });
  });

  test('removes nobody else, whatever is stored as their membership, and shows no account for it', async () => {
    const { gateway, accountId, ada: bob } = await joined('owner');
    const { email } = (await ownAccount(gateway)).owner.profile;
    const invited = await inviteMember(gateway.store, accountId, { email, role: 'owner' });
    const team = await membershipStatesIn(gateway, accountId);
    for (const memberId of [bob.memberId, invited]) {
      const ada = await person(gateway);
      const Item = { ...accountItemKey.membership(ada.userId, accountId), accountId, memberId };
      await putItem(gateway.store, Item);
      expect(await listOwnAccounts(gateway.store, ada.userId)).toEqual([]);
      await deleteProfile(ada.store, { userId: ada.userId });
      expect(await membershipStatesIn(gateway, accountId)).toEqual(team);
    }
  });

  test('leaves sessions that hold nothing, which are deleted then', async () => {
    const gateway = testGateway();
    const identity = { issuer: 'tests', subject: randomUUID(), emailVerified: true, email: 'remains@example.com' };
    const session = { limits: { idleMs: DAY_MS, absoluteMs: DAY_MS }, perMinute: 10, browser: 'Firefox' };
    const { userId } = await signIn(gateway.store, identity, { ...session, idToken: 'x' });
    const own = asPerson(gateway.store, { userId, identityHash: 'h', limits: DEFAULT_LIMITS });
    await countRead(own);
    const { inputs } = recordCalls(gateway.operatorClient);
    await deleteProfile(own, { userId });
    // A person without accounts causes no condition with values. DynamoDB refuses an empty map of values; this engine
    // does not.
    expect(JSON.stringify(inputs)).not.toContain('"ExpressionAttributeValues":{}');
    expect(await kindsOf(gateway, userId)).toEqual(['SESSION']);
    await deleteRemains(own, userId);
    expect(await kindsOf(gateway, userId)).toEqual([]);
    const again = await signIn(gateway.store, identity, { ...session, idToken: 'x' });
    expect(again.userId).not.toBe(userId);
  });

  test('stays if an account would be without an owner, and the refusal names each', async () => {
    const gateway = testGateway();
    const { owner, accountId, store } = await ownAccount(gateway);
    const second = await createOwnAccount(owner.store, { name: 'Second', person: owner.profile });
    const shared = await createOwnAccount(owner.store, { name: 'Shared', person: owner.profile });
    const other = await join(gateway, shared, 'owner');
    await withoutCounts(gateway, second);
    const ids = [accountId, second].sort();
    const names = { [accountId]: 'Team', [second]: 'Second' };
    await expect(deleteProfile(owner.store, owner)).rejects.toMatchObject({
      message: `This person is the last owner of ${ids.join(', ')}.`,
      code: 'LAST_OWNER',
      accounts: ids.map((id) => ({ accountId: id, name: names[id] })),
    });
    expect(Object.values(await membershipStatesIn(gateway, shared))).toEqual(['active owner', 'active owner']);
    for (const id of ids) await join(gateway, id, 'owner');
    await deleteProfile(owner.store, owner);
    expect(await membershipStatesIn(gateway, shared)).toEqual({ [other.memberId]: 'active owner' });
    await expect(updateMember(store, accountId, other.memberId, 'member')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test(`is in at most ${MAX_LEFT_AT_ONCE} accounts`, async () => {
    const { gateway, ada, go } = await joined();
    const accounts = [];
    for (let i = 1; i < MAX_LEFT_AT_ONCE + 1; i++) {
      const accountId = await createAccount(gateway.store, { name: 'A', email: 'a@example.com' });
      await inviteMember(gateway.store, accountId, { email: ada.profile.email, role: 'member' });
      await acceptInvitation(ada.store, accountId, ada.profile);
      accounts.push(accountId);
    }
    await expect(go()).rejects.toMatchObject({
      message: `User ${ada.userId} is in over ${MAX_LEFT_AT_ONCE} accounts and must leave some first.`,
      code: 'LIMIT_REACHED',
    });
    const [first = ''] = accounts;
    const store = await ada.in(first);
    await removeMember(store, first, store.caller?.membership?.memberId ?? '');
    // In one transaction, while the stage changes its secret.
    await deleteProfile({ ...ada.store, keyTagSecrets: twoSecrets }, ada);
    expect(await kindsOf(gateway, ada.userId)).toEqual([]);
    for (const accountId of accounts) expect(await membershipStatesIn(gateway, accountId)).toEqual({});
  });
});

describe('a profile that is deleted while', () => {
  test('the person creates an account stays, for nobody else owns that one', async () => {
    const { gateway, ada, go } = await joined();
    const created: string[] = [];
    before(gateway, 'TransactWriteItemsCommand', async () => {
      created.push(await createOwnAccount(ada.store, { name: 'New', person: ada.profile }));
    });
    const refused = await go().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'LAST_OWNER', accounts: [{ accountId: created[0], name: 'New' }] });
    expect(await userOf(gateway, ada.userId)).toBeDefined();
  });

  test('an owner closes the account is deleted, and no way into it is left', async () => {
    for (const command of ['BatchGetItemCommand', 'TransactWriteItemsCommand']) {
      const { gateway, accountId, ada, go } = await joined();
      before(gateway, command, () => closeAccount(gateway.store, accountId));
      await go();
      expect(await kindsOf(gateway, ada.userId)).toEqual([]);
    }
  });

  test('the other owner leaves stays: the account keeps an owner', async () => {
    const { gateway, accountId, owner, ada, go } = await joined('owner');
    const other = await owner.in(accountId);
    before(gateway, 'TransactWriteItemsCommand', () =>
      removeMember(other, accountId, other.caller?.membership?.memberId ?? ''),
    );
    await expect(go()).rejects.toMatchObject({ code: 'LAST_OWNER', accounts: [{ accountId, name: 'Team' }] });
    expect(await membershipStatesIn(gateway, accountId)).toEqual({ [ada.memberId]: 'active owner' });
  });
});

test('a sign-out everywhere in conflict with that of the platform team, which commits, learns that its session has ended', async () => {
  const { gateway, accountId, ada } = await joined();
  before(gateway, 'TransactWriteItemsCommand', async () => {
    gateway.clock.nowMs++;
    await signOutMember(gateway.store, accountId, ada.memberId);
    throw cancelled('TransactionConflict');
  });
  await expect(endAllSessions(gateway.store, ada)).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
});

test('who is no more can accept, create and be signed out of nothing', async () => {
  const { gateway, ada, go } = await joined();
  const { accountId } = await ownAccount(gateway);
  await inviteMember(gateway.store, accountId, { email: ada.profile.email, role: 'member' });
  await go();
  await expect(acceptInvitation(ada.store, accountId, ada.profile)).rejects.toMatchObject({
    code: 'CHANGED_MEANWHILE',
  });
  await expect(createOwnAccount(ada.store, { name: 'N', person: ada.profile })).rejects.toMatchObject({
    message: `There is no person ${ada.userId}.`,
    code: 'NOT_SIGNED_IN',
  });
  await expect(endAllSessions(gateway.store, ada)).rejects.toMatchObject({
    message: `User ${ada.userId} must sign in again first.`,
    code: 'NOT_SIGNED_IN',
  });
  expect(await kindsOf(gateway, ada.userId)).toEqual([]);
});
