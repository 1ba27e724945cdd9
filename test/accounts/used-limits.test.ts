import { createHash, createSecretKey, randomUUID, type KeyObject } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { closeAccount } from '../../functions/accounts/projects/account-closing.ts';
import { accountItemKey } from '../../functions/accounts/store/account-items.ts';
import { asPerson } from '../../functions/accounts/authority/authority.ts';
import { commit } from '../../functions/accounts/store/transact.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { findOrMakePerson } from '../../functions/accounts/people/identities.ts';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { createOwnAccount } from '../../functions/accounts/team/own-accounts.ts';
import { deleteProfile } from '../../functions/accounts/people/profile.ts';
import { closeProject, createProject } from '../../functions/accounts/projects/projects.ts';
import { countedInvitation } from '../../functions/accounts/team/invited-addresses.ts';
import { countRead } from '../../functions/accounts/authority/rate.ts';
import { usedBy } from '../../functions/accounts/authority/used.ts';
import type { StoredUser } from '../../functions/accounts/people/users.ts';
import { readItem } from '../../functions/shared/store/tables.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import { atOnce, itemsOf, outcomes, ownAccount } from '../support/people.ts';
import { endlessDeadline } from '../support/deadline.ts';
import { DAY_MS, MONTH_END_EPOCH_SECONDS } from '../support/times.ts';

const SOMEBODY = { email: 'ada@example.com', emailVerified: true, name: 'Ada' };

describe('what a person has used of their limits', () => {
  const identity = () => ({ issuer: 'tests', subject: randomUUID(), emailVerified: true });
  const secretOf = (text: string) => createSecretKey(text.padEnd(32, '0'), 'utf8');
  const under = (store: AccountStore, ...secrets: [KeyObject, ...KeyObject[]]): AccountStore => ({
    ...store,
    keyTagSecrets: () => Promise.resolve(secrets),
  });
  /** Signs in as a person who creates an account, closes it and deletes their profile, or is refused the account. */
  async function createAndGo(gateway: TestGateway, store: AccountStore, who: ReturnType<typeof identity>) {
    const userId = await findOrMakePerson(store, who);
    const identityHash = (await readItem<StoredUser>(store, accountItemKey.user(userId)))?.identityHash ?? '';
    const own = asPerson(store, { userId, identityHash, limits: { ...DEFAULT_LIMITS, accountsPerPerson: 1 } });
    const { done, refused } = await outcomes([createOwnAccount(own, { name: 'Team', person: who })]);
    for (const accountId of done) await closeAccount(gateway.store, accountId);
    await deleteProfile(own, { userId });
    return refused[0];
  }

  test('is counted under a hash that takes the secret of the stage, another one for each', async () => {
    const { store } = testGateway();
    const person = { identityHash: 'h' };
    const hashes = [
      await usedBy(under(store, secretOf('a')), person),
      await usedBy(under(store, secretOf('b')), person),
      await usedBy(under(store, secretOf('a'), secretOf('b')), person),
      createHash('sha256').update('h').digest('hex'),
    ];
    expect(hashes[2]).toBe(hashes[0]);
    expect(new Set(hashes).size).toBe(3);
  });

  test('is found again after a change of the secret, while the older one is known', async () => {
    const gateway = testGateway();
    const [older, newer] = [secretOf('older'), secretOf('newer')];
    const who = identity();
    expect(await createAndGo(gateway, under(gateway.store, older), who)).toBeUndefined();
    expect(await createAndGo(gateway, under(gateway.store, newer, older), who)).toBe('LIMIT_REACHED');
    // By then the count is stored under the newer secret.
    expect(await createAndGo(gateway, under(gateway.store, newer), who)).toBe('LIMIT_REACHED');
    expect(await createAndGo(gateway, under(gateway.store, older), who)).toBeUndefined();
  });

  test.each<[string, string, (store: AccountStore) => Promise<unknown>]>([
    ['changes', 'TOO_MANY_REQUESTS', (store) => createOwnAccount(store, { name: 'T', person: SOMEBODY })],
    ['reads', 'TOO_MANY_REQUESTS', countRead],
    ['invitations', 'LIMIT_REACHED', async (store) => commit(store, await countedInvitation(store, 'bob@example.com'))],
  ])('goes on through each step of a change of the secret: %s', async (_what, code, use) => {
    const { store, clock } = testGateway();
    const [old, next] = [secretOf('old'), secretOf('next')];
    // docs/runbook.md, "Change the secret of key tags"
    const lists = [[old], [old, next], [next, old], [next]] as [KeyObject, ...KeyObject[]][];
    const userId = await findOrMakePerson(store, identity());
    const identityHash = (await readItem<StoredUser>(store, accountItemKey.user(userId)))?.identityHash ?? '';
    const most = { changesPerMinute: 3, readsPerMinute: 3, invitationsPerAddress: 3 };
    const limits = { ...DEFAULT_LIMITS, ...most, accountsPerPerson: 1_000 };
    for (const [i, list] of lists.slice(1).entries()) {
      clock.nowMs += DAY_MS;
      const [earlier, later] = [lists[i] ?? list, list].map((secrets) =>
        asPerson(under({ ...store, deadline: endlessDeadline() }, ...secrets), { userId, identityHash, limits }),
      ) as [AccountStore, AccountStore];
      // Old and new instances serve beside each other while the stage is deployed.
      const { done, refused } = await outcomes([earlier, later, earlier, later, later].map((each) => use(each)));
      expect([done.length, refused]).toEqual([3, [code, code]]);
    }
  });

  test('is kept for 90 days after the last deletion, and is nobody else’s', async () => {
    const gateway = testGateway();
    const who = identity();
    const again = () => createAndGo(gateway, gateway.store, who);
    expect(await again()).toBeUndefined();
    expect(await createAndGo(gateway, gateway.store, identity())).toBeUndefined();
    for (let times = 0; times < 2; times++) {
      gateway.clock.nowMs += 90 * DAY_MS - 1;
      expect(await again()).toBe('LIMIT_REACHED');
    }
    gateway.clock.nowMs += 90 * DAY_MS + 1_000;
    expect(await again()).toBeUndefined();
  });

  test('is taken over once, by the person who signs in first, also during another deletion', async () => {
    const gateway = testGateway();
    const { store } = gateway;
    const who = identity();
    await createAndGo(gateway, store, who);
    const ids = await Promise.all([findOrMakePerson(store, who), findOrMakePerson(store, who)]);
    expect(new Set(ids).size).toBe(1);
    const createdBy = async (userId: string | undefined) =>
      (await readItem<StoredUser>(store, accountItemKey.user(userId ?? '')))?.accountsCreated;
    expect(await createdBy(ids[0])).toBe(1);
    const other = identity();
    before(gateway, 'TransactWriteItemsCommand', () => createAndGo(gateway, store, other));
    expect(await createdBy(await findOrMakePerson(store, other))).toBe(1);
  });
});

