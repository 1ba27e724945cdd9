import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { accountItemKey } from '../../functions/accounts/account-items.ts';
import { createKey, expireKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import type { AccountStore } from '../../functions/accounts/account-store.ts';
import { completeKeyList } from '../../functions/accounts/keys/key-list-completion.ts';
import { listKeys, readKeyPage, type KeyPageQuery, type KeyState } from '../../functions/accounts/keys/key-pages.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { keyView } from '../../functions/accounts/keys/stored-keys.ts';
import { createProject } from '../../functions/accounts/projects/projects.ts';
import { readKey } from '../../functions/accounts/keys/stored-keys.ts';
import { itemsFrom } from '../../functions/shared/store/items.ts';
import { recordCalls } from '../support/database.ts';
import { asFromBefore } from '../support/earlier-keys.ts';
import { testGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import { itemsOf, ownAccount } from '../support/people.ts';
import { recordReadUnits } from '../support/read-units.ts';
import { DAY_MS, NOW_MS } from '../support/times.ts';

const KEY = { mode: 'test', scopes: new Set(['sandbox:invoke']), rpm: 60 } as const;
const LATER: KeyPageQuery = { limit: 50 };

/** A project of a person, with functions for its keys by name. */
async function project(gateway = testGateway()) {
  const { accountId, store } = await ownAccount(gateway, { limits: { activeKeysPerProject: 200 } });
  const projectId = await createProject(store, { accountId, name: 'P', quotaLimit: 100 });
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
    for (let i = 0; i < 30; i++) await made.revoke(`ended ${i}`);
    for (const [state, count] of [['active', 5] as const, ['ended', 30] as const, [undefined, 35] as const]) {
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
    const commands = ['BatchGetItem', 'GetItem', 'GetItem', 'Query'];
    expect([calls.commands.toSorted(), calls.roundTrips]).toEqual([commands, 2]);
    // Project, list of active keys, a query and five keys.
    expect(cost.units).toBe(8);
  });

  test('more than one batch holds come in two round trips, too', async () => {
    const { gateway, make, page } = await project();
    for (let i = 0; i < 12; i++) await Promise.all(Array.from({ length: 10 }, (_, j) => make(`${i} ${j}`)));
    const { roundTrips } = await (async () => {
      const record = recordCalls(gateway.operatorClient);
      expect((await page({ state: 'active', limit: 200 })).keys).toHaveLength(120);
      return record;
    })();
    expect(roundTrips).toBe(2);
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
    const Key = { pk: `KEY#${keyHash}`, sk: 'KEY' };
    await store.client.send(new DeleteCommand({ TableName: store.tables.gateway, Key }));
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

  test('are shown to the people of their account alone, who read nothing of others', async () => {
    const { gateway, projectId, revoke } = await project();
    for (let i = 0; i < 20; i++) await revoke('ended');
    const other = await project(gateway);
    const { units } = await (async () => {
      const record = recordReadUnits(gateway.operatorClient);
      const asked = readKeyPage(other.store, other.accountId, projectId, { limit: 200 });
      await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
      return record;
    })();
    expect(units).toBeLessThanOrEqual(3);
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

describe('keys from before they were listed', () => {
  async function earlier() {
    const made = await project();
    const { gateway, accountId, store, projectId, make, revoke } = made;
    const { keyId } = await make('in its grace');
    await rotateKey(store, projectId, keyId, DAY_MS);
    await make('expires', DAY_MS);
    for (let i = 0; i < 5; i++) await make(`active ${i}`);
    for (let i = 0; i < 5; i++) await revoke(`ended ${i}`);
    const states = await statesIn(made);
    await asFromBefore(gateway, { accountId, projectId });
    return { ...made, states };
  }
  const listingsOf = async ({ gateway, accountId, projectId }: Project) =>
    Array.fromAsync(itemsFrom(gateway.store, accountItemKey.keyListing(accountId, projectId, '')));

  test('are all there, each once in the pages of its state', async () => {
    const made = await earlier();
    expect(await statesIn(made)).toEqual(made.states);
    for (const [state, count] of [['active', 8] as const, ['ended', 5] as const]) {
      for (const limit of [1, 3, 50]) {
        const pages = await pagesOf(made, state, limit);
        expect(pages.flat()).toHaveLength(count);
        // A page reads no more than it may show.
        expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit);
      }
    }
    const { keys } = await made.page({ state: 'active', limit: 3 });
    expect(keys.every(({ status }) => status === 'active')).toBe(true);
  });

  test('are listed once to the platform team, and expire as others do', async () => {
    const made = await earlier();
    const { gateway, store, projectId } = made;
    expect(await completeKeyList(gateway.store, projectId)).toBe(13);
    expect(await listingsOf(made)).toHaveLength(13);
    expect(await statesIn(made)).toEqual(made.states);
    const calls = recordCalls(gateway.operatorClient);
    expect((await made.page({ state: 'ended' })).keys).toHaveLength(5);
    expect(calls.roundTrips).toBe(2);
    const [ended] = (await made.page({ state: 'ended' })).keys;
    expect(await readKey(store, projectId, ended?.keyId ?? '')).toMatchObject({ ttl: NOW_MS / 1_000 + 90 * 86_400 });
    expect(await completeKeyList(gateway.store, projectId)).toBe(0);
  });

  test('that a version from before makes and ends after that are shown all the same, and are put right', async () => {
    const made = await project();
    const { gateway, accountId, store, projectId, make, names } = made;
    await make('listed');
    const { keyId } = await make('made');
    await asFromBefore(gateway, { accountId, projectId, keyIds: [keyId] });
    expect((await names({ state: 'active' })).toSorted()).toEqual(['listed', 'made']);
    expect((await names()).toSorted()).toEqual(['listed', 'made']);
    expect(await completeKeyList(gateway.store, projectId)).toBe(1);
    // The earlier version revokes the key and leaves its entry in the list.
    const [stale] = (await listingsOf(made)).filter(({ sk }) => String(sk).endsWith(keyId));
    await revokeKey(store, projectId, keyId);
    await asFromBefore(gateway, { accountId, projectId, keyIds: [keyId] });
    await store.client.send(new PutCommand({ TableName: store.tables.gateway, Item: stale }));
    expect(await names({ state: 'active' })).toEqual(['listed']);
    expect(await completeKeyList(gateway.store, projectId)).toBe(1);
    expect(await names({ state: 'ended' })).toEqual(['made']);
    expect(await listingsOf(made)).toHaveLength(2);
  });

  test('are listed right whatever becomes of them meanwhile', async () => {
    const made = await earlier();
    const { gateway, store, projectId, page, revoke } = made;
    const [one, other, third] = (await page({ state: 'active' })).keys.filter(({ name }) => name?.startsWith('active'));
    if (!one || !other || !third) throw new Error('there are five');
    for (const [command, meanwhile] of [
      ['QueryCommand', () => revokeKey(store, projectId, one.keyId)],
      ['BatchGetItemCommand', () => rotateKey(store, projectId, other.keyId, DAY_MS)],
      ['TransactWriteItemsCommand', () => revokeKey(store, projectId, third.keyId)],
      ['UpdateItemCommand', () => revoke('new')],
    ] as const) {
      await asFromBefore(gateway, { accountId: made.accountId, projectId });
      before(gateway, command, meanwhile);
      await completeKeyList(gateway.store, projectId);
      expect(await completeKeyList(gateway.store, projectId)).toBe(0);
    }
    expect((await made.page({ state: 'ended' })).keys).toHaveLength(8);
    expect(await listingsOf(made)).toHaveLength(15);
  });

  test('that the table has deleted leave nothing in the list', async () => {
    const made = await project();
    const { gateway, projectId, accountId, revoke, names } = made;
    const keyId = await revoke('ended');
    const items = await itemsOf(gateway, `PROJECT#${projectId}`);
    const { keyHash } = items.find((item) => item.keyId === keyId) as { keyHash: string };
    for (const Key of [
      { pk: `KEY#${keyHash}`, sk: 'KEY' },
      { pk: `PROJECT#${projectId}`, sk: `KEYREF#${keyId}` },
    ]) {
      await gateway.store.client.send(new DeleteCommand({ TableName: gateway.store.tables.gateway, Key }));
    }
    expect(await names()).toEqual([]);
    expect(await completeKeyList(gateway.store, projectId)).toBe(1);
    expect(await itemsOf(gateway, accountItemKey.keyListing(accountId, projectId, '').pk)).not.toContainEqual(
      expect.objectContaining({ keyHash }),
    );
  });
});

test('another secret of a key is listed in place of the unseen one', async () => {
  const { store, projectId, page, gateway } = await project();
  const ask = () => createKey(store, { projectId, ...KEY, name: 'asked twice' }, 'the-same-click');
  await ask();
  const { keyId, key } = await ask();
  const { keys } = await page();
  expect(keys.map((listed) => [listed.keyId, listed.lastFour])).toEqual([[keyId, key.slice(-4)]]);
  expect(await completeKeyList(gateway.store, projectId)).toBe(0);
});
