import { describe, expect, test } from '@jest/globals';
import { accountItemKey } from '../../functions/accounts/store/account-items.ts';
import { createKey, expireKey, revokeKey } from '../../functions/accounts/keys/api-keys.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { readKey } from '../../functions/accounts/keys/stored-keys.ts';
import { readItem } from '../../functions/shared/store/tables.ts';
import { KEY } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import { outcomes, ownProject } from '../support/people.ts';
import { DAY_MS, HOUR_MS, NOW_MS } from '../support/times.ts';

/** A key in its grace and its successor, in a project with room for two. */
async function rotated() {
  const { gateway, store, projectId } = await ownProject({ activeKeysPerProject: 2 });
  const { keyId: old } = await createKey(store, { projectId, ...KEY });
  const { keyId } = await rotateKey(store, projectId, old, 7 * DAY_MS);
  const at = { TableName: store.tables.gateway, Key: accountItemKey.activeKeys(projectId) };
  /** The expiry of each active key. */
  const active = async () => (await readItem<{ keys: Record<string, number> }>(store, at.Key))?.keys;
  const expiryOf = async (id: string) => (await readKey(store, projectId, id)).expiresAtMs;
  return { gateway, store, projectId, old, keyId, at, active, expiryOf };
}

describe('a key in its grace', () => {
  test('takes the place of its successor when that is revoked, until it ends', async () => {
    const { gateway, store, projectId, old, keyId, active } = await rotated();
    expect(await active()).toEqual({ [keyId]: 0 });
    await revokeKey(store, projectId, keyId);
    expect(await active()).toEqual({ [old]: NOW_MS + 7 * DAY_MS });
    await createKey(store, { projectId, ...KEY, lifetimeMs: HOUR_MS });
    await expect(createKey(store, { projectId, ...KEY })).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    gateway.clock.nowMs += HOUR_MS;
    // It moves when the platform team changes the end of the key.
    await expireKey(gateway.store, projectId, old, { inMs: HOUR_MS });
    expect(await active()).toMatchObject({ [old]: NOW_MS + 2 * HOUR_MS });
    gateway.clock.nowMs += HOUR_MS;
    await revokeKey(store, projectId, old);
    expect(await active()).not.toHaveProperty(old);
  });

  test('that has ended takes no place', async () => {
    const { store, projectId, old, keyId, active } = await rotated();
    await revokeKey(store, projectId, old);
    await revokeKey(store, projectId, keyId);
    expect(await active()).toEqual({});
    const other = await rotated();
    other.gateway.clock.nowMs += 7 * DAY_MS;
    await revokeKey(other.store, other.projectId, other.keyId);
    expect(await other.active()).toEqual({});
  });

  test('is not in the place of a successor that works, whatever its end', async () => {
    const { gateway, projectId, old, keyId, active } = await rotated();
    await expireKey(gateway.store, projectId, old, { inMs: HOUR_MS });
    expect(await active()).toEqual({ [keyId]: 0 });
  });

  test.each<[string, (own: Awaited<ReturnType<typeof rotated>>) => Promise<unknown>, object]>([
    ['is revoked', ({ store, projectId, old }) => revokeKey(store, projectId, old), {}],
    [
      'gets another end',
      ({ gateway, projectId, old }) => expireKey(gateway.store, projectId, old, { inMs: HOUR_MS }),
      { old: NOW_MS + HOUR_MS },
    ],
  ])('that %s while its successor is revoked leaves what is true', async (_how, meanwhile, expected) => {
    const own = await rotated();
    before(own, 'TransactWriteItemsCommand', () => meanwhile(own));
    await revokeKey(own.store, own.projectId, own.keyId);
    const keys = Object.entries((await own.active()) ?? {}).map(([id, end]) => [id === own.old ? 'old' : id, end]);
    expect(Object.fromEntries(keys)).toEqual(expected);
  });

  test('whose successor is revoked while it gets another end has that end in its place', async () => {
    const { gateway, store, projectId, old, keyId, active } = await rotated();
    before(gateway, 'TransactWriteItemsCommand', () => revokeKey(store, projectId, keyId));
    await expireKey(gateway.store, projectId, old, { inMs: HOUR_MS });
    expect(await active()).toEqual({ [old]: NOW_MS + HOUR_MS });
  });

  test('that is revoked while a rotation ends it stays revoked, and the rotation is made', async () => {
    const { store, gateway, projectId, old, keyId, expiryOf } = await rotated();
    const end = await expiryOf(old);
    before(gateway, 'TransactWriteItemsCommand', () => revokeKey(store, projectId, old));
    const { keyId: next } = await rotateKey(store, projectId, keyId, HOUR_MS, undefined, old);
    expect(await readKey(store, projectId, old)).toMatchObject({ status: 'revoked', expiresAtMs: end });
    expect(await readKey(store, projectId, next)).toMatchObject({ replaces: keyId });
  });
});

test('of a key whose predecessor has ended, by its time or by a revocation, a rotation needs no name, and it does no harm', async () => {
  const { gateway, store, projectId, keyId } = await rotated();
  gateway.clock.nowMs += 7 * DAY_MS;
  const { keyId: third } = await rotateKey(store, projectId, keyId, 7 * DAY_MS);
  await revokeKey(store, projectId, keyId);
  const { keyId: fourth } = await rotateKey(store, projectId, third, HOUR_MS, undefined, keyId);
  expect(await readKey(store, projectId, fourth)).toMatchObject({ replaces: third, status: 'active' });
});

test('many rotations of a key at once make one, also where some name its predecessor and others do not', async () => {
  const { store, projectId, old, keyId, expiryOf } = await rotated();
  const { done } = await outcomes(
    Array.from({ length: 12 }, (_, i) =>
      rotateKey(store, projectId, keyId, HOUR_MS, undefined, i % 2 === 0 ? undefined : old),
    ),
  );
  expect(done).toHaveLength(1);
  expect([await expiryOf(old), await expiryOf(keyId)]).toEqual([NOW_MS, NOW_MS + HOUR_MS]);
});

test('the platform team must name the key that a rotation ends, too; the refusal names it', async () => {
  const { gateway, projectId, old, keyId } = await rotated();
  const until = new Date(NOW_MS + 7 * DAY_MS).toISOString();
  await expect(rotateKey(gateway.store, projectId, keyId, HOUR_MS)).rejects.toMatchObject({
    message: `Key ${old}, which ${keyId} replaced, works until ${until}; only --ends ${old} ends it now.`,
    code: 'LIMIT_REACHED',
  });
  await expect(rotateKey(gateway.store, projectId, old, HOUR_MS)).rejects.toThrow('was rotated already');
});
