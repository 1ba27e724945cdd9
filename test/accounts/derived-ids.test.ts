import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { creationOf } from '../../functions/accounts/store/idempotency.ts';

test('no id of what is made, and no fingerprint, can be found out from the person and the Idempotency-Key: they derive from the secret of the stage', async () => {
  const made = async (secret: Buffer) => {
    const keyTagSecrets = () => Promise.resolve([createSecretKey(secret)]);
    const store = { caller: { userId: 'usr_1' }, randomBytes, keyTagSecrets } as unknown as AccountStore;
    const { ids, fingerprint } = await creationOf(store, ['member', 'acc_1'], { role: 'member' }, 'k');
    return [Buffer.from(ids(16)).toString('hex'), fingerprint];
  };
  const [here, elsewhere] = [randomBytes(32), randomBytes(32)];
  const [id, fingerprint] = await made(here);
  expect(await made(here)).toEqual([id, fingerprint]);
  const others = await made(elsewhere);
  expect(others).not.toContain(id);
  expect(others).not.toContain(fingerprint);
});
