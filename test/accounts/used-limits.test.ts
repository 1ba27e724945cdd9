import { createHash, createSecretKey, randomUUID, type KeyObject } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { closeAccount } from '../../functions/accounts/team/account-closing.ts';
import { accountItemKey } from '../../functions/accounts/account-items.ts';
import { asPerson } from '../../functions/accounts/changes.ts';
import type { AccountStore } from '../../functions/accounts/account-store.ts';
import { findOrMakePerson } from '../../functions/accounts/people/identities.ts';
import { DEFAULT_LIMITS } from '../../functions/accounts/limits.ts';
import { createOwnAccount } from '../../functions/accounts/team/own-accounts.ts';
import { deleteProfile } from '../../functions/accounts/people/profile.ts';
import { usedBy } from '../../functions/accounts/used-limits.ts';
import type { StoredUser } from '../../functions/accounts/people/users.ts';
import { readItem } from '../../functions/shared/store/items.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import { outcomes } from '../support/people.ts';

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
    const { identityHash } = (await readItem<StoredUser>(store, accountItemKey.user(userId))) ?? {};
    const own = asPerson(store, { userId, identityHash, limits: { ...DEFAULT_LIMITS, accountsPerPerson: 1 } });
    const { done, refused } = await outcomes([createOwnAccount(own, { name: 'Team', person: who })]);
    for (const accountId of done) await closeAccount(gateway.store, accountId);
    await deleteProfile(own, { userId });
    return refused[0];
  }

  test('is counted under a hash that takes the secret of the stage, another one for each', async () => {
    const { store } = testGateway();
    const person = { userId: 'usr_x', identityHash: 'h' };
    const hashes = [
      await usedBy(under(store, secretOf('a')), person),
      await usedBy(under(store, secretOf('b')), person),
      await usedBy(under(store, secretOf('a'), secretOf('b')), { ...person, userId: 'usr_y' }),
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
