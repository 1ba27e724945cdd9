import { describe, expect, test } from '@jest/globals';
import { accountItemKey } from '../../functions/accounts/store/account-items.ts';
import { createKey, expireKey, revokeKey } from '../../functions/accounts/keys/api-keys.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { readProjectOverview } from '../../functions/accounts/projects/project-overviews.ts';
import { listKeys } from '../../functions/accounts/keys/key-pages.ts';
import { MAX_ACTIVE_KEYS } from '../../functions/accounts/projects/active-keys.ts';
import { putItem, recordCalls } from '../support/database.ts';
import { KEY, type TestGateway } from '../support/gateway.ts';
import { atOnce, ownProject } from '../support/people.ts';
import { testClock } from '../support/reports.ts';
import { DAY_MS, HOUR_MS, NOW_MS } from '../support/times.ts';
import { noRequest } from '../support/usage-events.ts';

const newKey = (store: AccountStore, projectId: string, lifetimeMs?: number) =>
  createKey(store, { projectId, ...KEY, lifetimeMs });
const activeKeysIn = async ({ store }: TestGateway, projectId: string) =>
  (await readProjectOverview(store, projectId, '2030-01', noRequest)).activeKeys;

describe('an active key', () => {
  test('is one of so many that a project may have, of many made at once, too', async () => {
    const { gateway, store, projectId } = await ownProject({ activeKeysPerProject: 20 });
    for (let i = 0; i < 15; i++) await newKey(store, projectId);
    // One of them has replaced another, and one is revoked.
    const [replaced, revoked] = [await newKey(store, projectId), await newKey(store, projectId)];
    await rotateKey(store, projectId, replaced.keyId, DAY_MS);
    await revokeKey(store, projectId, revoked.keyId);
    expect(await activeKeysIn(gateway, projectId)).toBe(16);
    const { done, refused } = await atOnce(7, () => newKey(store, projectId));
    expect([done.length, refused]).toEqual([4, Array(3).fill('LIMIT_REACHED')]);
    expect(await Array.fromAsync(listKeys(gateway.store, projectId))).toHaveLength(22);
    expect(await activeKeysIn(gateway, projectId)).toBe(20);
    // Two requests for the last place at once.
    await revokeKey(store, projectId, done[0]?.keyId ?? '');
    expect((await atOnce(2, () => newKey(store, projectId))).refused).toEqual(['LIMIT_REACHED']);
  });

  test('is not active any more at the moment it expires, and then makes room', async () => {
    const { gateway, store, projectId } = await ownProject({ activeKeysPerProject: 3 });
    for (const lifetimeMs of [HOUR_MS, HOUR_MS, undefined]) await newKey(store, projectId, lifetimeMs);
    gateway.clock.nowMs += HOUR_MS - 1;
    expect(await activeKeysIn(gateway, projectId)).toBe(3);
    await expect(newKey(store, projectId)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    gateway.clock.nowMs += 1;
    expect(await activeKeysIn(gateway, projectId)).toBe(1);
    const { done, refused } = await atOnce(4, () => newKey(store, projectId));
    expect([done.length, refused]).toEqual([2, Array(2).fill('LIMIT_REACHED')]);
    expect(await activeKeysIn(gateway, projectId)).toBe(3);
  });

  test('makes room once it has expired, however many have: the platform team may make any number', async () => {
    const { gateway, store, projectId } = await ownProject({ activeKeysPerProject: 20 });
    const ids = Array.from({ length: 120 }, (_, i) => [`key_${i}`, NOW_MS + HOUR_MS]);
    const Item = { ...accountItemKey.activeKeys(projectId), keys: Object.fromEntries(ids) as object };
    await putItem(gateway.store, Item);
    gateway.clock.nowMs += HOUR_MS;
    const { commands } = recordCalls(gateway.operatorClient);
    await newKey(store, projectId);
    expect(commands.filter((name) => name === 'UpdateItem')).toHaveLength(1);
    expect(await activeKeysIn(gateway, projectId)).toBe(1);
  });

  // DynamoDB would refuse a larger item: then nobody could create, rotate or revoke a key of this project.
  describe('is one of no more than an item holds', () => {
    const MAX_ITEM_BYTES = 400 * 1_024;
    /** DynamoDB's sizes: a text by its bytes, a number by two digits a byte plus one, an entry of a map by one. */
    const bytesOf = (keys: Readonly<Record<string, number>>): number =>
      Object.entries(keys).reduce(
        (sum, [id, expiry]) => sum + Buffer.byteLength(id) + Math.ceil(String(expiry).length / 2) + 1 + 1,
        0,
      );
    /** With the longest possible names, and expiry times with the most digits. */
    const keysThat = (count: number, expiresAtMs = 8_640_000_000_000_000) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`key_${String(i).padStart(16, '0')}`, expiresAtMs]),
      ) as Record<string, number>;
    async function filled(keys: Readonly<Record<string, number>>) {
      const own = await ownProject({ activeKeysPerProject: 1_000_000 });
      const Item = { ...accountItemKey.activeKeys(own.projectId), keys };
      await putItem(own.gateway.store, Item);
      return own;
    }

    test('which is sure of its size', () => {
      expect(bytesOf(keysThat(MAX_ACTIVE_KEYS)) + 1_000).toBeLessThan(MAX_ITEM_BYTES);
    });

    test('by the platform team or a person; the last one and present ones can be revoked and rotated', async () => {
      const { gateway, store, projectId } = await filled(keysThat(MAX_ACTIVE_KEYS - 1));
      const { keyId } = await newKey(gateway.store, projectId);
      for (const whose of [gateway.store, store]) {
        await expect(newKey(whose, projectId)).rejects.toMatchObject({
          message: `There are ${MAX_ACTIVE_KEYS} active keys in the project, which is the limit.`,
          code: 'LIMIT_REACHED',
        });
      }
      const next = await rotateKey(gateway.store, projectId, keyId, 0);
      await revokeKey(store, projectId, next.keyId);
      await newKey(store, projectId);
    });

    test('unless some have ended: all of those make room at once', async () => {
      const { gateway, projectId } = await filled({
        ...keysThat(MAX_ACTIVE_KEYS, NOW_MS),
        ...keysThat(MAX_ACTIVE_KEYS / 2),
      });
      await newKey(gateway.store, projectId);
      expect(await activeKeysIn(gateway, projectId)).toBe(MAX_ACTIVE_KEYS / 2 + 1);
    });
  });

  test('is rotated while it is one: where it has ended by another clock there would be one too many', async () => {
    const { gateway, store, projectId } = await ownProject({ activeKeysPerProject: 1 });
    const { keyId } = await newKey(store, projectId, HOUR_MS);
    const ahead = testClock(gateway.clock.nowMs + HOUR_MS);
    const next = await newKey({ ...store, clock: ahead }, projectId);
    await expect(rotateKey(store, projectId, keyId, 0)).rejects.toMatchObject({
      message: `Key ${keyId} has ended.`,
      code: 'KEY_NOT_ACTIVE',
    });
    const keys = await Array.fromAsync(listKeys(gateway.store, projectId));
    expect(keys.map((key) => key.keyId).sort()).toEqual([keyId, next.keyId].sort());
  });

  test('ends later or earlier when the platform team says so', async () => {
    const { gateway, store, projectId } = await ownProject({ activeKeysPerProject: 1 });
    const { keyId } = await newKey(store, projectId, HOUR_MS);
    await expireKey(gateway.store, projectId, keyId, { inMs: DAY_MS }, true);
    gateway.clock.nowMs += HOUR_MS;
    await expect(newKey(store, projectId)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    await expireKey(gateway.store, projectId, keyId, { inMs: 0 });
    expect(await activeKeysIn(gateway, projectId)).toBe(0);
    await newKey(store, projectId);
  });
});
