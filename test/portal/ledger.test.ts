import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { updateProject } from '../../functions/accounts/projects/projects.ts';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { isoTime } from '../../functions/shared/time.ts';
import { booksByHand, itemsPerPage } from '../support/books-by-hand.ts';
import { recordCalls } from '../support/database.ts';
import { before, cancelled } from '../support/overtaking.ts';
import { itemsOf } from '../support/people.ts';
import { read, stageWithTenant } from '../support/portal-team.ts';
import { readUnitsOf } from '../support/read-units.ts';
import { putEvents } from '../support/stored-events.ts';
import { DAY_MS, MINUTE_MS, NOW_MS } from '../support/times.ts';
import { someEvent } from '../support/usage-events.ts';

interface Check {
  readonly state: 'balanced' | 'different' | 'counting';
  readonly counter: number | null;
  readonly events: number | null;
}

async function projectOf(options: Parameters<typeof stageWithTenant>[0] = {}) {
  const stage = await stageWithTenant({
    limits: { ...DEFAULT_LIMITS, readsPerMinute: 1_000 },
    // Longer than the time that passes in a test.
    sessionLimits: { idleMs: 90 * DAY_MS, absoluteMs: 90 * DAY_MS },
    ...options,
  });
  const { browser, project, projectId, key, gateway, portal } = stage;
  const check = (period?: string) => read<Check>(browser.get(`${project}/ledger`, period ? `period=${period}` : ''));
  const statement = async (period = '2030-01') => browser.get(`${project}/statement.csv`, `period=${period}`);
  return {
    ...stage,
    check,
    statement,
    /** The number of alarms so far. */
    paged: () => portal.telemetry.metrics.filter((metric) => metric === 'LedgerDifferences').length,
    books: booksByHand(gateway.store, projectId),
    own: portal.own,
    ping: async (): Promise<void> => {
      const { status } = await gateway.ping(key);
      if (status !== 200) throw new Error(`a ping was answered ${status}`);
    },
  };
}

const balanced = (units: number) => ({
  period: '2030-01',
  state: 'balanced',
  counter: units,
  events: units,
  difference: null,
  remaining: 0,
  checkedAt: isoTime(NOW_MS),
});

describe('the books of a project', () => {
  test('are balanced, also where nothing was ever charged, and refusals count nothing', async () => {
    const { check, gateway, key, ping } = await projectOf();
    expect(await check()).toEqual(balanced(0));
    for (let i = 0; i < 3; i++) await ping();
    await gateway.ping(key, { body: '[]' });
    expect(await check()).toEqual(balanced(3));
  });

  test('stay so as time goes by: from open events to kept sums, and into the next month', async () => {
    const { check, clock, ping } = await projectOf();
    const steps = [0, 2 * MINUTE_MS, 6 * MINUTE_MS, 70 * MINUTE_MS, DAY_MS, 20 * DAY_MS];
    for (const [i, step] of steps.entries()) {
      await ping();
      clock.nowMs += step;
      if (clock.nowMs < Date.UTC(2030, 1)) {
        expect(await check()).toMatchObject({ state: 'balanced', counter: i + 1, events: i + 1 });
      }
    }
    expect(await check()).toMatchObject({ period: '2030-02', state: 'balanced', counter: 0, events: 0 });
    expect(await check('2030-01')).toMatchObject({ state: 'balanced', counter: steps.length, events: steps.length });
  });

  test('are reported to differ, in both directions, and that raises the metric that pages', async () => {
    const { check, gateway, books, portal, projectId, ping, paged } = await projectOf();
    for (let i = 0; i < 3; i++) await ping();
    await books.putCounter(5);
    const fewer = { state: 'different', counter: 5, events: 3, difference: { atLeast: -2, atMost: -2 } };
    expect(await check()).toMatchObject(fewer);
    expect(paged()).toBe(1);
    expect(portal.telemetry.warnings).toEqual([
      {
        message: 'A counter and its events differ.',
        cause: new Error(`project ${projectId}, period 2030-01: the events minus the counter are -2 to -2 units`),
      },
    ]);
    await books.putCounter(2);
    const more = { state: 'different', counter: 2, events: 3, difference: { atLeast: 1, atMost: 1 } };
    expect(await check()).toMatchObject(more);
    await books.putCounter('three');
    expect(await check()).toMatchObject({ state: 'different', counter: null, events: null, difference: null });
    expect(paged()).toBe(3);
    await books.putCounter(3);
    expect(await check()).toEqual(balanced(3));
    expect(paged()).toBe(3);
    expect(await gateway.verify(projectId)).toMatchObject({ consistent: true });
  });

  test('are reported to differ when a removed event is not in stored sums, and one in them is not missed', async () => {
    const { check, clock, gateway, books, projectId, ping } = await projectOf();
    for (let i = 0; i < 2; i++) await ping();
    clock.nowMs += 10 * MINUTE_MS;
    const [removed] = await gateway.events(projectId);
    if (removed) await books.deleteEvent(removed);
    expect(await check()).toMatchObject({ state: 'different', difference: { atLeast: -1, atMost: -1 } });
  });
});

