import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createAccount } from '../../functions/accounts/accounts.ts';
import { createKey, revokeKey } from '../../functions/accounts/api-keys.ts';
import { rotateKey } from '../../functions/accounts/key-rotation.ts';
import { createProject } from '../../functions/accounts/projects.ts';
import { SANDBOX_SCOPE } from '../../functions/core/api-key.ts';
import { itemKey } from '../../functions/store/items.ts';
import { noticesHandler } from '../../functions/notices/dispatch.ts';
import { ownTables } from '../support/books-by-hand.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { markersOf, testNotices } from '../support/notices.ts';
import { itemsOf } from '../support/people.ts';
import { DAY_MS, NOW_MS } from '../support/times.ts';

const HOUR_MS = DAY_MS / 24;
const KEY = { mode: 'test', scopes: new Set([SANDBOX_SCOPE]), rpm: 60 } as const;
const iso = (epochMs: number) => new Date(epochMs).toISOString();

let gateway: Pick<TestGateway, 'store' | 'clock'>;
let close: () => void;
beforeEach(async () => {
  // The run looks at every account of the table.
  const { client, store } = await ownTables();
  const { clock } = testGateway();
  gateway = { clock, store: { ...store, clock } };
  close = () => client.destroy();
});
afterEach(() => {
  close();
});

async function project() {
  const accountId = await createAccount(gateway.store, { name: 'Test', email: null });
  const projectId = await createProject(gateway.store, { accountId, name: 'P', quotaLimit: 100 });
  const key = (lifetimeMs?: number) =>
    createKey(gateway.store, {
      projectId,
      ...KEY,
      ...(lifetimeMs !== undefined && { expiresAtMs: gateway.clock.nowMs + lifetimeMs, lifetimeMs }),
    });
  return { accountId, projectId, key, markers: () => markersOf(gateway, accountId) };
}
const mark = (keyId: string, expiresAtMs: number, days: number) => `MARK#EXPIRY#${keyId}#${iso(expiresAtMs)}#${days}`;

describe('a key that will expire', () => {
  test('is told of 7 days before and 1 day before, once each', async () => {
    const { key, markers } = await project();
    const { keyId } = await key(30 * DAY_MS);
    const end = NOW_MS + 30 * DAY_MS;
    const seen: number[] = [];
    for (let day = 0; day < 31; day++) {
      await testNotices(gateway).hour();
      seen.push((await markers()).length);
      gateway.clock.nowMs += DAY_MS;
    }
    expect(seen).toEqual([...Array<number>(23).fill(0), ...Array<number>(6).fill(1), 2, 2]);
    expect(await markers()).toEqual([mark(keyId, end, 1), mark(keyId, end, 7)]);
  });

  test('and was made for no longer is told of where its life is longer than that: 3 days only on the last', async () => {
    const { key, markers } = await project();
    const { keyId } = await key(3 * DAY_MS);
    await key(DAY_MS);
    await testNotices(gateway).hour();
    expect(await markers()).toEqual([]);
    gateway.clock.nowMs += 2 * DAY_MS;
    await testNotices(gateway).hour();
    expect(await markers()).toEqual([mark(keyId, NOW_MS + 3 * DAY_MS, 1)]);
  });

  test('was revoked, replaced or never ends is not told of', async () => {
    const { key, projectId, markers } = await project();
    const { keyId } = await key(30 * DAY_MS);
    const replaced = await key(30 * DAY_MS);
    await key();
    gateway.clock.nowMs += 25 * DAY_MS;
    await revokeKey(gateway.store, projectId, keyId);
    await rotateKey(gateway.store, projectId, replaced.keyId, DAY_MS);
    await testNotices(gateway).hour();
    expect(await markers()).toEqual([]);
  });

  test('of which both days are reached at one look is told of once', async () => {
    const { key, accountId } = await project();
    await key(30 * DAY_MS);
    gateway.clock.nowMs += 29.5 * DAY_MS;
    await testNotices(gateway).hour();
    const [one, seven] = await itemsOf(gateway, `NOTICES#${accountId}`);
    expect([one?.superseded, seven?.superseded]).toEqual([undefined, true]);
  });
});

