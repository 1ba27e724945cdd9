import { beforeEach, describe, expect, test } from '@jest/globals';
import { createKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { updateThresholds } from '../../functions/accounts/team/notice-thresholds.ts';
import { closeProject, updateProject } from '../../functions/accounts/projects/projects.ts';
import { noteCharged } from '../../functions/notices/daily/ledgers.ts';
import { checkProject } from '../../functions/notices/thresholds.ts';
import { hashApiKey } from '../../functions/shared/credentials/api-key.ts';
import type { CapPeriod } from '../../functions/shared/request/cap-period.ts';
import { periodAt } from '../../functions/shared/time.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { counterRepair } from '../../functions/usage/checks/repair.ts';
import { booksByHand } from '../support/books-by-hand.ts';
import { deleteItem } from '../support/database.ts';
import { endlessDeadline } from '../support/deadline.ts';
import { KEY, tenant, testGateway, type TestGateway, type TenantOptions } from '../support/gateway.ts';
import { IS_FULL } from '../support/extent.ts';
import { interleaved } from '../support/overtaking.ts';
import { markersOf, tableStream, testNotices } from '../support/notices.ts';
import { itemsOf, join } from '../support/people.ts';
import { recordReadUnits } from '../support/read-units.ts';
import { DAY_MS, MONTH_END_EPOCH_SECONDS, NOW_MS } from '../support/times.ts';
import { under } from '../support/visits.ts';

/** As in production: a random choice, and time for more than a few attempts. */
const CROWDED = { random: Math.random, startDeadline: endlessDeadline };
const RPM = 1_800;
/** At once, while the notices look again and again. */
const CHARGES = IS_FULL ? 200 : 25;
const JANUARY = periodAt(NOW_MS, 'month');

let gateway: TestGateway;
beforeEach(() => {
  gateway = testGateway(CROWDED);
});

/** A project of an account with an owner, its stream and the notices of it. */
async function scene(options: TenantOptions) {
  const made = await tenant(gateway, { rpm: RPM, ...options });
  const { accountId, projectId } = made;
  await join(gateway, accountId, 'owner');
  const stream = tableStream(gateway, [accountId, projectId]);
  await stream();
  const notices = testNotices(gateway);
  /** Reads the stream to its end, and tells what was told so far. */
  const look = async () => {
    await notices.follow(stream);
    const told = await notices.told();
    return told.filter(({ type }) => type !== 'project.limits_changed').map(({ data }) => data);
  };
  const ping = async (count: number, key = made.key): Promise<void> => {
    for (let n = 0; n < count; n++) expect((await gateway.ping(key)).status).toBe(200);
  };
  return { ...made, stream, notices, look, ping };
}
const reached = (thresholdPercent: number, units: number, unitsLimit: number, period = JANUARY.id) => ({
  thresholdPercent,
  units,
  unitsLimit,
  period,
});

describe('the threshold of a quota', () => {
  test.each([1, 8])(
    `is told exactly once under ${CHARGES} charges at once, with %i shards and looks between`,
    async (shards) => {
      const { key, accountId, projectId, stream } = await scene({ quotaLimit: CHARGES, shards });
      const instances = [testNotices(gateway), testNotices(gateway)] as const;
      const gateways = [gateway, testGateway(CROWDED)] as const;
      let charging = true;
      const watch = async (of: (typeof instances)[number]): Promise<void> => {
        while (charging) await of.give(await stream());
      };
      const watching = instances.map(watch);
      const answers = await Promise.all(
        Array.from({ length: CHARGES }, (_, n) => gateways[n % 2 === 0 ? 0 : 1].ping(key, under(`ping-${n}`))),
      );
      charging = false;
      await Promise.all(watching);
      for (const of of instances) await of.follow(stream);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(CHARGES);
      const notices = testNotices(gateway);
      await notices.follow(tableStream(gateway, [accountId]));
      const told = (await notices.told()).filter(({ projectId: of }) => of === projectId);
      const percents = told.map(({ data }) => data.thresholdPercent).filter((percent) => percent !== undefined);
      // A look that came late has seen both at once: then the higher alone is told.
      expect([[80, 100], [100]]).toContainEqual(percents.sort((a, b) => Number(a) - Number(b)));
      expect(await markersOf(gateway, accountId)).toEqual([
        `MARK#QUOTA#2030-01#${projectId}#100#${CHARGES}`,
        `MARK#QUOTA#2030-01#${projectId}#80#${CHARGES}`,
      ]);
    },
  );

  test.each([1, 8])('is told at 80 and at 100 % and at no other unit, with %i shards', async (shards) => {
    const { key, look } = await scene({ quotaLimit: 20, shards });
    const seen: number[] = [];
    for (let units = 1; units <= 20; units++) {
      await gateway.ping(key);
      seen.push((await look()).length);
    }
    expect(seen).toEqual([...Array<number>(15).fill(0), 1, 1, 1, 1, 2]);
    expect(await look()).toEqual([reached(80, 16, 20), reached(100, 20, 20)]);
  });

  test('is not told because a layout lends: the counter holds all, little is used', async () => {
    const { ping, look } = await scene({ quotaLimit: 100, shards: 8 });
    await ping(3);
    expect(await look()).toEqual([]);
  });

  test('of 100 % alone is told where both were reached between two looks', async () => {
    const { ping, look } = await scene({ quotaLimit: 10 });
    await ping(10);
    expect(await look()).toEqual([reached(100, 10, 10)]);
  });

  test('is not told twice after a repair that lowers the counter', async () => {
    const { projectId, ping, look, key } = await scene({ quotaLimit: 10 });
    await ping(8);
    expect(await look()).toHaveLength(1);
    await booksByHand(gateway.store, projectId).putCounter(9);
    const repair = await counterRepair(gateway.store, projectId, JANUARY, 400);
    await repair?.apply();
    await booksByHand(gateway.store, projectId).putCounter(7);
    await look();
    await gateway.ping(key);
    expect(await look()).toEqual([reached(80, 8, 10)]);
  });

  test('is told once when a limit is lowered below what is used, and not when it is raised', async () => {
    const { projectId, ping, look } = await scene({ quotaLimit: 100 });
    await ping(9);
    const set = (quota: number | 'none') => updateProject(gateway.store, projectId, { quota });
    await set(10);
    expect(await look()).toEqual([reached(80, 9, 10)]);
    await set(1_000);
    await set(10);
    await set('none');
    expect(await look()).toHaveLength(1);
    await set(5);
    expect(await look()).toEqual([reached(80, 9, 10), reached(100, 9, 5)]);
  });

  test('is not told of a project without a quota, with one of 0, or that is closed', async () => {
    const [none, zero, shut] = [
      await scene({ quotaLimit: undefined }),
      await scene({ quotaLimit: 0 }),
      await scene({ quotaLimit: 2 }),
    ];
    await none.ping(1);
    await gateway.ping(zero.key);
    await shut.ping(2);
    await closeProject(gateway.store, shut.projectId);
    expect([await none.look(), await zero.look(), await shut.look()]).toEqual([[], [], []]);
  });

  test('is told of a period that just ended, where the stream is late, and not of one before that', async () => {
    const late = await scene({ quotaLimit: 1 });
    const older = await scene({ quotaLimit: 1 });
    await late.ping(1);
    await older.ping(1);
    gateway.clock.nowMs = MONTH_END_EPOCH_SECONDS * 1_000 + DAY_MS - 1;
    expect(await late.look()).toEqual([reached(100, 1, 1)]);
    gateway.clock.nowMs += 1;
    expect(await older.look()).toEqual([]);
  });

  test.each([
    // Of no limit are 80 % used at any moment: it is raised before the charges that would reach them.
    [1, 7, []],
    [2, 7, []],
    // 80 % of the limit were used until then.
    [3, 8, ['80#10']],
    [4, 8, ['80#10']],
  ])('is a share of a limit that held, also when it is raised before call %i of a look', async (nth, used, told) => {
    const { projectId, accountId, ping, stream, notices } = await scene({ quotaLimit: 10 });
    await ping(used);
    const raised = async () => {
      await updateProject(gateway.store, projectId, { quota: 1_000 });
      await ping(10);
      return 'raised';
    };
    const counters = (await stream()).filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S?.startsWith('QUOTA#'));
    expect(counters).toHaveLength(1);
    // So that each call is one of the look.
    await noteCharged(notices.dependencies.store, projectId, JANUARY.id);
    expect((await interleaved(notices.client, nth, () => notices.give(counters), raised))[1]).toBe('raised');
    expect(await markersOf(gateway, accountId)).toEqual(told.map((of) => `MARK#QUOTA#2030-01#${projectId}#${of}`));
  });

  test('that a slow look has seen is not told after a higher one', async () => {
    const { accountId, projectId, ping, stream, notices, look } = await scene({ quotaLimit: 10 });
    await noteCharged(notices.dependencies.store, projectId, JANUARY.id);
    await ping(8);
    const counters = (await stream()).filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S?.startsWith('QUOTA#'));
    const full = async (): Promise<void> => {
      await ping(2);
      await testNotices(gateway).give(counters);
    };
    // Right before it writes its marker.
    await interleaved(notices.client, 'PutItem', () => notices.give(counters), full);
    expect(await look()).toEqual([reached(100, 10, 10)]);
    expect(await markersOf(gateway, accountId)).toHaveLength(2);
  });
});

