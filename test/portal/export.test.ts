import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { EXPORT_FORMATS, textOf } from '../../bin/admin/usage-export.ts';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { completePart } from '../../functions/usage/events/export-part.ts';
import { positionOf } from '../../functions/usage/events/recent.ts';
import { recordCalls } from '../support/database.ts';
import { endlessDeadline } from '../support/deadline.ts';
import { testGateway } from '../support/gateway.ts';
import { created, stageWithTenant } from '../support/portal-team.ts';
import { oneByOne, someEvent } from '../support/usage-events.ts';

const SECOND_MS = 1_000;
/** Lambda's maximum response size (AWS, "Lambda quotas"). */
const LAMBDA_BYTES = 6 * 1_024 * 1_024;

async function projectOf() {
  const limits = { ...DEFAULT_LIMITS, readsPerMinute: 1_000 };
  const stage = await stageWithTenant({ startDeadline: endlessDeadline, limits });
  const ask = (query: Record<string, string> = {}) =>
    stage.browser.get(`${stage.project}/events.csv`, new URLSearchParams(query).toString());
  return { ...stage, ask };
}
/** The name of each key in these tests. */
const keyName = 'CI';
const byTheCli = async (events: readonly UsageEvent[]): Promise<string> => {
  const named = events.map((event) => ({ ...event, keyName }));
  return (await Array.fromAsync(textOf(oneByOne(named), EXPORT_FORMATS.csv({ tokens: true })))).join('');
};
const newestFirst = (events: readonly UsageEvent[]): UsageEvent[] =>
  events.toSorted((a, b) => (`${a.occurredAt}#${a.requestId}` < `${b.occurredAt}#${b.requestId}` ? 1 : -1));
const idsIn = (csv: string): string[] =>
  parse<{ requestId: string }>(csv, { columns: true, record_delimiter: '\r\n' }).map(({ requestId }) => requestId);

/** The position of the oldest event of {@link eventsOf}. */
const OLDEST = '2030-01-15T09:00:00.000Z#00000000-0000-4000-8000-000000000000';
/** Events a millisecond apart, oldest first. */
const eventsOf = (projectId: string, count: number, clientRequestId: string): UsageEvent[] =>
  Array.from({ length: count }, (_, i) => {
    const occurredAt = new Date(Date.parse('2030-01-15T09:00:00.000Z') + i).toISOString();
    const requestId = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
    return someEvent({ projectId, requestId, occurredAt, clientRequestId });
  });

describe('an export of requests', () => {
  let project: Awaited<ReturnType<typeof projectOf>>;
  let stored: UsageEvent[];
  beforeAll(async () => {
    project = await projectOf();
    const { gateway, clock, browser, key } = project;
    const old = await created(browser.post(`${project.project}/keys`, { name: keyName }));
    await browser.post(`${project.project}/keys/${old.keyId}/revoke`);
    for (const clientRequestId of ['=1+1', '"a", b', '+\u{1f5dd}', '', '@SUM(A1)', 'x']) {
      clock.nowMs += 20 * SECOND_MS;
      await gateway.ping(key, { body: { clientRequestId } });
      await gateway.ping(old.key ?? '');
    }
    stored = newestFirst(await gateway.events(project.projectId));
  });

  test('is a file of the cells that the CLI writes, newest first, formulas disarmed', async () => {
    const { status, headers, text } = await project.ask();
    expect([status, headers['content-type']]).toEqual([200, 'text/csv']);
    expect(headers['content-disposition']).toBe(`attachment; filename="events-${project.projectId}.csv"`);
    expect(headers['x-next-cursor']).toBeUndefined();
    expect(text).toBe(await byTheCli(stored));
    expect(text).toContain(",'=1+1,");
    expect(stored.length).toBeGreaterThan(8);
  });

  test('is of those that are asked for', async () => {
    const { keyId } = project;
    const [since, until] = [stored[6]?.occurredAt ?? '', stored[1]?.occurredAt ?? ''];
    const within = ({ occurredAt }: UsageEvent) => since <= occurredAt && occurredAt < until;
    for (const [query, wanted] of [
      [{ event: 'request_rejected' }, ({ event }) => event === 'request_rejected'],
      [{ code: 'API_KEY_REVOKED', keyId }, () => false],
      [{ keyId, since, until }, (event) => event.keyId === keyId && within(event)],
    ] as [Record<string, string>, (event: UsageEvent) => boolean][]) {
      expect((await project.ask(query)).text).toBe(await byTheCli(stored.filter(wanted)));
    }
  });

  test('continues from a cursor of the list', async () => {
    const { body } = await project.browser.get(`${project.project}/events`, 'limit=3');
    const { cursor } = body as { cursor: string };
    expect((await project.ask({ cursor })).text).toBe(await byTheCli(stored.slice(3)));
  });

  test.each([
    ['event', { event: 'x' }],
    ['until', { since: '2030-01-15T10:00:01Z', until: '2030-01-15T10:00:00Z' }],
    ['cursor', { cursor: 'x' }],
  ])('refuses a wrong %s by name', async (field, query) => {
    const { status, body } = await project.ask(query);
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'INVALID_REQUEST', field })]);
  });
});

test('a part fits into an answer of Lambda, whatever clients called their requests', async () => {
  const { portal, projectId } = await projectOf();
  // In JSON each character takes six.
  const events = eventsOf(projectId, 6_200, '\u0001'.repeat(128)).reverse();
  const parts: string[] = [];
  let before: string | undefined;
  do {
    const filter = { span: {}, equal: {}, before };
    const left = events.filter((event) => before === undefined || positionOf(event) < before);
    const begun = { events: left, frontier: OLDEST, lookedAt: left.length };
    const part = await completePart(portal.store, projectId, filter, begun);
    parts.push(part.csv);
    before = part.next;
  } while (before !== undefined && parts.length < 20);
  const sizes = parts.map((csv) => Buffer.byteLength(JSON.stringify(csv)));
  expect(Math.max(...sizes)).toBeLessThan(LAMBDA_BYTES);
  expect(Math.max(...sizes)).toBeGreaterThan(5_000_000);
  // One response cannot contain all of them.
  expect(parts).toHaveLength(2);
  expect(parts.flatMap(idsIn)).toEqual(events.map(({ requestId }) => requestId));
});

test.each([
  ['is full, if not of what was looked at', 10_000, 9_000, Infinity, 1],
  ['has looked at so many, and found few', 1, 10_000, Infinity, 1],
  ['has looked at one less', 1, 9_999, Infinity, 2],
  ['has no time for another reading', 1, 1, 1_999, 1],
  ['has just time for one', 1, 1, 2_000, 2],
])(
  'a part that %s goes no further, and tells where the next goes on',
  async (_what, count, lookedAt, leftMs, reads) => {
    const { operatorClient, store } = testGateway();
    const { commands } = recordCalls(operatorClient);
    const deadline = Object.assign(endlessDeadline(), { leftMs: () => leftMs });
    const projectId = 'Project00000';
    const begun = { events: eventsOf(projectId, count, 'x').reverse(), frontier: OLDEST, lookedAt };
    const part = await completePart({ ...store, deadline }, projectId, { span: {}, equal: {} }, begun);
    expect(idsIn(part.csv)).toHaveLength(count);
    // The refusals of a minute that the reading ended in; and what is behind it, where nothing is.
    const queries = commands.filter((command) => command === 'Query');
    expect([queries.length, part.next]).toEqual([reads, reads === 1 ? OLDEST : undefined]);
  },
);