describe('while requests are charged', () => {
  test.each(['Query', 'TransactGetItems'])(
    'the books are never said to differ though some are before each %s, and are balanced once it is quiet',
    async (command) => {
      const { check, own, ping, clock, paged } = await projectOf();
      await ping();
      let left = 40;
      before(
        own,
        `${command}Command`,
        async () => {
          clock.nowMs += 1;
          if (left-- > 0) await ping();
        },
        Infinity,
      );
      const states: string[] = [];
      do {
        states.push((await check()).state);
      } while (states.at(-1) !== 'balanced' && states.length < 20);
      expect(states).not.toContain('different');
      expect(states.at(-1)).toBe('balanced');
      expect(paged()).toBe(0);
    },
  );

  test('one charge under way is waited for: a further pass decides, and reads what is still open again', async () => {
    const { check, own, ping, portal, clock } = await projectOf();
    await ping();
    before(own, 'TransactGetItemsCommand', ping);
    const record = recordCalls(portal.client);
    expect(await check()).toMatchObject({ state: 'balanced', counter: 2, events: 2 });
    expect(record.commands.filter((command) => command === 'TransactGetItems')).toHaveLength(2);
    expect(clock.nowMs).toBe(NOW_MS);
  });

  test('a counter that is never free is no difference and no failure, but still counting', async () => {
    const { check, own, ping } = await projectOf();
    await ping();
    before(own, 'TransactGetItemsCommand', () => Promise.reject(cancelled('TransactionConflict')), Infinity);
    expect(await check()).toMatchObject({ state: 'counting', counter: null, events: null, remaining: 0 });
  });

  test('a charge that is seen on the counter, and not yet in the log, is no difference', async () => {
    const { check, own, books, ping } = await projectOf();
    await ping();
    await books.putCounter(2);
    // In the second of three passes the event arrives.
    let passes = 0;
    before(
      own,
      'TransactGetItemsCommand',
      () => (++passes === 2 ? books.putEvent({}, { ttl: 2 ** 32 }) : Promise.resolve()),
      Infinity,
    );
    expect((await check()).state).not.toBe('different');
  });

  test.each([1, 4])(
    'many at once, in %i shards: no check says that they differ, and the end is balanced',
    async (shards) => {
      const { check, gateway, key, projectId, clock, paged } = await projectOf({ random: Math.random });
      await updateProject(gateway.store, projectId, { shards, quota: 1_000 });
      clock.nowMs += 1;
      const states: string[] = [];
      let charged = 0;
      let isOver = false;
      const charging = Promise.all(
        Array.from({ length: 12 }, async () => {
          for (let i = 0; i < 5; i++) if ((await gateway.ping(key)).status === 200) charged++;
        }),
      ).finally(() => (isOver = true));
      const checking = Promise.all(
        Array.from({ length: 2 }, async () => {
          while (!isOver) states.push((await check()).state);
        }),
      );
      await Promise.all([charging, checking]);
      expect(states.length).toBeGreaterThan(1);
      expect(states).not.toContain('different');
      expect(paged()).toBe(0);
      expect(charged).toBeGreaterThan(50);
      expect(await check()).toMatchObject({ state: 'balanced', counter: charged, events: charged });
    },
  );
});

