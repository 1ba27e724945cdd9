import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { WHAT_TO_DO } from '../../bin/admin/ledger-text.ts';
import { showReading } from '../../bin/admin/usage-meter.ts';
import { requestIdAt } from '../../functions/shared/ids.ts';
import { periodAt } from '../../functions/shared/time.ts';
import { verifyLedger } from '../../functions/usage/checks/verification.ts';
import { admin } from '../support/admin.ts';
import { cliAlone, type OwnCli } from '../support/cli.ts';
import type { Variables } from '../support/processes.ts';
import { someEvent } from '../support/usage-events.ts';

/** The month that it is for the commands, the last day of the one before, and that month. */
const [THIS_MONTH, CLOSED_DAY, CLOSED_MONTH] = ['2026-11', '2026-10-31', '2026-10'];

/** A database of its own, of which every project is verified. */
let cli: OwnCli;
const verify = (args: string[], variables: Variables = {}) =>
  admin(['ledger', 'verify', ...args, '--local'], { ...cli.here, ...variables });
const putCounter = (projectId: string, period: string, units: number) =>
  cli.put('Gateway', { pk: `PROJECT#${projectId}`, sk: `QUOTA#${period}`, units });
const putEvent = async (projectId: string, period: string, day: string): Promise<string> => {
  const occurredAt = `${day}T12:00:00.000Z`;
  const requestId = requestIdAt(Date.parse(occurredAt), randomBytes);
  const event = someEvent({ requestId, projectId, period, occurredAt });
  const sk = `${occurredAt}#${requestId}`;
  await cli.put('Usage', { pk: projectId, sk, ...event });
  return sk;
};

beforeAll(async () => {
  jest.spyOn(Date, 'now').mockReturnValue(Date.parse(`${THIS_MONTH}-15T12:00:00Z`));
  cli = await cliAlone();
});
afterAll(async () => {
  await cli.close();
  jest.restoreAllMocks();
});

describe('ledger verify --all', () => {
  test('is consistent where there are no projects, and says that there are none', async () => {
    const asJson = await verify(['--all', '--json']);
    expect(asJson.status).toBe(0);
    expect(asJson.json).toMatchObject({ consistent: true, projects: 0, inconsistent: [] });
    expect((await verify(['--all'])).stdout).toMatch(`Nothing to verify in ${THIS_MONTH}: there are no projects.\n`);
  });

  test('names the inconsistent project among several, with what it read, and exits 1 until it is repaired', async () => {
    const [wrong] = [await cli.newProject(), await cli.newProject()];
    await putCounter(wrong, THIS_MONTH, 3);
    const found = await verify(['--all', '--json']);
    expect(found).toMatchObject({ status: 1, stderr: '' });
    expect(found.json).toEqual({
      consistent: false,
      period: THIS_MONTH,
      projects: 2,
      readUnits: expect.any(Number),
      inconsistent: [{ projectId: wrong, quotaUsed: 3, ledgerUnits: 0, difference: { atLeast: -3, atMost: -3 } }],
    });
    const forPeople = await verify(['--all']);
    expect(forPeople).toMatchObject({ status: 1, stderr: '' });
    expect(forPeople.stdout.replaceAll(/ +/g, ' ')).toBe(
      `NOT consistent in ${THIS_MONTH}: 1 of 2 projects.\nread units: ${String(found.json.readUnits)}\n\n` +
        `PROJECT QUOTA USED LEDGER UNITS DIFFERENCE KEYS IRREGULAR EVENTS\n${wrong} 3 0 -3 0 0\n\n${WHAT_TO_DO}\n`,
    );
    await putCounter(wrong, THIS_MONTH, 0);
    const repaired = await verify(['--all', '--json']);
    expect(repaired.status).toBe(0);
    expect(repaired.json).toMatchObject({ consistent: true, projects: 2, inconsistent: [] });
    expect((await verify(['--all'])).stdout).toMatch(
      `Consistent in ${THIS_MONTH}: all projects (2).\nread units: ${String(repaired.json.readUnits)}\n`,
    );
  });

  test('tells of every project that is wrong or cannot be verified, and exits 1', async () => {
    const [byTheDay, noNumber] = [await cli.newProject(), await cli.newProject()];
    await putEvent(byTheDay, CLOSED_DAY, CLOSED_DAY);
    await cli.put('Gateway', { pk: `PROJECT#${noNumber}`, sk: `QUOTA#${CLOSED_MONTH}`, units: '1' });
    const { status, stderr, json } = await verify(['--all', '--period', CLOSED_MONTH, '--json']);
    expect([status, stderr]).toEqual([1, '']);
    expect(json.inconsistent).toHaveLength(2);
    const error = `The counter of project ${noNumber} for ${CLOSED_MONTH} holds no number of units.`;
    const example = { sortKey: expect.any(String), problem: 'period', found: CLOSED_DAY };
    expect(json.inconsistent).toEqual(
      expect.arrayContaining([
        { projectId: noNumber, error },
        {
          projectId: byTheDay,
          quotaUsed: 0,
          ledgerUnits: 0,
          irregularEvents: { count: 1, examples: [example] },
        },
      ]),
    );
    const forPeople = (await verify(['--all', '--period', CLOSED_MONTH])).stdout.replaceAll(/ +/g, ' ');
    expect(forPeople).toContain(`\n${noNumber} - - ${error} - -\n`);
    await putCounter(noNumber, CLOSED_MONTH, 0);
    await putCounter(byTheDay, CLOSED_DAY, 1);
  });
});

