import { describe, expect, test } from '@jest/globals';
import { createKey, expireKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import type { NewKey } from '../../functions/accounts/keys/new-keys.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { createEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { acceptInvitation, declineInvitation } from '../../functions/accounts/team/invitation-answers.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { removeMember, updateMember } from '../../functions/accounts/team/members.ts';
import { createOwnAccount } from '../../functions/accounts/team/own-accounts.ts';
import { readProjectOverview } from '../../functions/accounts/projects/project-overviews.ts';
import { closeProject, createProject } from '../../functions/accounts/projects/projects.ts';
import { listKeys } from '../../functions/accounts/keys/key-pages.ts';
import { readKey } from '../../functions/accounts/keys/stored-keys.ts';
import { replaceUnlessStale } from '../../functions/accounts/store/writes.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { KEY, testGateway, type TestGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import {
  atOnce,
  auditOf,
  listOwnInvitations,
  join,
  ownAccount,
  ownProject,
  person,
  membershipStatesIn,
  type TestPerson,
} from '../support/people.ts';
import { DAY_MS, MINUTE_MS } from '../support/times.ts';
import { noRequest } from '../support/usage-events.ts';

const NAMED = { ...KEY, name: 'CI' };

/** A project of a person, with room for one key. */
const oneProject = () =>
  ownProject({ projectsPerAccount: 1, activeKeysPerProject: 1, membersPerAccount: 3, accountsPerPerson: 1 });
const statusOf = async (gateway: TestGateway, { key }: NewKey) => {
  const { status, body } = await gateway.ping(key);
  return status === 200 ? 200 : body.code;
};

