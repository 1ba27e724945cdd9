import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { accountItemKey, invitationPartition } from '../../functions/accounts/store/account-items.ts';
import { updateAccount } from '../../functions/accounts/team/accounts.ts';
import { acceptInvitation, declineInvitation } from '../../functions/accounts/team/invitation-answers.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { removeMember, updateMember } from '../../functions/accounts/team/members.ts';
import { listOwnAccounts } from '../../functions/accounts/team/own-accounts.ts';
import { createProject } from '../../functions/accounts/projects/projects.ts';
import { listMembers } from '../../functions/accounts/team/stored-members.ts';
import type { MemberRole } from '../../functions/shared/choices.ts';
import { putItem, recordCalls } from '../support/database.ts';
import { testDeadline } from '../support/deadline.ts';
import { testGateway } from '../support/gateway.ts';
import { before, interleaved } from '../support/overtaking.ts';
import {
  auditOf,
  itemsOf,
  join,
  listOwnInvitations,
  ownAccount,
  person,
  membershipStatesIn,
  type TestPerson,
} from '../support/people.ts';
import { DAY_MS, NOW_MS } from '../support/times.ts';

/** An account of one person with an invitation for another. */
async function invited({ role = 'member', verified = true }: { role?: MemberRole; verified?: boolean } = {}) {
  const gateway = testGateway();
  const { accountId, store, owner } = await ownAccount(gateway);
  const [ownerId = ''] = Object.keys(await membershipStatesIn(gateway, accountId));
  const someone = await person(gateway, { emailVerified: verified });
  const memberId = await inviteMember(store, accountId, { email: someone.profile.email, role });
  return {
    gateway,
    accountId,
    store,
    owner,
    ownerId,
    someone,
    memberId,
    accept: (who = someone) => acceptInvitation(who.store, accountId, who.profile),
    decline: (who = someone) => declineInvitation(who.store, accountId, who.profile),
  };
}

describe('an invitation that expires while it is answered', () => {
  test.each(['accept', 'decline'] as const)('is gone: %s', async (answer) => {
    const made = await invited();
    const { gateway, accountId } = made;
    const members = await membershipStatesIn(gateway, accountId);
    // After it was read, and before the write.
    const expire = () => Promise.resolve((gateway.clock.nowMs += 14 * DAY_MS));
    const nth = answer === 'accept' ? 3 : 2;
    const answered = interleaved(gateway.operatorClient, nth, (): Promise<unknown> => made[answer](), expire);
    await expect(answered).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await membershipStatesIn(gateway, accountId)).toEqual(members);
  });
});