describe('kept sums of usage', () => {
  /** Puts the stored sums of a day, as if a request had been charged on it. */
  const putRollup = (projectId: string, day: string) =>
    cli.put('Gateway', {
      pk: `ROLLUP#${projectId}`,
      sk: `DAY#${day}`,
      upTo: new Date(Date.parse(day) + 86_400_000).toISOString(),
      tally: '{"outcomes":["request_succeeded"],"keys":{"key_a":[0,1,1]},"latencies":[5,1]}',
    });

  test('that differ are told by ledger verify, removed only on request, and no reason to fail', async () => {
    const projectId = await cli.newProject();
    const period = ['--period', CLOSED_MONTH];
    await putRollup(projectId, CLOSED_DAY);
    const one = await verify(['--project', projectId, ...period]);
    // The first one has removed nothing.
    expect((await verify(['--project', projectId, ...period, '--remove-rollups'])).stdout).toBe(one.stdout);
    expect([one.status, one.stdout.replaceAll(/ +/g, ' ')]).toEqual([
      0,
      `consistent yes\nquotaUsed 0\nledgerUnits 0\ndifferingRollups 1 (DAY#${CLOSED_DAY})\nperiod ${CLOSED_MONTH}\n`,
    ]);
    expect((await verify(['--project', projectId, ...period])).stdout).not.toContain('differingRollups');
    await putRollup(projectId, CLOSED_DAY);
    const asJson = await verify(['--all', ...period, '--json']);
    expect(asJson.json.differingRollups).toEqual([{ projectId, count: 1, examples: [`DAY#${CLOSED_DAY}`] }]);
    await putRollup(projectId, CLOSED_DAY);
    const all = await verify(['--all', ...period, '--remove-rollups']);
    expect(all.stdout.replaceAll(/ +/g, ' ')).toContain(
      `\n\nPROJECT DIFFERING ROLLUPS\n${projectId} 1 (DAY#${CLOSED_DAY})`,
    );
  });

  test('are removed by ledger remove-rollups, of a project or of all', async () => {
    const projects = [await cli.newProject(), await cli.newProject()];
    const remove = (...args: string[]) => cli.run('ledger', 'remove-rollups', ...args);
    for (const projectId of projects) await putRollup(projectId, CLOSED_DAY);
    expect((await remove('--project', projects[0] ?? '')).stdout).toBe('Removed: 1.\n');
    expect((await remove('--all', '--json')).json).toEqual({ removedRollups: 1 });
    expect(await remove()).toMatchObject({ status: 1, stdout: '' });
    expect(await remove('--project', 'Unknown00000')).toMatchObject({ status: 1, stdout: '' });
  });
});

describe('ledger verify --project', () => {
  test('shows people which events are irregular, and what to think of', async () => {
    const projectId = await cli.newProject();
    const sortKey = await putEvent(projectId, CLOSED_DAY, CLOSED_DAY);
    const { status, stdout } = await verify(['--project', projectId, '--period', CLOSED_MONTH]);
    expect(status).toBe(1);
    expect(stdout.replaceAll(/ +/g, ' ')).toBe(
      `consistent NO\nquotaUsed 0\nledgerUnits 0\nirregularEvents 1\nperiod ${CLOSED_MONTH}\n\n` +
        `EVENT PROBLEM HOLDS\n` +
        `${sortKey} of another period than its time ${CLOSED_DAY}\n` +
        `Was QUOTA_PERIOD changed, or is it set to another length than the gateway has?\n\n${WHAT_TO_DO}\n`,
    );
  });

  test('with --deep reads the events that stand elsewhere', async () => {
    const projectId = await cli.newProject();
    await putEvent(projectId, CLOSED_MONTH, '2020-01-01');
    const closed = (...args: string[]) => verify(['--project', projectId, '--period', CLOSED_MONTH, '--json', ...args]);
    expect((await closed()).status).toBe(0);
    expect(await closed('--deep')).toMatchObject({
      status: 1,
      json: { consistent: false, ledgerUnits: 1, irregularEvents: { count: 1 } },
    });
  });
});

