import { describe, expect, test } from '@jest/globals';
import { createAccount } from '../../functions/accounts/team/accounts.ts';
import { updateThresholds } from '../../functions/accounts/team/notice-thresholds.ts';
import { createKey, expireKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { closeProject, createProject } from '../../functions/accounts/projects/projects.ts';
import { createToken } from '../../functions/accounts/tokens/tokens.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { noticesHandler } from '../../functions/notices/dispatch.ts';
import { booksByHand } from '../support/books-by-hand.ts';
import { deleteItem, putItem, recordCalls } from '../support/database.ts';
import { KEY } from '../support/gateway.ts';
import { endsOn, markersOf, onOwnTables, testNotices } from '../support/notices.ts';
import { before } from '../support/overtaking.ts';
import { itemsOf } from '../support/people.ts';
import { recordReadUnits } from '../support/read-units.ts';
import { DAY_MS, HOUR_MS, NOW_MS } from '../support/times.ts';

const iso = (epochMs: number) => new Date(epochMs).toISOString();
const dayOf = (epochMs: number) => iso(epochMs).slice(0, 10);
const SHARDS = 16;

const gateway = onOwnTables();

/** By default no list names the account, so that nothing is found by a walk over all. */
async function project(isListed = false) {
  const accountId = await createAccount(gateway.store, { name: 'Test', email: null });
  if (!isListed) await deleteItem(gateway.store, itemKey.accountListing(accountId));
  const projectId = await createProject(gateway.store, { accountId, name: 'P', quotaLimit: 100 });
  const key = (lifetimeMs?: number) => createKey(gateway.store, { projectId, ...KEY, lifetimeMs });
  return { accountId, projectId, key, markers: () => markersOf(gateway, accountId) };
}
const mark = (keyId: string, expiresAtMs: number, days: number) => `MARK#EXPIRY#${keyId}#${iso(expiresAtMs)}#${days}`;
const nextDay = async (notices = testNotices(gateway)) => {
  gateway.clock.nowMs += DAY_MS;
  await notices.hour();
};
const expiring = (atMs: number) => endsOn(gateway, atMs);
/** Only hands out, and returns what was handed out. */
const handedOut = async (notices = testNotices(gateway)) => {
  await noticesHandler(notices.dependencies)({ source: 'schedule' }, () => Infinity);
  return notices.runs.splice(0);
};

describe('a key that will expire', () => {
  test('is told of on the days 7 before and 1 before its end, once each', async () => {
    const { key, markers } = await project();
    const { keyId } = await key(30 * DAY_MS);
    const end = NOW_MS + 30 * DAY_MS;
    const seen: number[] = [];
    for (const day of [22, 23, 24, 28, 29, 30]) {
      gateway.clock.nowMs = NOW_MS + day * DAY_MS - HOUR_MS;
      await testNotices(gateway).hour();
      await testNotices(gateway).hour();
      seen.push((await markers()).length);
    }
    expect(seen).toEqual([0, 1, 1, 1, 2, 2]);
    expect(await markers()).toEqual([mark(keyId, end, 1), mark(keyId, end, 7)]);
  });

  test('and was made for no longer is told of where its life is longer than that: 3 days only on the last', async () => {
    const { key, markers } = await project();
    const { keyId } = await key(3 * DAY_MS);
    await key(DAY_MS);
    await testNotices(gateway).hour();
    expect(await markers()).toEqual([]);
    await nextDay();
    expect(await markers()).toEqual([]);
    await nextDay();
    expect(await markers()).toEqual([mark(keyId, NOW_MS + 3 * DAY_MS, 1)]);
  });

  test('and was made or changed after the run of the day is told of by the next', async () => {
    const { key, projectId, markers } = await project();
    const changed = await key(30 * DAY_MS);
    gateway.clock.nowMs += 9 * DAY_MS;
    await testNotices(gateway).hour();
    gateway.clock.nowMs += HOUR_MS;
    const [made, end] = [await key(1.5 * DAY_MS), gateway.clock.nowMs + 1.25 * DAY_MS];
    await updateKey(gateway.store, projectId, changed.keyId, { expiresAtMs: end });
    await nextDay();
    expect((await markers()).sort()).toEqual(
      [mark(made.keyId, NOW_MS + 10.5 * DAY_MS + HOUR_MS, 1), mark(changed.keyId, end, 1)].sort(),
    );
  });

  test.each<[string, (of: Awaited<ReturnType<typeof project>>, keyId: string) => Promise<unknown>]>([
    ['was revoked', ({ projectId }, keyId) => revokeKey(gateway.store, projectId, keyId)],
    ['was replaced', ({ projectId }, keyId) => rotateKey(gateway.store, projectId, keyId, 30 * DAY_MS)],
    [
      'has another end since',
      ({ projectId }, keyId) => updateKey(gateway.store, projectId, keyId, { expiresAtMs: NOW_MS + 60 * DAY_MS }),
    ],
    ['never ends now', ({ projectId }, keyId) => updateKey(gateway.store, projectId, keyId, { expiresAtMs: 'never' })],
    ['is of a closed project', ({ projectId }) => closeProject(gateway.store, projectId)],
  ])('and %s is not told of, although its item stays', async (_what, change) => {
    const made = await project();
    const { keyId } = await made.key(30 * DAY_MS);
    gateway.clock.nowMs += 20 * DAY_MS;
    await testNotices(gateway).hour();
    await change(made, keyId);
    expect(await expiring(NOW_MS + 30 * DAY_MS)).toHaveLength(1);
    const notices = testNotices(gateway);
    for (const day of [22, 28]) {
      gateway.clock.nowMs = NOW_MS + day * DAY_MS;
      await nextDay(notices);
    }
    expect([await made.markers(), notices.warnings]).toEqual([[], []]);
  });

  test('and has replaced another is told of by its own end', async () => {
    const { key, projectId, markers } = await project();
    const { keyId } = await key(30 * DAY_MS);
    gateway.clock.nowMs += 20 * DAY_MS;
    const successor = await rotateKey(gateway.store, projectId, keyId, DAY_MS);
    gateway.clock.nowMs += 22 * DAY_MS;
    await nextDay();
    expect(await markers()).toEqual([mark(successor.keyId, NOW_MS + 50 * DAY_MS, 7)]);
  });

  test('and whose successor was revoked is told of again', async () => {
    const { key, projectId, markers } = await project();
    const { keyId } = await key();
    gateway.clock.nowMs += 30 * DAY_MS;
    await testNotices(gateway).hour();
    await testNotices(gateway).hour();
    const successor = await rotateKey(gateway.store, projectId, keyId, 5 * DAY_MS);
    const end = gateway.clock.nowMs + 5 * DAY_MS;
    expect(await expiring(end)).toEqual([]);
    await revokeKey(gateway.store, projectId, successor.keyId);
    gateway.clock.nowMs += 3 * DAY_MS;
    await nextDay();
    expect(await markers()).toEqual([mark(keyId, end, 1)]);
    // The platform team moves its end, and so the day.
    await expireKey(gateway.store, projectId, keyId, { atMs: end + 2 * DAY_MS }, true);
    await nextDay();
    await nextDay();
    expect(await markers()).toEqual([mark(keyId, end, 1), mark(keyId, end + 2 * DAY_MS, 1)]);
  });

  test('of which both days are reached at one look is told of once', async () => {
    const { key, accountId } = await project();
    await updateThresholds(gateway.store, accountId, { days: [2, 3] });
    await key(30 * DAY_MS);
    gateway.clock.nowMs += 28 * DAY_MS;
    await testNotices(gateway).hour();
    const [two, three] = await itemsOf(gateway, `NOTICES#${accountId}`);
    expect([two?.superseded, three?.superseded]).toEqual([undefined, true]);
  });
});

describe('the daily run', () => {
  test('reads what ends, and not what exists: as many calls and messages for 40 accounts as for none', async () => {
    const endless = async () => {
      const { projectId, key } = await project(true);
      const { keyId } = await key();
      await key(200 * DAY_MS);
      await putItem(gateway.store, { ...itemKey.capUnits(projectId, '2030-01', keyId), units: 10 });
      await booksByHand(gateway.store, projectId).putCounter(10);
    };
    // The items of what older versions made are written before, once a day, until the next release.
    const measured = async () => {
      await putItem(gateway.store, { pk: 'NOTICES', sk: 'BACKFILL', doneOn: dayOf(gateway.clock.nowMs) });
      const notices = testNotices(gateway);
      const read = recordReadUnits(notices.client);
      await noticesHandler(notices.dependencies)({ source: 'schedule' }, () => Infinity);
      const messages = notices.runs.length;
      for (const part of notices.runs.splice(0)) await notices.giveRun(part);
      return { calls: read.calls.length, units: read.units, messages };
    };
    await testNotices(gateway).hour();
    gateway.clock.nowMs += DAY_MS;
    const none = await measured();
    for (let n = 0; n < 40; n++) await endless();
    gateway.clock.nowMs += DAY_MS;
    const { units, ...of } = await measured();
    expect({ ...of, units: none.units }).toEqual(none);
    // It reads one day more of its own progress.
    expect(units - none.units).toBeLessThan(2);
    // Two thresholds and the charges, each with the day before: docs/cost-and-limits.md.
    expect(none.messages).toBe(6 * SHARDS);
    expect(none.calls).toBeLessThan(3 * none.messages);
  });

  test('looks at the day before again, and hands out on the next day what was missed', async () => {
    const { key, markers, accountId } = await project();
    const { keyId } = await key(10 * DAY_MS);
    const ends = async () =>
      [...new Set((await handedOut()).flatMap((part) => (part.kind === 'accounts' ? part.ends : [])))].sort();
    const daysAhead = (...days: number[]) => days.map((days) => dayOf(gateway.clock.nowMs + days * DAY_MS)).sort();
    // The day before was complete.
    await nextDay();
    gateway.clock.nowMs += DAY_MS;
    expect(await ends()).toEqual(daysAhead(0, 1, 6, 7));
    // What was handed out has not ended, and the day after nothing came at all.
    gateway.clock.nowMs += 2 * DAY_MS;
    expect(await ends()).toEqual(daysAhead(0, 1, 4, 5, 6, 7));
    gateway.clock.nowMs += HOUR_MS;
    expect(await ends()).toEqual([]);
    await nextDay();
    expect(await markers()).toEqual([mark(keyId, NOW_MS + 10 * DAY_MS, 7)]);
    // Days that an account has chosen are days of the run, also those that are none.
    await updateThresholds(gateway.store, accountId, { days: [20] });
    gateway.clock.nowMs += DAY_MS;
    expect(await ends()).toEqual(daysAhead(0, 1, 6, 7, 19, 20));
  });

  test('by two at once tells once, and by one that ends before it was noted, all of it', async () => {
    const { key, markers } = await project();
    const { keyId } = await key(8 * DAY_MS);
    gateway.clock.nowMs += DAY_MS;
    // The second runs when the first has found that nothing is handed out.
    const first = testNotices(gateway);
    const { daily } = first.dependencies.queues;
    const send = daily.send.bind(daily);
    let second: ReturnType<typeof handedOut> | undefined;
    Object.assign(daily, {
      send: async (...messages: Parameters<typeof send>) => {
        await (second ??= handedOut());
        return send(...messages);
      },
    });
    const both = [await handedOut(first), (await second) ?? []];
    expect(both.map((parts) => parts.length)).toEqual([9 * SHARDS, 9 * SHARDS]);
    await deleteItem(gateway.store, { pk: 'NOTICES', sk: `EXPIRING#${dayOf(gateway.clock.nowMs)}` });
    const third = testNotices(gateway);
    third.runs.push(...both.flat());
    await third.hour();
    expect(third.metrics).toEqual([]);
    await third.hour();
    expect(third.metrics).toEqual(['NoticeDaysComplete']);
    expect(await markers()).toEqual([mark(keyId, NOW_MS + 8 * DAY_MS, 7)]);
  });

  test('is complete when each of its parts has ended, which a metric says once', async () => {
    const notices = testNotices(gateway);
    const [last, ...others] = await handedOut(notices);
    for (const part of others) await notices.giveRun(part);
    await notices.giveRun(others[0] as never);
    expect(await handedOut(notices)).toEqual([]);
    expect(notices.metrics).toEqual([]);
    // It ended after the day's last hour.
    await notices.giveRun(last as never);
    gateway.clock.nowMs += DAY_MS;
    await handedOut(notices);
    await handedOut(notices);
    expect(notices.metrics).toEqual(['NoticeDaysComplete']);
  });

  test('that has no time left goes on where it was', async () => {
    const { key, markers } = await project();
    for (let n = 0; n < 3; n++) await key(8 * DAY_MS);
    gateway.clock.nowMs += DAY_MS;
    const notices = testNotices(gateway);
    const told: number[] = [];
    for (const part of await handedOut(notices)) {
      if (part.kind !== 'accounts' || part.ends !== dayOf(NOW_MS + 8 * DAY_MS)) continue;
      notices.runs.push(part);
      // One at least, or it would never come further.
      for (let next = notices.runs.shift(); next; next = notices.runs.shift()) {
        await notices.giveRun(next, () => 0);
        if ('after' in next || notices.runs.length > 0) told.push((await markers()).length);
      }
    }
    expect([told, notices.warnings]).toEqual([[1, 2, 3, 3], []]);
  });

  test('goes on with the others where something cannot be read, and reports it to the platform team', async () => {
    const made = [await project(true), await project(true)];
    for (const { key } of made) await key(8 * DAY_MS);
    gateway.clock.nowMs += DAY_MS;
    const notices = testNotices(gateway);
    const [broken] = made;
    notices.client.middlewareStack.add(
      (next) => (args) =>
        JSON.stringify(args.input).includes(`PROJECT#${broken?.projectId}`)
          ? Promise.reject(new TypeError('of this account only'))
          : next(args),
      { step: 'initialize', name: 'broken' },
    );
    await notices.hour();
    expect((await Promise.all(made.map(({ markers }) => markers()))).map(({ length }) => length)).toEqual([0, 1]);
    expect(new Set(notices.warnings)).toEqual(
      new Set(['an account cannot be read and is left out', 'what ends cannot be read and is left out']),
    );
    expect(new Set(notices.metrics)).toEqual(new Set(['NoticeRecordsUnreadable']));
  });
});

describe('after a version that walked over all accounts', () => {
  /** Takes away what that version did not write. */
  const forget = async (...endsMs: number[]) => {
    for (const item of (await Promise.all(endsMs.map(expiring))).flat()) await deleteItem(gateway.store, item);
    for (const item of await itemsOf(gateway, 'EXPIRY-DAYS')) await deleteItem(gateway.store, item);
  };

  test('what it made is told of as ever, and what it told of is not told again', async () => {
    const { accountId, projectId, key, markers } = await project(true);
    const own = await project(true);
    await updateThresholds(gateway.store, own.accountId, { days: [3] });
    const [told, never] = [await key(8 * DAY_MS), await key()];
    const { keyId } = await key(9 * DAY_MS);
    const { keyId: ofOwn } = await own.key(5 * DAY_MS);
    const { tokenId } = await createToken(gateway.store, accountId, {
      name: 'CI',
      scopes: ['keys:read'],
      lifetimeMs: 9 * DAY_MS,
    });
    await revokeKey(gateway.store, projectId, never.keyId);
    const ends = [5, 8, 9].map((days) => NOW_MS + days * DAY_MS);
    await forget(...ends);
    // It told of the one that ends first on this day, in the marker that both use.
    gateway.clock.nowMs += DAY_MS;
    const earlier = { pk: `NOTICES#${accountId}`, sk: mark(told.keyId, NOW_MS + 8 * DAY_MS, 7), at: 'before' };
    await putItem(gateway.store, earlier);
    // Its message is in the queue still.
    const notices = testNotices(gateway);
    await notices.giveRun({
      kind: 'accounts',
      source: { accountId: 'run', sk: '2030-01-16#0' },
      accountIds: ['acc_1'],
    } as never);
    await notices.hour();
    await nextDay(notices);
    expect((await markers()).sort()).toEqual(
      [earlier.sk, mark(keyId, NOW_MS + 9 * DAY_MS, 7), `MARK#TOKEN-EXPIRY#${tokenId}#7`].sort(),
    );
    expect((await itemsOf(gateway, `NOTICES#${accountId}`)).filter(({ at }) => at === 'before')).toHaveLength(1);
    expect(await own.markers()).toEqual([mark(ofOwn, NOW_MS + 5 * DAY_MS, 3)]);
    expect(notices.warnings).toEqual([]);
    // What it writes again on the next day, when that version has run in between.
    await forget(...ends);
    await nextDay();
    const again = (await Promise.all(ends.map(expiring))).map(({ length }) => length);
    expect(again).toEqual([1, 1, 2]);
  });

  test('its items are written from where they were, before the day is handed out, and none over a newer one', async () => {
    const made = await Promise.all(Array.from({ length: 30 }, () => project(true)));
    const keys = await Promise.all(
      made.map(async ({ key, projectId }) => ({ projectId, ...(await key(20 * DAY_MS)) })),
    );
    const end = NOW_MS + 20 * DAY_MS;
    await forget(end);
    const notices = testNotices(gateway);
    const handle = noticesHandler(notices.dependencies);
    // They get another end of the same day right before the items of what was read are put.
    before(notices.dependencies, 'PutItemCommand', () =>
      Promise.all(
        keys.map(({ projectId, keyId }) => updateKey(gateway.store, projectId, keyId, { expiresAtMs: end + 1 })),
      ),
    );
    await handle({ source: 'schedule' }, () => 0);
    expect(notices.runs).toEqual([]);
    expect((await expiring(end)).map(({ expiresAtMs }) => expiresAtMs)).toEqual(Array(30).fill(end + 1));
    const calls = recordCalls(notices.client).commands;
    await handle({ source: 'schedule' }, () => 0);
    expect(notices.runs).toHaveLength(9 * SHARDS);
    // Of the last five alone.
    expect(calls.filter((name) => name === 'PutItem')).toHaveLength(5);
    expect((await expiring(end)).map(({ expiresAtMs }) => expiresAtMs)).toEqual(Array(30).fill(end + 1));
    // Once it has come to the end, no day waits for it.
    notices.runs.length = 0;
    gateway.clock.nowMs += DAY_MS;
    await handle({ source: 'schedule' }, () => 0);
    expect(calls.filter((name) => name === 'PutItem')).toHaveLength(5 + 25);
    expect(notices.runs.length).toBeGreaterThan(0);
  });
});
