import { describe, expect, test } from '@jest/globals';
import { createKey, expireKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { listKeys, readKeyPage, type KeyPageQuery } from '../../functions/accounts/keys/key-pages.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { keyView, readKey } from '../../functions/accounts/keys/stored-keys.ts';
import type { KeyState } from '../../functions/shared/choices.ts';
import { deleteItem, recordCalls } from '../support/database.ts';
import { KEY } from '../support/gateway.ts';
import { itemsOf, ownProject } from '../support/people.ts';
import { recordReadUnits } from '../support/read-units.ts';
import { DAY_MS, NOW_MS } from '../support/times.ts';

const LATER: KeyPageQuery = { limit: 50 };

/** A project of a person, with functions for its keys by name. */
async function project() {
  const { gateway, accountId, store, projectId } = await ownProject({ activeKeysPerProject: 200 });
  const make = (name: string, lifetimeMs?: number) => createKey(store, { projectId, ...KEY, name, lifetimeMs });
  const revoke = async (name: string): Promise<string> => {
    const { keyId } = await make(name);
    await revokeKey(store, projectId, keyId);
    return keyId;
  };
  const page = (query: Partial<KeyPageQuery> = {}) => readKeyPage(store, accountId, projectId, { ...LATER, ...query });
  const names = async (query: Partial<KeyPageQuery> = {}) => (await page(query)).keys.map(({ name }) => name);
  return { gateway, accountId, store, projectId, make, revoke, page, names };
}
type Project = Awaited<ReturnType<typeof project>>;

/** All pages of a list with this limit. */
async function pagesOf({ page }: Project, state: KeyState | undefined, limit: number) {
  const pages: string[][] = [];
  let next: string | undefined;
  do {
    const read = await page({ state, limit, before: next });
    pages.push(read.keys.map(({ name = '' }) => name));
    next = read.next;
  } while (next !== undefined);
  return pages;
}

const statesIn = async ({ store, projectId }: Project) =>
  (await Array.fromAsync(listKeys(store, projectId)))
    .map((key) => `${key.name ?? ''} ${keyView(key, store.clock.now()).status}`)
    .sort();

describe('the keys of a project', () => {
  test('are listed with those first that go on, the one with the latest end first, and then those that ended last', async () => {
    const made = await project();
    const { gateway, store, projectId, make, revoke, names } = made;
    const never = await make('never');
    await make('in ten days', 10 * DAY_MS);
    await make('in twenty days', 20 * DAY_MS);
    await revoke('revoked');
    gateway.clock.nowMs += 1_000;
    const { keyId } = await make('replaced');
    await rotateKey(store, projectId, keyId, 0);
    gateway.clock.nowMs += 1_000;
    await rotateKey(store, projectId, never.keyId, DAY_MS);
    expect((await names({ state: 'active' })).toSorted()).toEqual(
      ['in ten days', 'in twenty days', 'never', 'never', 'replaced'].toSorted(),
    );
    expect((await names({ state: 'active' })).slice(2)).toEqual(['in twenty days', 'in ten days', 'never']);
    expect(await names({ state: 'ended' })).toEqual(['replaced', 'revoked']);
    expect(await names()).toEqual([...(await names({ state: 'active' })), 'replaced', 'revoked']);
    // A key that expires by the clock causes no write.
    gateway.clock.nowMs = NOW_MS + 10 * DAY_MS;
    expect((await names({ state: 'active' })).slice(2)).toEqual(['in twenty days']);
    expect((await names({ state: 'ended' })).slice(0, 2)).toEqual(['in ten days', 'never']);
  });

  test('come in pages, each once, at the cost of what is shown and in two round trips', async () => {
    const made = await project();
    for (let i = 0; i < 5; i++) await made.make(`active ${i}`);
    for (let i = 0; i < 12; i++) await made.revoke(`ended ${i}`);
    for (const [state, count] of [['active', 5] as const, ['ended', 12] as const, [undefined, 17] as const]) {
      for (const limit of [1, 2, 5, 7, 50]) {
        const pages = await pagesOf(made, state, limit);
        expect(new Set(pages.flat()).size).toBe(count);
        expect(pages.map(({ length }) => length)).toEqual([
          ...Array<number>(Math.ceil(count / limit) - 1).fill(limit),
          count % limit || limit,
        ]);
      }
    }
    const calls = recordCalls(made.gateway.operatorClient);
    const cost = recordReadUnits(made.gateway.operatorClient);
    await made.page({ state: 'active' });
    const commands = ['BatchGetItem', 'GetItem', 'Query'];
    expect([calls.commands.toSorted(), calls.roundTrips]).toEqual([commands, 2]);
    // Project, a query and five keys.
    expect(cost.units).toBe(7);
  });

  test('more than one batch holds come in two round trips, too', async () => {
    const { gateway, make, page } = await project();
    for (let i = 0; i < 12; i++) await Promise.all(Array.from({ length: 10 }, (_, j) => make(`${i} ${j}`)));
    const record = recordCalls(gateway.operatorClient);
    expect((await page({ state: 'active', limit: 200 })).keys).toHaveLength(120);
    expect(record.roundTrips).toBe(2);
  });

  test('that have ended are listed for 90 days, and then are there no more, though the table has them', async () => {
    const made = await project();
    const { gateway, store, projectId, make, revoke, names } = made;
    const live = await make('live');
    const { keyId: expired, key } = await make('expires', DAY_MS);
    const revoked = await revoke('revoked');
    await gateway.ping(live.key);
    gateway.clock.nowMs = NOW_MS + 90 * DAY_MS - 1;
    expect(await statesIn(made)).toEqual(['expires expired', 'live active', 'revoked revoked']);
    expect(await readKey(store, projectId, revoked)).toMatchObject({ ttl: NOW_MS / 1_000 + 90 * 86_400 });
    gateway.clock.nowMs += 1;
    expect(await statesIn(made)).toEqual(['expires expired', 'live active']);
    for (const change of [
      () => readKey(store, projectId, revoked),
      () => revokeKey(store, projectId, revoked),
      () => updateKey(store, projectId, revoked, { name: 'New' }),
    ]) {
      await expect(change()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    // Its refusal gives the reason while the table has the key, and later the same as for any unknown key.
    gateway.clock.nowMs = NOW_MS + 91 * DAY_MS;
    expect((await gateway.ping(key)).body.code).toBe('API_KEY_EXPIRED');
    const items = await itemsOf(gateway, `PROJECT#${projectId}`);
    const { keyHash } = items.find(({ keyId }) => keyId === expired) as { keyHash: string };
    await deleteItem(store, { pk: `KEY#${keyHash}`, sk: 'KEY' });
    expect((await gateway.ping(key)).body.code).toBe('INVALID_API_KEY');
    expect(await names()).toEqual(['live']);
    expect((await gateway.ping(live.key)).status).toBe(200);
  });

  test('go by another time when they get another end', async () => {
    const { gateway, store, projectId, make, page } = await project();
    const { keyId } = await make('key', 10 * DAY_MS);
    const ttl = async () => (await readKey(store, projectId, keyId)).ttl;
    const days = (count: number): number => NOW_MS / 1_000 + count * 86_400;
    expect(await ttl()).toBe(days(100));
    await expireKey(gateway.store, projectId, keyId, { inMs: 20 * DAY_MS }, true);
    expect(await ttl()).toBe(days(110));
    await expireKey(gateway.store, projectId, keyId, { inMs: DAY_MS });
    expect(await ttl()).toBe(days(91));
    await revokeKey(store, projectId, keyId);
    expect(await ttl()).toBe(days(90));
    expect((await page()).keys).toHaveLength(1);
    // If a key expired before it was revoked, it ended at its expiry.
    const { keyId: late } = await make('late', 1_000);
    gateway.clock.nowMs += DAY_MS;
    await revokeKey(store, projectId, late);
    expect((await readKey(store, projectId, late)).ttl).toBe(Math.ceil((NOW_MS + 1_000 + 90 * DAY_MS) / 1_000));
  });

  test('are shown as they are, also where a clock is behind', async () => {
    const { accountId, store, projectId, revoke, names } = await project();
    await revoke('revoked');
    const behind: AccountStore = { ...store, clock: { now: () => NOW_MS - 2_000 } };
    const { keys } = await readKeyPage(behind, accountId, projectId, { ...LATER, state: 'active' });
    expect(keys).toEqual([]);
    expect(await names({ state: 'ended' })).toEqual(['revoked']);
  });

  test('go on from where a page ended, also when what it ended with has ended since', async () => {
    const made = await project();
    const { gateway, make, page } = made;
    await make('in three days', 3 * DAY_MS);
    await make('in two days', 2 * DAY_MS);
    await make('in a day', DAY_MS);
    const { next } = await page({ state: 'active', limit: 1 });
    gateway.clock.nowMs += 4 * DAY_MS;
    expect(await page({ state: 'active', limit: 1, before: next })).toEqual({ keys: [], next: undefined });
  });
});