describe('thresholds that an owner chose', () => {
  test('are told for a quota and for a cap, each once, and those of the default are not', async () => {
    const { accountId, ping, look } = await scene({ quotaLimit: 20, unitsLimit: 10 });
    await updateThresholds(gateway.store, accountId, { percents: [90, 50] });
    const seen: (readonly [number, number])[] = [];
    for (let units = 1; units <= 10; units++) {
      await ping(1);
      const told = await look();
      if (told.length > seen.length) seen.push([units, Number(told.at(-1)?.thresholdPercent)]);
    }
    // The cap at 5 and 9, the quota at 10.
    expect(seen).toEqual([
      [5, 50],
      [9, 90],
      [10, 50],
    ]);
  });

  test('that were passed already are not told: the next above is', async () => {
    const { accountId, ping, look } = await scene({ quotaLimit: 10 });
    await ping(8);
    expect(await look()).toEqual([reached(80, 8, 10)]);
    await updateThresholds(gateway.store, accountId, { percents: [50, 80, 90] });
    await ping(1);
    expect(await look()).toEqual([reached(80, 8, 10), reached(90, 9, 10)]);
  });

  test('of which one was passed already, and none above it told, are told once', async () => {
    const { accountId, ping, look } = await scene({ quotaLimit: 10 });
    await ping(5);
    expect(await look()).toEqual([]);
    await updateThresholds(gateway.store, accountId, { percents: [20, 30, 80] });
    await ping(1);
    expect(await look()).toEqual([reached(30, 6, 10)]);
    await ping(1);
    expect(await look()).toEqual([reached(30, 6, 10)]);
  });

  test('may be none', async () => {
    const { accountId, ping, look } = await scene({ quotaLimit: 5 });
    await updateThresholds(gateway.store, accountId, { percents: [] });
    await ping(5);
    expect(await look()).toEqual([]);
  });
});