describe('an invitation', () => {
  test('is found by its address, and makes a member of who accepts it', async () => {
    const { gateway, accountId, store, someone, memberId, accept } = await invited();
    const seen = { accountId, accountName: 'Team', role: 'member', invitedBy: 'Ada Lovelace', invitedByKind: 'person' };
    const expiresAt = new Date(NOW_MS + 14 * DAY_MS).toISOString();
    expect(await listOwnInvitations(gateway.store, someone.profile)).toEqual([{ ...seen, expiresAt }]);
    // By its hash: the keys of items show no addresses.
    expect(accountItemKey.invitation(someone.profile.email, accountId).pk).toMatch(/^INVITED#[0-9a-f]{64}$/);
    await updateAccount(store, accountId, { name: 'New' });
    await updateMember(store, accountId, memberId, 'owner');
    const [own] = await listOwnInvitations(gateway.store, someone.profile);
    expect(own).toMatchObject({ accountName: 'New', role: 'owner' });

    // If it is accepted during the read, it is no longer in the list.
    before(gateway, 'BatchGetItemCommand', async () => {
      expect(await accept()).toEqual({ accountId, name: 'New', role: 'owner' });
    });
    expect(await listOwnInvitations(gateway.store, someone.profile)).toEqual([]);
    const theirs = { accountId, memberId, name: 'New', role: 'owner' };
    expect(await listOwnAccounts(gateway.store, someone.userId)).toEqual([theirs]);
    const members = await Array.fromAsync(listMembers(store, accountId));
    expect(members.find((member) => member.memberId === memberId)).toEqual({
      memberId,
      role: 'owner',
      status: 'active',
      createdAt: new Date(NOW_MS).toISOString(),
      userId: someone.userId,
      email: someone.profile.email,
      name: someone.profile.name,
    });
    // From the next request on.
    await createProject(await someone.in(accountId), { accountId, name: 'P', quotaLimit: 1 });
    const joined = await auditOf({ store }, accountId, 'member.join');
    expect(joined).toEqual([
      {
        at: new Date(NOW_MS).toISOString(),
        actor: `user:${someone.userId}`,
        action: 'member.join',
        accountId,
        memberId,
        before: { status: 'invited' },
        after: { status: 'active' },
      },
    ]);
  });

  test('accepted before is answered again, as it is by then', async () => {
    const { gateway, accountId, store, memberId, accept } = await invited();
    await accept();
    await updateMember(store, accountId, memberId, 'owner');
    expect(await accept()).toEqual({ accountId, name: 'Team', role: 'owner' });
    expect(Object.values(await membershipStatesIn(gateway, accountId))).toEqual(['active owner', 'active owner']);
  });

  // Before each of its database calls: also between reads that begin together.
  test.each([1, 2, 3, 4, 5])(
    'accepted meanwhile, before call %i of an acceptance, is answered the same',
    async (nth) => {
      const { gateway, accountId, accept } = await invited();
      const [one, other] = await interleaved(gateway.operatorClient, nth, accept, accept);
      expect(one).toEqual(other);
      expect((await itemsOf(gateway, `ACCOUNT#${accountId}`))[0]).toMatchObject({ members: 2, activeMembers: 2 });
    },
  );

  test('is for a verified address, and for no other', async () => {
    const { gateway, accountId, someone, accept, decline } = await invited({ verified: false });
    expect(await listOwnInvitations(gateway.store, someone.profile)).toEqual([]);
    const other = await person(gateway);
    for (const answer of [accept(), decline(), accept(other), decline(other)]) {
      await expect(answer).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    // Also if the address no longer belongs to this person: the request says what was true when it began.
    const liar = { ...someone, profile: { ...someone.profile, emailVerified: true } };
    await expect(accept(liar)).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' });
    await expect(decline(liar)).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' });
    expect(Object.values(await membershipStatesIn(gateway, accountId)).sort()).toEqual([
      'active owner',
      'invited member',
    ]);
  });

  test('is for an address in any case of its letters from A to Z', async () => {
    const { gateway, accountId, store } = await invited();
    const name = `grace${randomUUID()}`;
    const email = `${name.toUpperCase()}@example.com`;
    const grace = await person(gateway, { email });
    await inviteMember(store, accountId, { email: `${name}@Example.COM`, role: 'member' });
    expect(await listOwnInvitations(gateway.store, grace.profile)).toHaveLength(1);
    await acceptInvitation(grace.store, accountId, grace.profile);
    const members = await Array.fromAsync(listMembers(store, accountId));
    expect(members.map(({ email }) => email)).toContain(email);
  });

  test('ends after 14 days, and can then be made again', async () => {
    const { gateway, accountId, store, someone, memberId, accept, decline } = await invited();
    gateway.clock.nowMs += 14 * DAY_MS - 1;
    expect(await listOwnInvitations(gateway.store, someone.profile)).toHaveLength(1);
    gateway.clock.nowMs += 1;
    expect(await listOwnInvitations(gateway.store, someone.profile)).toEqual([]);
    for (const answer of [accept(), decline()]) await expect(answer).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const again = await inviteMember(store, accountId, { email: someone.profile.email, role: 'owner' });
    expect(await membershipStatesIn(gateway, accountId)).toMatchObject({ [again]: 'invited owner' });
    expect(await membershipStatesIn(gateway, accountId)).not.toHaveProperty(memberId);
    // The audit has the end of each member, even of one who never joined.
    const recorded = (await auditOf(gateway, accountId)).filter((event) => event.memberId === memberId);
    expect(recorded).toMatchObject([
      { action: 'member.add', before: null },
      { action: 'member.withdraw', before: { role: 'member', status: 'invited' }, after: null },
    ]);
    expect(await accept()).toMatchObject({ role: 'owner' });
    expect((await itemsOf(gateway, `ACCOUNT#${accountId}`))[0]).toMatchObject({ members: 2, activeMembers: 2 });
  });

  test('that is made again while its role is changed is in the audit with the role that it had then', async () => {
    const { gateway, accountId, store, someone, memberId } = await invited();
    gateway.clock.nowMs += 14 * DAY_MS;
    before(gateway, 'TransactWriteItemsCommand', () => updateMember(store, accountId, memberId, 'owner'));
    await inviteMember(store, accountId, { email: someone.profile.email, role: 'member' });
    expect(await auditOf(gateway, accountId, 'member.withdraw')).toMatchObject([
      { memberId, before: { role: 'owner', status: 'invited' } },
    ]);
  });

  test('declined leaves nothing of the person', async () => {
    const { gateway, accountId, ownerId, someone, memberId, decline, accept } = await invited();
    await decline();
    expect(await itemsOf(gateway, invitationPartition(someone.profile.email))).toEqual([]);
    expect(await membershipStatesIn(gateway, accountId)).toEqual({ [ownerId]: 'active owner' });
    for (const answer of [accept(), decline()]) await expect(answer).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await itemsOf(gateway, `ACCOUNT#${accountId}`))[0]).toMatchObject({ members: 1, activeMembers: 1 });
    expect(await auditOf(gateway, accountId, 'member.decline')).toMatchObject([
      { memberId, actor: `user:${someone.userId}`, before: { role: 'member', status: 'invited' }, after: null },
    ]);
  });

  test('that ends after it was found is not valid: nobody answers a withdrawn one, and a member declines nothing', async () => {
    for (const [answer, memberRead, end] of [
      ['accept', 4, 'withdraw'],
      ['decline', 2, 'withdraw'],
      ['decline', 2, 'accept'],
    ] as const) {
      const { gateway, accountId, store, memberId, accept, decline } = await invited();
      const meanwhile = end === 'accept' ? accept : () => removeMember(store, accountId, memberId);
      const late = interleaved<unknown, unknown>(
        gateway.operatorClient,
        memberRead,
        answer === 'accept' ? accept : decline,
        meanwhile,
      );
      await expect(late).rejects.toMatchObject({ code: 'NOT_FOUND' });
      const members = Object.values(await membershipStatesIn(gateway, accountId)).sort();
      expect(members).toEqual(end === 'withdraw' ? ['active owner'] : ['active member', 'active owner']);
    }
  });

  test('whose role is changed while it is being accepted gives the role that it has then', async () => {
    const { gateway, accountId, store, memberId, accept } = await invited({ role: 'owner' });
    before(gateway, 'TransactWriteItemsCommand', () => updateMember(store, accountId, memberId, 'member'));
    expect(await accept()).toMatchObject({ role: 'member' });
    expect((await itemsOf(gateway, `ACCOUNT#${accountId}`))[0]).toMatchObject({ activeMembers: 2, owners: 1 });
  });

  test('is accepted by a person who is there: one whose profile was deleted meanwhile leaves no member', async () => {
    const { gateway, accountId, someone, accept } = await invited();
    const Item = { ...accountItemKey.user(someone.userId), userId: someone.userId };
    before(gateway, 'TransactWriteItemsCommand', () => putItem(gateway.store, Item));
    await expect(accept()).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' });
    expect(Object.values(await membershipStatesIn(gateway, accountId)).sort()).toEqual([
      'active owner',
      'invited member',
    ]);
  });

  test('to a second address of a member is refused to be accepted, and can be declined', async () => {
    const { gateway, accountId, store, someone, accept } = await invited();
    await accept();
    const email = 'second@example.com';
    await inviteMember(store, accountId, { email, role: 'owner' });
    const profile = { ...someone.profile, email };
    const Item = { ...accountItemKey.user(someone.userId), userId: someone.userId, ...profile };
    await putItem(gateway.store, Item);
    const publicDetail = 'You are a member of this account already. Decline this invitation.';
    await expect(accept({ ...someone, profile })).rejects.toMatchObject({ code: 'ALREADY_MEMBER', publicDetail });
    await declineInvitation(someone.store, accountId, profile);
    expect(Object.values(await membershipStatesIn(gateway, accountId)).sort()).toEqual([
      'active member',
      'active owner',
    ]);
  });

  test('whose role is changed while it is declined is in the audit with the role that it had then', async () => {
    const { gateway, accountId, store, memberId, decline } = await invited({ role: 'owner' });
    before(gateway, 'TransactWriteItemsCommand', () => updateMember(store, accountId, memberId, 'member'));
    await decline();
    expect((await auditOf(gateway, accountId, 'member.decline'))[0]?.before).toEqual({
      role: 'member',
      status: 'invited',
    });
  });

  test('to an address that is invited already, or a member’s, is refused and names the member', async () => {
    const { gateway, accountId, store, someone, memberId, accept } = await invited();
    // Where it wrote and failed, it would try again until its deadline.
    const again = (by = store) =>
      inviteMember({ ...by, deadline: testDeadline() }, accountId, { email: someone.profile.email, role: 'member' });
    const line = `Member ${memberId} has this e-mail address already.`;
    for (const by of [store, gateway.store]) await expect(again(by)).rejects.toThrow(line);
    await accept();
    gateway.clock.nowMs += 14 * DAY_MS;
    await expect(again()).rejects.toThrow(line);
  });

  test('says by whom, of several owners, it was made: by name, else by address, else by an owner', async () => {
    const { gateway, accountId } = await invited();
    // In any order of their ids.
    const owners = [await join(gateway, accountId, 'owner'), await join(gateway, accountId, 'owner')];
    const invitedBy = async (by: TestPerson): Promise<string | undefined> => {
      const guest = await person(gateway);
      await inviteMember(await by.in(accountId), accountId, { email: guest.profile.email, role: 'member' });
      return (await listOwnInvitations(gateway.store, guest.profile))[0]?.invitedBy;
    };
    const { tables, client } = gateway.store;
    for (const owner of owners) {
      const { email } = owner.profile;
      const at = { TableName: tables.gateway, Key: accountItemKey.member(accountId, owner.memberId) };
      const ExpressionAttributeNames = { '#name': 'name' };
      await client.send(new UpdateCommand({ ...at, UpdateExpression: 'REMOVE #name', ExpressionAttributeNames }));
      expect(await invitedBy(owner)).toBe(email);
      const ExpressionAttributeValues = { ':none': null };
      await client.send(new UpdateCommand({ ...at, UpdateExpression: 'SET email = :none', ExpressionAttributeValues }));
      expect(await invitedBy(owner)).toBe('an owner');
    }
  });

  test('of the platform team says so, and those of a person are read in two round trips', async () => {
    const { gateway, accountId, someone } = await invited();
    const { accountId: other } = await ownAccount(gateway);
    await inviteMember(gateway.store, other, { email: someone.profile.email, role: 'member', name: 'A' });
    const record = recordCalls(gateway.operatorClient);
    const own = await listOwnInvitations(gateway.store, someone.profile);
    expect(own.map((each) => [each.accountId, each.invitedBy, each.invitedByKind]).sort()).toEqual(
      [
        [accountId, 'Ada Lovelace', 'person'],
        [other, 'operator', 'operator'],
      ].sort(),
    );
    expect(record.roundTrips).toBe(2);
    // It also gives the person's name, until they join with their own.
    const namesIn = async (id: string) =>
      (await Array.fromAsync(listMembers(gateway.store, id))).map(({ status, name }) => `${status}: ${name ?? 'none'}`);
    expect((await namesIn(other)).sort()).toEqual(['active: Ada Lovelace', 'invited: A']);
    expect((await namesIn(accountId)).sort()).toEqual(['active: Ada Lovelace', 'invited: none']);
  });
});
