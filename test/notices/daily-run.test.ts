import { describe, expect, test } from '@jest/globals';
import { createAccount } from '../../functions/accounts/team/accounts.ts';
import { createKey, revokeKey } from '../../functions/accounts/keys/api-keys.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { createProject } from '../../functions/accounts/projects/projects.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import type { AccountsMessage } from '../../functions/notices/message.ts';
import { noticesHandler } from '../../functions/notices/dispatch.ts';
import { booksByHand } from '../support/books-by-hand.ts';
import { putItem } from '../support/database.ts';
import { KEY } from '../support/gateway.ts';
import { markersOf, onOwnTables, testNotices } from '../support/notices.ts';
import { itemsOf } from '../support/people.ts';
import { recordReadUnits } from '../support/read-units.ts';
import { DAY_MS, NOW_MS } from '../support/times.ts';

const HOUR_MS = DAY_MS / 24;
const iso = (epochMs: number) => new Date(epochMs).toISOString();

const gateway = onOwnTables();

async function project() {
  const accountId = await createAccount(gateway.store, { name: 'Test', email: null });
  const projectId = await createProject(gateway.store, { accountId, name: 'P', quotaLimit: 100 });
  const key = (lifetimeMs?: number, unitsLimit?: number) =>
    createKey(gateway.store, {
      projectId,
      ...KEY,
      ...(unitsLimit !== undefined && { unitsLimit }),
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
    const notices = testNotices(gateway);
    const told = async () =>
      (await Promise.all(made.map(({ markers }) => markers()))).filter((of) => of.length > 0).length;
    await noticesHandler(notices.dependencies)({ source: 'schedule' }, () => Infinity);
    expect(notices.runs.map(({ accountIds }) => accountIds.length)).toEqual([25, 25, 10]);
    const [first, second, third] = notices.runs.splice(0) as [AccountsMessage, AccountsMessage, AccountsMessage];
    await notices.giveRun(third);
    expect(await told()).toBe(10);
    // One at least, or it would never come further.
    await notices.giveRun(first, () => 0);
    expect(await told()).toBe(11);
    expect(notices.runs).toMatchObject([{ hops: 1, part: 0 }]);
    await notices.giveRun(second);
    for (let next = notices.runs.shift(); next; next = notices.runs.shift()) await notices.giveRun(next);
    expect(await told()).toBe(60);
    expect(notices.warnings).toEqual([]);
  });

  test('is complete when each of its parts has ended, which a metric says once', async () => {
    for (let n = 0; n < 30; n++) await createAccount(gateway.store, { name: 'Test', email: null });
    const notices = testNotices(gateway);
    const hour = () => noticesHandler(notices.dependencies)({ source: 'schedule' }, () => Infinity);
    const isComplete = () => notices.metrics.includes('NoticeDaysComplete');
    await hour();
    const [first, second] = notices.runs.splice(0) as [AccountsMessage, AccountsMessage];
    await notices.giveRun(first);
    await notices.giveRun(first);
    await hour();
    expect(isComplete()).toBe(false);
    await notices.giveRun(second);
    // It ended after the day's last hour.
    gateway.clock.nowMs += DAY_MS;
    await hour();
    expect(isComplete()).toBe(true);
    notices.metrics.length = 0;
    for (const part of notices.runs.splice(0)) await notices.giveRun(part);
    await hour();
    await hour();
    expect(notices.metrics).toEqual(['NoticeDaysComplete']);
  });

  test('takes some ten read units and calls for an account: docs/cost-and-limits.md multiplies them', async () => {
    const ACCOUNTS = 30;
    for (let n = 0; n < ACCOUNTS; n++) {
      const { projectId, key } = await project();
      const { keyId } = await key(30 * DAY_MS, 100);
      await key();
      await putItem(gateway.store, { ...itemKey.capUnits(projectId, '2030-01', keyId), units: 10 });
      await booksCounter(projectId, 10);
    }
    const notices = testNotices(gateway);
    const read = recordReadUnits(notices.client);
    await notices.hour();
    expect(read.units / ACCOUNTS).toBeLessThan(11);
    expect(read.calls.length / ACCOUNTS).toBeLessThan(11);
  });

  test('of an account with many used and revoked caps delays no other, and reads them in batches', async () => {
    const big = await project();
    const others = [await project(), await project()];
    const { accountId, projectId } = big;
    const caps = Array.from({ length: 210 }, (_, n) => `key_${String(n).padStart(16, '0')}`);
    for (const keyId of caps) {
      await putItem(gateway.store, { ...itemKey.keyReference(projectId, keyId), keyHash: `hash ${keyId}` });
      await putItem(gateway.store, {
        ...itemKey.apiKey(`hash ${keyId}`),
        keyId,
        projectId,
        capId: keyId,
        unitsLimit: 1,
        status: 'revoked',
        createdAt: iso(NOW_MS),
        revokedAt: iso(NOW_MS),
      });
      await putItem(gateway.store, { ...itemKey.capUnits(projectId, '2030-01', keyId), units: 1 });
    }
    for (const other of others) await booksCounter(other.projectId, 100);
    const notices = testNotices(gateway);
    let calls = 0;
    notices.client.middlewareStack.add((next) => (args) => (calls++, next(args)), {
      step: 'initialize',
      name: 'count',
    });
    await noticesHandler(notices.dependencies)({ source: 'schedule' }, () => Infinity);
    const [part] = notices.runs.splice(0) as [AccountsMessage];
    const ordered = { ...part, accountIds: [accountId, ...others.map((other) => other.accountId)] };
    // Its turn ends after the first hundred; the others come first then.
    let asked = 0;
    await notices.giveRun(ordered, () => (++asked < 1 ? Infinity : 0));
    expect(notices.runs).toMatchObject([{ accountIds: [...ordered.accountIds.slice(1), accountId] }]);
    expect(notices.runs[0]?.checkpoints).toEqual([{ accountId, projectId, capId: caps[99] }]);
    const [again] = notices.runs.splice(0) as [AccountsMessage];
    await notices.giveRun(again);
    for (const other of others) expect(await other.markers()).toHaveLength(2);
    // Four reads for a hundred of them, and some for each account.
    expect(calls).toBeLessThan(50);
  });

  test('keeps the checkpoint of each of two large accounts in one message, so that both end', async () => {
    const large = [await project(), await project()];
    for (const { projectId } of large) {
      for (let n = 0; n < 150; n++) {
        const Item = { ...itemKey.capUnits(projectId, '2030-01', `key_${String(n).padStart(16, '0')}`), units: 1 };
        await putItem(gateway.store, Item);
      }
    }
    const notices = testNotices(gateway);
    // A turn of 20 seconds ends with each hundred caps.
    notices.client.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          if (commandName === 'BatchGetItemCommand') gateway.clock.nowMs += 10_000;
          return next(args);
        },
      { step: 'initialize', name: 'slow' },
    );
    await noticesHandler(notices.dependencies)({ source: 'schedule' }, () => Infinity);
    let given = 0;
    for (let next = notices.runs.shift(); next && given < 30; next = notices.runs.shift()) {
      given++;
      await notices.giveRun(next);
    }
    expect(notices.runs).toEqual([]);
    expect(given).toBeLessThan(10);
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

const booksCounter = (projectId: string, units: unknown) => booksByHand(gateway.store, projectId).putCounter(units);