describe('the cap of a key', () => {
  test('is told once when it is used up', async () => {
    const { ping, look, keyId, notices } = await scene({ unitsLimit: 3 });
    await ping(2);
    expect(await look()).toEqual([]);
    await ping(1);
    await look();
    expect(await look()).toEqual([reached(100, 3, 3)]);
    expect((await notices.told()).at(-1)).toMatchObject({ type: 'key.cap_reached', keyId });
  });

  test('that is set or lowered to what is used is told; one that is taken off is not', async () => {
    const { ping, look, keyId, projectId } = await scene({ unitsLimit: 10 });
    const set = (unitsLimit: number | 'none') => updateKey(gateway.store, projectId, keyId, { unitsLimit });
    await ping(5);
    await set(5);
    expect(await look()).toEqual([reached(100, 5, 5)]);
    await set('none');
    await ping(1);
    expect(await look()).toHaveLength(1);
  });

  test('that is lowered to 0 is not told: who sets 0 means it', async () => {
    const { ping, look, keyId, projectId, notices } = await scene({ unitsLimit: 10 });
    await ping(5);
    await updateKey(gateway.store, projectId, keyId, { unitsLimit: 0 });
    // By the stream, and by a check of the platform team.
    expect(await look()).toEqual([]);
    await checkProject(notices.dependencies, projectId);
    expect(await look()).toEqual([]);
  });

  test('and of a quota is marked by a check of the platform team where the stream has lost its change', async () => {
    const { accountId, projectId, ping, keyId, notices } = await scene({ quotaLimit: 10, unitsLimit: 5 });
    await ping(5);
    await booksByHand(gateway.store, projectId).putCounter(8);
    await checkProject(notices.dependencies, projectId);
    await checkProject(notices.dependencies, projectId);
    const [cap, quota] = [`MARK#CAP#2030-01#${keyId}`, `MARK#QUOTA#2030-01#${projectId}`];
    expect(await markersOf(gateway, accountId)).toEqual([`${cap}#100#5`, `${cap}#80#5`, `${quota}#80#10`]);
  });

  test('that was told of a key is not told of its successor again', async () => {
    const { ping, look, keyId, projectId } = await scene({ unitsLimit: 10 });
    await ping(8);
    expect(await look()).toEqual([reached(80, 8, 10)]);
    const next = await rotateKey(gateway.store, projectId, keyId, 0);
    gateway.clock.nowMs += DAY_MS;
    await ping(1, next.key);
    expect(await look()).toEqual([reached(80, 8, 10)]);
  });

  test('of a successor is found by a few reads, however many keys the project has', async () => {
    const units: number[] = [];
    for (const others of [1, 25]) {
      const { keyId, projectId, stream, notices, ping } = await scene({ unitsLimit: 100 });
      for (let n = 0; n < others; n++) {
        await createKey(gateway.store, { projectId, ...KEY });
      }
      let last = { keyId, key: '' };
      for (let rotation = 0; rotation < 5; rotation++) last = await rotateKey(gateway.store, projectId, last.keyId, 0);
      gateway.clock.nowMs += 1;
      await ping(1, last.key);
      const caps = (await stream()).filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S?.startsWith('KEYUNITS#'));
      await notices.give(caps);
      const reads = recordReadUnits(notices.client);
      await notices.give(caps);
      expect(reads.calls).toEqual(['GetItem', 'GetItem', 'GetItem', 'GetItem', 'GetItem', 'GetItem']);
      units.push(reads.units);
    }
    expect(units).toEqual([6, 6]);
  });

  test('of a long chain of rotations whose last key was revoked takes a few calls', async () => {
    const { keyId, projectId, stream, notices, ping } = await scene({ unitsLimit: 100 });
    await ping(1);
    let last = keyId;
    for (let rotation = 0; rotation < 60; rotation++) {
      gateway.clock.nowMs += 1;
      last = (await rotateKey(gateway.store, projectId, last, 0)).keyId;
    }
    const rotations = await stream();
    const { calls: ofRotations } = recordReadUnits(notices.client);
    await notices.give(rotations.filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S?.startsWith('AUDIT#')));
    expect(ofRotations).toEqual([]);
    notices.client.middlewareStack.remove('recordReadUnits');
    await revokeKey(gateway.store, projectId, last);
    await stream();
    await updateKey(gateway.store, projectId, last, { unitsLimit: 50 });
    const changed = await stream();
    const { calls } = recordReadUnits(notices.client);
    await notices.give(changed);
    expect(calls.length).toBeLessThan(60);
  });

  test('is told of a successor also when the keys before it were deleted, or the one after it was revoked', async () => {
    const { key, keyId, accountId, projectId, ping, look, notices } = await scene({ unitsLimit: 3 });
    const first = itemKey.apiKey(hashApiKey(key));
    const second = await rotateKey(gateway.store, projectId, keyId, 0);
    const { keyReference } = itemKey;
    for (const Key of [first, keyReference(projectId, keyId)]) {
      await deleteItem(gateway.store, Key);
    }
    gateway.clock.nowMs += 1;
    await ping(1, second.key);
    await look();
    expect((await itemsOf(gateway, `NOTICES#${accountId}`)).map((item) => [item.sk, item.keyId])).toEqual([
      [`CAPKEY#${keyId}`, second.keyId],
    ]);
    const third = await rotateKey(gateway.store, projectId, second.keyId, DAY_MS);
    await revokeKey(gateway.store, projectId, third.keyId);
    await ping(2, second.key);
    await look();
    expect(await look()).toEqual([reached(100, 3, 3)]);
    expect((await notices.told()).at(-1)).toMatchObject({ keyId: second.keyId });
  });

  test('by a period of its own is told by the id of that period, and again in the next', async () => {
    const { ping, look, keyId, projectId } = await scene({ unitsLimit: 2 });
    await ping(1);
    const set = (unitsPeriod: CapPeriod) => updateKey(gateway.store, projectId, keyId, { unitsPeriod });
    const told: object[] = [];
    for (const [period, days] of [
      ['2030-01-15', 1],
      ['2030-01-16', 1],
      ['2030-W03', 7],
      ['2030-W04', 0],
    ] as const) {
      await set(period.includes('W') ? 'week' : 'day');
      await ping(1);
      expect(await look()).toEqual(told);
      await ping(1);
      told.push(reached(100, 2, 2, period));
      expect(await look()).toEqual(told);
      gateway.clock.nowMs += days * DAY_MS;
    }
    // It counts by month again, where the first request was counted: that is told by the change alone.
    await set('month');
    expect(await look()).toEqual(told);
    await updateKey(gateway.store, projectId, keyId, { unitsLimit: 1 });
    expect(await look()).toEqual([...told, reached(100, 1, 1)]);
  });

  test('is told when another period is chosen in which it is used up, and not for the counter that it had before', async () => {
    const { ping, look, keyId, projectId, stream, notices } = await scene({ unitsLimit: 10 });
    await ping(2);
    await updateKey(gateway.store, projectId, keyId, { unitsPeriod: 'day' });
    await ping(1);
    const late = await stream();
    await notices.give(late);
    expect(await look()).toEqual([]);
    await updateKey(gateway.store, projectId, keyId, { unitsLimit: 2 });
    expect(await look()).toEqual([]);
    await updateKey(gateway.store, projectId, keyId, { unitsPeriod: 'month' });
    expect(await look()).toEqual([reached(100, 2, 2)]);
    await updateKey(gateway.store, projectId, keyId, { unitsLimit: 1 });
    expect(await look()).toEqual([reached(100, 2, 2), reached(100, 2, 1)]);
    // The day's counter has reached this limit, which is not one by day any more.
    await notices.give(late);
    expect(await look()).toHaveLength(2);
  });

  test('that counts once is told once, for ever, with a limit that is raised again', async () => {
    const { ping, look, keyId, projectId, accountId } = await scene({ unitsLimit: 2 });
    const set = (change: object) => updateKey(gateway.store, projectId, keyId, change);
    await set({ unitsPeriod: 'once' });
    await ping(2);
    expect(await look()).toEqual([reached(100, 2, 2, 'once')]);
    const marks = (await itemsOf(gateway, `NOTICES#${accountId}`)).filter(({ sk }) => String(sk).startsWith('MARK#'));
    expect(marks.map(({ sk, ttl }) => [sk, ttl])).toEqual([
      [`MARK#CAP#once#${keyId}.o#100#2`, undefined],
      [`MARK#CAP#once#${keyId}.o#80#2`, undefined],
    ]);
    gateway.clock.nowMs += 400 * DAY_MS;
    await set({ unitsLimit: 4 });
    expect(await look()).toHaveLength(1);
    await ping(2);
    expect(await look()).toEqual([reached(100, 2, 2, 'once'), reached(100, 4, 4, 'once')]);
  });

  test('that several keys share is told once, by its limit, of a key that works, also after the first has ended', async () => {
    const { ping, look, keyId, projectId, notices } = await scene({ unitsLimit: 10, rpm: 60 });
    await updateKey(gateway.store, projectId, keyId, { unitsPeriod: 'once' });
    const [second, third] = [
      await createKey(gateway.store, { projectId, ...KEY, capOf: keyId }),
      await createKey(gateway.store, { projectId, ...KEY, capOf: keyId }),
    ];
    await revokeKey(gateway.store, projectId, keyId);
    await ping(2, second.key);
    await ping(2, third.key);
    expect(await look()).toEqual([]);
    await updateKey(gateway.store, projectId, second.keyId, { unitsLimit: 5 });
    expect(await look()).toEqual([reached(80, 4, 5, 'once')]);
    await ping(1, third.key);
    expect(await look()).toEqual([reached(80, 4, 5, 'once'), reached(100, 5, 5, 'once')]);
    expect([second.keyId, third.keyId]).toContain((await notices.told()).at(-1)?.keyId);
    await checkProject(notices.dependencies, projectId);
    expect(await look()).toHaveLength(2);
  });
});