describe('a creation whose answer was lost, repeated under its Idempotency-Key,', () => {
  test('answers the same id and makes nothing again: an account, at the last that there may be', async () => {
    const gateway = testGateway();
    const { store, profile } = await person(gateway, { limits: { accountsPerPerson: 1 } });
    const create = (key: string) => createOwnAccount(store, { name: 'A', person: profile }, key);
    const { done, refused } = await atOnce(3, () => create('k1'));
    expect([new Set(done).size, refused]).toEqual([1, []]);
    expect(await create('k1')).toBe(done[0]);
    await expect(create('k2')).rejects.toMatchObject({
      message: 'This person has created 1 accounts, which is the limit.',
      code: 'LIMIT_REACHED',
    });
    expect(await auditOf(gateway, done[0] ?? '', 'account.create')).toHaveLength(1);
    // The same key of another person is another key.
    const other = await person(gateway);
    expect(await createOwnAccount(other.store, { name: 'A', person: other.profile }, 'k1')).not.toBe(done[0]);
  });

  test('answers the same id and makes nothing again: a project', async () => {
    const gateway = testGateway();
    const { accountId, store } = await ownAccount(gateway, { limits: { projectsPerAccount: 1 } });
    const create = (key: string) => createProject(store, { accountId, name: 'P', quotaLimit: 1 }, key);
    const { done, refused } = await atOnce(3, () => create('k1'));
    expect([new Set(done).size, refused]).toEqual([1, []]);
    await expect(create('k2')).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    expect(await auditOf(gateway, accountId, 'project.create')).toHaveLength(1);
    // Also if it is closed by now: closing was a separate change.
    await closeProject(store, done[0] ?? '');
    expect(await create('k1')).toBe(done[0]);
    expect(await create('k2')).not.toBe(done[0]);
  });

  test('answers the same id and makes nothing again: an invitation, also when it was accepted meanwhile', async () => {
    const { gateway, accountId, store } = await oneProject();
    const someone = await person(gateway);
    const { email } = someone.profile;
    const invite = (key: string) => inviteMember(store, accountId, { email, role: 'member' }, key);
    const { done, refused } = await atOnce(3, () => invite('k1'));
    expect([new Set(done).size, refused]).toEqual([1, []]);
    await acceptInvitation(someone.store, accountId, someone.profile);
    expect(await invite('k1')).toBe(done[0]);
    await expect(invite('k2')).rejects.toMatchObject({ code: 'ALREADY_MEMBER' });
    expect(await auditOf(gateway, accountId, 'member.add')).toHaveLength(1);
  });

  test.each<
    [string, (someone: TestPerson, own: Awaited<ReturnType<typeof oneProject>>, memberId: string) => Promise<unknown>]
  >([
    ['declined', ({ store, profile }, { accountId }) => declineInvitation(store, accountId, profile)],
    [
      'joined and left',
      async (someone, { accountId }, memberId) => {
        await acceptInvitation(someone.store, accountId, someone.profile);
        await removeMember(await someone.in(accountId), accountId, memberId);
      },
    ],
    ['was removed', (_someone, { store, accountId }, memberId) => removeMember(store, accountId, memberId)],
  ])('answers the same id and invites nobody anew who %s meanwhile', async (_how, meanwhile) => {
    const own = await oneProject();
    const { gateway, accountId, store } = own;
    const someone = await person(gateway);
    const invite = (key: string) =>
      inviteMember(store, accountId, { email: someone.profile.email, role: 'owner' }, key);
    const memberId = await invite('k1');
    await meanwhile(someone, own, memberId);
    const membershipState = await membershipStatesIn(gateway, accountId);
    expect([await invite('k1'), await invite('k1')]).toEqual([memberId, memberId]);
    expect(await membershipStatesIn(gateway, accountId)).toEqual(membershipState);
    expect(await listOwnInvitations(gateway.store, someone.profile)).toEqual([]);
    expect(await auditOf(gateway, accountId, 'member.add')).toHaveLength(1);
    // After a new invitation they are a new member, and the old request returns the old one.
    expect(await invite('k2')).not.toBe(memberId);
    expect(await invite('k1')).toBe(memberId);
  });

  test('in another place, under the same key, is another creation', async () => {
    const { owner, accountId, store } = await ownAccount(testGateway());
    const other = await createOwnAccount(owner.store, { name: 'B', person: owner.profile }, 'k1');
    const madeIn = async (own: AccountStore, account: string) => {
      const projectId = await createProject(own, { accountId: account, name: 'P', quotaLimit: 1 }, 'k1');
      const memberId = await inviteMember(own, account, { email: 'b@example.com', role: 'member' }, 'k1');
      const { keyId } = await createKey(own, { projectId, ...NAMED }, 'k1');
      const old = await createKey(own, { projectId, ...NAMED });
      const one = await rotateKey(own, projectId, keyId, 0, 'k1');
      return [projectId, memberId, keyId, one.keyId, (await rotateKey(own, projectId, old.keyId, 0, 'k1')).keyId];
    };
    const made = [...(await madeIn(store, accountId)), ...(await madeIn(await owner.in(other), other))];
    expect(new Set(made).size).toBe(10);
  });

  test('of which the first attempt arrives late invites nobody again', async () => {
    const { gateway, accountId, store } = await oneProject();
    const someone = await person(gateway);
    const invite = () => inviteMember(store, accountId, { email: someone.profile.email, role: 'member' }, 'k1');
    before({ store }, 'TransactWriteItemsCommand', async () => {
      await invite();
      await declineInvitation(someone.store, accountId, someone.profile);
    });
    await invite();
    expect(Object.values(await membershipStatesIn(gateway, accountId))).toEqual(['active owner']);
  });

  test('takes the authority that it took before', async () => {
    const gateway = testGateway();
    const { accountId } = await ownAccount(gateway);
    const member = await join(gateway, accountId, 'member');
    const store = await member.in(accountId);
    const create = () => createProject(store, { accountId, name: 'P', quotaLimit: 1 }, 'k1');
    await create();
    const invite = () => inviteMember(store, accountId, { email: 'b@example.com', role: 'member' }, 'k1');
    await updateMember(gateway.store, accountId, member.memberId, 'owner');
    const url = 'https://example.com/hooks';
    const addEndpoint = () => createEndpoint(store, accountId, { url, kinds: ['key.expiring'] }, 'k1');
    await invite();
    await addEndpoint();
    await updateMember(gateway.store, accountId, member.memberId, 'member');
    await expect(invite()).rejects.toMatchObject({ code: 'OWNER_ONLY' });
    // Its answer holds a secret.
    await expect(addEndpoint()).rejects.toMatchObject({ code: 'OWNER_ONLY' });
    await removeMember(store, accountId, member.memberId);
    await expect(create()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

type Create = (store: AccountStore, projectId: string, keyId: string, idempotencyKey: string) => Promise<NewKey>;

describe.each<[string, Create]>([
  ['a creation', (store, projectId, _old, key) => createKey(store, { projectId, ...NAMED, lifetimeMs: DAY_MS }, key)],
  ['a rotation', (store, projectId, old, key) => rotateKey(store, projectId, old, DAY_MS, key)],
])('of %s that is repeated', (what, create) => {
  /** A project with room for one key, and a way to create that key. */
  async function setUp() {
    const own = await oneProject();
    const { store, projectId } = own;
    const old = what === 'a rotation' ? await createKey(store, { projectId, ...NAMED, lifetimeMs: DAY_MS }) : undefined;
    return { ...own, old, make: (key = 'k1') => create(store, projectId, old?.keyId ?? '', key) };
  }

  test('the key is the same, and works', async () => {
    const { gateway, accountId, store, projectId, make } = await setUp();
    const first = await make();
    gateway.clock.nowMs += 10 * MINUTE_MS - 1;
    const stored = await readKey(store, projectId, first.keyId);
    expect(await make()).toMatchObject({ keyId: first.keyId, key: first.key });
    // The time of creation is the same, too, so that repeats come to an end.
    expect(await readKey(store, projectId, first.keyId)).toEqual(stored);
    expect(await statusOf(gateway, first)).toBe(200);
    expect((await readProjectOverview(store, projectId, '2030-01', noRequest)).activeKeys).toBe(1);
    const events = await auditOf(gateway, accountId, 'key.reissue');
    expect(events).toEqual([expect.objectContaining({ projectId, keyId: first.keyId, before: {}, after: {} })]);
    expect(await auditOf(gateway, accountId, 'key.create')).toHaveLength(what === 'a rotation' ? 2 : 1);
  });

  test('the key of a repeat that was answered outlives the first attempt, which arrives later', async () => {
    const { gateway, store, make } = await setUp();
    let answered: NewKey | undefined;
    before({ store }, 'TransactWriteItemsCommand', async () => (answered = await make()));
    const late = await make();
    expect(late).toMatchObject({ keyId: answered?.keyId, key: answered?.key });
    expect(answered && (await statusOf(gateway, answered))).toBe(200);
  });

  test('a key of the version before, which kept no salt, stays as it is', async () => {
    const { gateway, store, projectId, make } = await setUp();
    const made = await make();
    const key = itemKey.keyReference(projectId, made.keyId);
    await replaceUnlessStale(store, { key, seen: {}, after: { salt: undefined } });
    await expect(make()).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' });
    expect(await statusOf(gateway, made)).toBe(200);
  });

  test.each<[string, (gateway: TestGateway, made: NewKey, store: AccountStore, projectId: string) => Promise<unknown>]>(
    [
      ['was used', (gateway, made) => gateway.ping(made.key)],
      ['is ten minutes old', (gateway) => Promise.resolve((gateway.clock.nowMs += 10 * MINUTE_MS))],
      ['was revoked', (_gateway, { keyId }, store, projectId) => revokeKey(store, projectId, keyId)],
      [
        'was rotated',
        async (_gateway, { keyId }, store, projectId) => {
          const { replaces } = await readKey(store, projectId, keyId);
          await rotateKey(store, projectId, keyId, DAY_MS, undefined, replaces);
        },
      ],
      ['has expired', ({ store }, { keyId }, _, projectId) => expireKey(store, projectId, keyId, { inMs: 0 })],
    ],
  )('a key that %s stays as it is', async (_how, meanwhile) => {
    const { gateway, store, projectId, make } = await setUp();
    const made = await make();
    await meanwhile(gateway, made, store, projectId);
    const stored = await readKey(store, projectId, made.keyId);
    await expect(make()).rejects.toMatchObject({
      message: `Key ${made.keyId} was created already, and cannot be shown again.`,
      code: 'CHANGED_MEANWHILE',
    });
    expect(await readKey(store, projectId, made.keyId)).toEqual(stored);
  });

  /** Runs an action right before the write that would show a key again. */
  const beforeShown = (store: AccountStore, meanwhile: () => Promise<unknown>) => {
    // The first attempt to create a key finds that it exists; the next one would show it. A rotation finds that
    // before.
    let left = what === 'a rotation' ? 1 : 2;
    before({ store }, 'TransactWriteItemsCommand', async () => (--left === 0 ? meanwhile() : undefined), left);
  };

  test('a key that is used while the repeat is on its way stays as it is', async () => {
    const { gateway, store, make } = await setUp();
    const made = await make();
    beforeShown(store, () => gateway.ping(made.key));
    await expect(make()).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' });
    expect(await statusOf(gateway, made)).toBe(200);
  });

  test('a key that is changed or revoked while the repeat is on its way stays so', async () => {
    const { store, projectId, make } = await setUp();
    const { keyId } = await make();
    beforeShown(store, () => updateKey(store, projectId, keyId, { name: 'New' }));
    expect((await make()).keyId).toBe(keyId);
    expect(await readKey(store, projectId, keyId)).toMatchObject({ name: 'New' });
    const other = await setUp();
    const { keyId: revoked } = await other.make();
    beforeShown(other.store, () => revokeKey(other.store, other.projectId, revoked));
    await expect(other.make()).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' });
    expect(await readKey(other.store, other.projectId, revoked)).toMatchObject({ status: 'revoked' });
  });

  test('a key of several repeats at once is one key, and works for all of them', async () => {
    const { gateway, projectId, make, old } = await setUp();
    const { done, refused } = await atOnce(4, () => make());
    expect([done.length, new Set(done.map(({ key }) => key)).size, refused]).toEqual([4, 1, []]);
    expect(done[0] && (await statusOf(gateway, done[0]))).toBe(200);
    expect(await Array.fromAsync(listKeys(gateway.store, projectId))).toHaveLength(old ? 2 : 1);
  });

  test('a change of the key that meets the repeat is made, and the key is changed', async () => {
    const { gateway, store, projectId, make } = await setUp();
    const { keyId } = await make();
    before(gateway, 'TransactWriteItemsCommand', make);
    await updateKey(store, projectId, keyId, { name: 'New' });
    expect(await readKey(store, projectId, keyId)).toMatchObject({ name: 'New' });
  });
});