describe('a check', () => {
  test('of a million events of a month takes at most 41 read units, in three passes too', async () => {
    // A million events a month are 23 a minute. The closed part of the month has stored sums.
    const { check, portal, projectId, own, books, clock, ping } = await projectOf({
      nowMs: Date.UTC(2030, 0, 31, 20, 57, 59),
    });
    const keyIds = Array.from({ length: 20 }, (_, n) => `key_${String(n).padStart(16, '0')}`);
    const times = [
      ...Array.from({ length: 30 }, (_, day) => Date.UTC(2030, 0, day + 1)),
      ...Array.from({ length: 20 }, (_, hour) => Date.UTC(2030, 0, 31, hour)),
      ...Array.from({ length: 10 }, (_, part) => Date.UTC(2030, 0, 31, 20, 5 * part)),
    ];
    const closed = times.flatMap((startMs) => keyIds.map((keyId, n) => ({ keyId, atMs: startMs + n * 50 })));
    const open = Array.from({ length: 23 * 8 }, (_, n) => ({
      keyId: keyIds[n % 20] ?? '',
      atMs: clock.nowMs - (n * MINUTE_MS) / 23,
    }));
    const events = [...closed, ...open].map(({ keyId, atMs }) =>
      someEvent({
        projectId,
        keyId,
        requestId: randomUUID(),
        occurredAt: isoTime(Math.floor(atMs)),
        period: '2030-01',
      }),
    );
    await putEvents(portal.store, events);
    await books.putCounter(events.length);
    expect(await check()).toMatchObject({ state: 'balanced', counter: events.length });
    const record = recordCalls(portal.client);
    const one = await readUnitsOf(portal, () => check());
    portal.client.middlewareStack.remove('recordCalls');
    // The session; the count, beside the project; stored sums; counter; events; counter.
    expect(record.roundTrips).toBe(6);
    before(own, 'TransactGetItemsCommand', ping, 2);
    const three = await readUnitsOf(portal, () => check());
    expect([one.answer.state, three.answer.state]).toEqual(['balanced', 'balanced']);
    expect(three.calls.filter((call) => call === 'TransactGetItems')).toHaveLength(3);
    expect([one.units <= 25, three.units <= 41]).toEqual([true, true]);
  });

  test('reads only so much of the last minutes: of more it says that it is still counting', async () => {
    const { check, own, ping } = await projectOf();
    for (let i = 0; i < 7; i++) await ping();
    itemsPerPage(own.store, 1);
    expect(await check()).toMatchObject({ state: 'counting', counter: null, events: null, remaining: 0 });
  });

  test.each(['2030-02', '2028-12', '2030-13', '2030-01-15', 'x', '', '2030-01&period=2030-01'])(
    'refuses the period %j by name',
    async (period) => {
      const { browser, project } = await projectOf();
      for (const path of ['ledger', 'statement.csv']) {
        const { status, body } = await browser.get(`${project}/${path}`, `period=${period}`);
        expect([status, body]).toEqual([400, expect.objectContaining({ code: 'INVALID_REQUEST', field: 'period' })]);
      }
    },
  );

  test('sums and says so, as long as not all is summed; a statement waits for it', async () => {
    const { check, statement, portal, projectId, own, books } = await projectOf();
    const events = Array.from({ length: 9 }, (_, day) =>
      someEvent({
        projectId,
        requestId: randomUUID(),
        occurredAt: isoTime(NOW_MS - (day + 1) * DAY_MS),
        period: '2030-01',
      }),
    );
    await putEvents(portal.store, events);
    await books.putCounter(9);
    // Each answer reads only one page, since its time is over at once.
    itemsPerPage(own.store, 4);
    before(own, 'QueryCommand', () => Promise.resolve((portal.clock.nowMs += 3_000)), Infinity);
    const first = await statement();
    expect([first.status, first.body]).toEqual([409, expect.objectContaining({ code: 'STILL_COUNTING' })]);
    expect(first.headers['retry-after']).toBe('1');
    const checks: Check[] = [];
    do {
      checks.push(await check());
    } while (checks.at(-1)?.state === 'counting' && checks.length < 20);
    expect(checks[0]).toMatchObject({ state: 'counting', counter: null, events: null });
    expect(checks.at(-1)).toMatchObject({ state: 'balanced', events: 9 });
    expect((await itemsOf(portal, `ROLLUP#${projectId}`)).length).toBeGreaterThan(0);
  });
});