describe('ledger verify --period', () => {
  test.each([
    ['month', CLOSED_MONTH],
    ['day', CLOSED_DAY],
  ])('holds the counter of a closed %s against its events, whatever the current one has', async (length, period) => {
    const projectId = await cli.newProject();
    await putCounter(projectId, period, 1);
    const closed = () => verify(['--project', projectId, '--period', period, '--json'], { QUOTA_PERIOD: length });
    expect(await closed()).toMatchObject({
      status: 1,
      json: { consistent: false, quotaUsed: 1, ledgerUnits: 0, period },
    });
    expect((await verify(['--project', projectId, '--json'], { QUOTA_PERIOD: length })).json.consistent).toBe(true);
    await putEvent(projectId, period, CLOSED_DAY);
    expect((await closed()).json).toEqual({ consistent: true, quotaUsed: 1, ledgerUnits: 1, period });
  });
});

describe('what cannot be verified gets one clear line, exit status 1 and an empty stdout', () => {
  test.each([
    [[], 'month', "one of the options '--project <id>' and '--all' is required"],
    [['--project', 'P', '--all'], 'month', "option '--project <id>' cannot be used with option '--all'"],
    [['--all', '--period', '2026-13'], 'month', 'The quota is counted by the month: give --period as 2026-10.'],
    [['--all', '--period', CLOSED_MONTH], 'day', 'The quota is counted by the day: give --period as 2026-10-31.'],
    [['--all', '--period', '2026-02-29'], 'day', 'The quota is counted by the day: give --period as 2026-10-31.'],
    [['--all', '--period', '9999-12'], 'month', 'The period 9999-12 has not begun.'],
    [['--all', '--period', '2020-01'], 'month', 'The usage events of 2020-01 are no longer all kept.'],
    [['--all'], 'week', 'QUOTA_PERIOD must be month or day.'],
  ])('%j by the %s', async (args, quotaPeriod, message) => {
    const { status, stdout, stderr } = await verify([...args, '--json'], { QUOTA_PERIOD: quotaPeriod });
    expect([status, stdout, stderr]).toEqual([1, '', `error: ${message}\n`]);
  });
});

test('how far a long reading is, is shown on a terminal and nowhere else', async () => {
  const projectId = await cli.newProject();
  await putEvent(projectId, CLOSED_MONTH, CLOSED_DAY);
  let nowMs = 0;
  const clock = { now: () => (nowMs += 500) };
  const store = { ...cli.store, clock };
  const period = periodAt(Date.parse(CLOSED_DAY), 'month');
  for (const isTTY of [true, false]) {
    let shown = '';
    const stderr = Object.assign(
      new PassThrough().on('data', (part: Buffer) => (shown += part.toString())),
      { isTTY },
    );
    const work = async (step: () => void) => {
      const found = await verifyLedger(store, projectId, period);
      step();
      return found;
    };
    const { ledgerUnits } = await showReading(store, { stderr }, work, () => ', 1 project');
    expect([ledgerUnits, shown]).toEqual([
      1,
      isTTY ? expect.stringMatching(/^(\r\u001b\[K1 events, 1 project){2,}\r\u001b\[K$/) : '',
    ]);
  }
});

describe('ledger repair', () => {
  test('brings a counter to its events, is in the audit, and leaves sound books as they are', async () => {
    const projectId = await cli.newProject();
    await putCounter(projectId, THIS_MONTH, 3);
    const repair = ['ledger', 'repair', '--project', projectId];
    const asked = await cli.asked('n\n', ...repair);
    expect(asked.stderr).toContain(
      `Set the counter of project "Trips" on this machine for ${THIS_MONTH} from 3 to 0 units?`,
    );
    expect((await verify(['--project', projectId])).status).toBe(1);
    const repaired = await cli.run(...repair, '--json');
    const balanced = { consistent: true, quotaUsed: 0, ledgerUnits: 0, period: THIS_MONTH };
    expect(repaired).toMatchObject({ status: 0, stderr: '', json: { added: -3, ...balanced } });
    expect(await cli.json(...repair)).toEqual({ added: 0, ...balanced });
    expect((await cli.run(...repair)).stdout).toMatch(/^Nothing to repair\.\n/);
  });
});