describe('of the projects of an account', () => {
  test('so many are made in a period, closed ones included, and no more, also at once', async () => {
    const gateway = testGateway();
    const limits = { projectsPerAccount: 3, projectsPerPeriod: 6 };
    const { owner, accountId, store } = await ownAccount(gateway, { limits });
    const make = () => createProject(store, { accountId, name: 'Trips', quotaLimit: 1 });
    for (let i = 0; i < 4; i++) await closeProject(store, await make());
    expect((await atOnce(6, make)).refused).toEqual(Array(4).fill('LIMIT_REACHED'));
    // It names the limit, since closing a project does not help.
    const publicDetail = expect.stringContaining('in this period of the quota');
    await expect(make()).rejects.toMatchObject({ code: 'LIMIT_REACHED', publicDetail });
    // Another account has its own limit.
    const other = await createOwnAccount(owner.store, { name: 'Another', person: owner.profile });
    await createProject(await owner.in(other), { accountId: other, name: 'Trips', quotaLimit: 1 });
    // One is open at most then, and still: the month is over.
    gateway.clock.nowMs = MONTH_END_EPOCH_SECONDS * 1_000;
    expect((await atOnce(3, make)).refused).toEqual(Array(2).fill('LIMIT_REACHED'));
    const counts = (await itemsOf(gateway, `ACCOUNT#${accountId}`)).filter(({ sk }) => String(sk).startsWith('MADE#'));
    // They expire an hour after their period.
    expect(counts.map(({ sk, count, ttl }) => [sk, count, ttl])).toEqual([
      ['MADE#2030-01', 6, MONTH_END_EPOCH_SECONDS + 3_600],
      ['MADE#2030-02', 1, Date.UTC(2030, 2, 1) / 1_000 + 3_600],
    ]);
  });

  test('as many again are made in the next period, which is a day where the stage says so', async () => {
    const gateway = testGateway();
    const limits = { projectsPerAccount: 10, projectsPerPeriod: 2 };
    const { accountId, store } = await ownAccount(gateway, { limits });
    const make = () => createProject(store, { accountId, name: 'P', quotaLimit: 1 }, undefined, 'day');
    expect((await atOnce(3, make)).refused).toEqual(['LIMIT_REACHED']);
    gateway.clock.nowMs += DAY_MS;
    expect((await atOnce(3, make)).refused).toEqual(['LIMIT_REACHED']);
    // Projects of the platform team are not limited and do not count.
    for (let i = 0; i < 3; i++) await createProject(gateway.store, { accountId, name: 'P', quotaLimit: 1 });
    gateway.clock.nowMs += DAY_MS;
    expect((await atOnce(2, make)).refused).toEqual([]);
  });
});