describe('a statement', () => {
  test('has a row for each day up to now, the counter, the sum, and the SHA-256 of what is before it', async () => {
    const { statement, ping, gateway, key, keyId, clock, projectId } = await projectOf();
    await ping();
    await gateway.ping(key, { body: '[]' });
    clock.nowMs += DAY_MS;
    await ping();
    const { status, text, headers } = await statement();
    expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
      ...[200, 'text/csv', `attachment; filename="statement-${projectId}-2030-01.csv"`],
    ]);
    const days = Array.from({ length: 14 }, (_, i) => `2030-01-${String(i + 1).padStart(2, '0')},0,0`);
    const head = [`project,${projectId},`, 'period,2030-01,', 'day,units,requests'];
    const rows = [...head, ...days, '2030-01-15,1,2', '2030-01-16,1,1'];
    const lines = [...rows, 'counter,2,', 'sum,2,3', `key ${keyId},2,3`, 'state,balanced,']
      .map((line) => `${line}\r\n`)
      .join('');
    expect(text).toBe(`${lines}sha256,${createHash('sha256').update(lines).digest('hex')},\r\n`);
  });

  test('of a period that is over has the same bytes each time; requests that may be gone are not counted', async () => {
    const { statement, ping, clock } = await projectOf();
    await ping();
    clock.nowMs = Date.UTC(2030, 1, 20);
    const [first, second] = [await statement(), await statement()];
    expect(first.text).toBe(second.text);
    expect(first.text).toMatch(
      /\r\n2030-01-15,1,\r\n(.*\r\n)*counter,1,\r\nsum,1,\r\nkey key_\w+,1,\r\nstate,balanced,\r\nsha256,/,
    );
    expect(first.text.split('\r\n')).toHaveLength(3 + 31 + 5 + 1);
  });

  test('is the same also once the events of its refusals are gone, where it was made before', async () => {
    const { statement, ping, gateway, key, clock } = await projectOf();
    await ping();
    await gateway.ping(key, { body: '[]' });
    clock.nowMs = Date.UTC(2030, 1, 5);
    const { text } = await statement();
    expect(text).toContain('\r\n2030-01-15,1,2\r\n');
    clock.nowMs = Date.UTC(2030, 2, 10);
    expect((await statement()).text).toBe(text);
  });

  test('tells what was counted under each cap, of its period alone', async () => {
    const { statement, ping, browser, project, keyId, clock } = await projectOf();
    await ping();
    await browser.patch(`${project}/keys/${keyId}`, { unitsLimit: 5 });
    await ping();
    await ping();
    expect((await statement()).text).toContain(
      `\r\ncounter,3,\r\nsum,3,3\r\nkey ${keyId},3,3\r\ncap ${keyId},2,\r\nstate,balanced,\r\n`,
    );
    clock.nowMs = Date.UTC(2030, 1, 1, 1);
    await ping();
    expect((await statement('2030-02')).text).toContain(`\r\ncap ${keyId},1,\r\n`);
    await browser.patch(`${project}/keys/${keyId}`, { unitsLimit: null });
    expect((await statement()).text).toContain(`\r\ncap ${keyId},2,\r\n`);
  });

  test('says that counter and sum differ', async () => {
    const { statement, books, ping, paged, keyId } = await projectOf();
    await ping();
    await books.putCounter(3);
    expect((await statement()).text).toContain(`\r\ncounter,3,\r\nsum,1,1\r\nkey ${keyId},1,1\r\nstate,different,\r\n`);
    expect(paged()).toBe(1);
  });
});