describe('the daily run', () => {
  test('tells a day late of thresholds that the stream lost', async () => {
    const { projectId, markers } = await project();
    await booksCounter(projectId, 85);
    await testNotices(gateway).hour();
    expect(await markers()).toEqual([`MARK#QUOTA#2030-01#${projectId}#80#100`]);
  });

  test('is done once a UTC day, by the first hour that can', async () => {
    const { projectId, markers } = await project();
    await testNotices(gateway).hour();
    await booksCounter(projectId, 100);
    for (let hour = 0; hour < 13; hour++) {
      gateway.clock.nowMs += HOUR_MS;
      await testNotices(gateway).hour();
    }
    expect(await markers()).toEqual([]);
    gateway.clock.nowMs += HOUR_MS;
    await testNotices(gateway).hour();
    expect(await markers()).toHaveLength(2);
  });

  test('that has no time left continues in the next hour where it was', async () => {
    const made = await Promise.all(Array.from({ length: 60 }, project));
    for (const { projectId } of made) await booksCounter(projectId, 100);
    const { dependencies } = testNotices(gateway);
    const told = async () =>
      (await Promise.all(made.map(({ markers }) => markers()))).filter((of) => of.length > 0).length;
    const run = (timeLeft: () => number) => noticesHandler(dependencies)({ source: 'schedule' }, timeLeft);
    let asked = 0;
    await run(() => (asked++ < 30 ? Infinity : 0));
    expect(await told()).toBe(31);
    // One at least, or it would never come further.
    await run(() => 0);
    expect(await told()).toBe(32);
    await run(() => Infinity);
    expect(await told()).toBe(60);
  });

  test('continues with the others where one account cannot be read, and reports it to the platform team', async () => {
    const made = [await project(), await project()];
    for (const { projectId } of made) await booksCounter(projectId, 100);
    const notices = testNotices(gateway);
    const [broken] = made.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1));
    notices.client.middlewareStack.add(
      (next) => (args) =>
        JSON.stringify(args.input).includes(`PROJECT#${broken?.projectId}`)
          ? Promise.reject(new TypeError('of this account only'))
          : next(args),
      { step: 'initialize', name: 'broken' },
    );
    await notices.hour();
    expect((await Promise.all(made.map(({ markers }) => markers()))).map(({ length }) => length).sort()).toEqual([
      0, 2,
    ]);
    // Its counter cannot be read, and its caps cannot be listed.
    expect(notices.warnings.every((warning) => warning.endsWith('cannot be read and is left out'))).toBe(true);
    expect(new Set(notices.metrics)).toEqual(new Set(['NoticeRecordsUnreadable']));
  });

  test('looks at all else of an account where one counter is no number any more', async () => {
    const { accountId, projectId, key, markers } = await project();
    const { keyId } = await key(8 * DAY_MS);
    const other = await createProject(gateway.store, { accountId, name: 'Q', quotaLimit: 100 });
    await booksCounter(projectId, 'many');
    await booksCounter(other, 80);
    gateway.clock.nowMs += 2 * DAY_MS;
    const notices = testNotices(gateway);
    await notices.hour();
    expect(await markers()).toEqual([mark(keyId, NOW_MS + 8 * DAY_MS, 7), `MARK#QUOTA#2030-01#${other}#80#100`]);
    expect([notices.warnings, notices.metrics]).toEqual([
      ['a counter cannot be read and is left out'],
      ['NoticeRecordsUnreadable'],
    ]);
  });
});

const booksCounter = (projectId: string, units: unknown) =>
  gateway.store.client.send(
    new PutCommand({
      TableName: gateway.store.tables.gateway,
      Item: { ...itemKey.quota(projectId, '2030-01'), units },
    }),
  );
