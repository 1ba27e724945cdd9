import { randomUUID } from 'node:crypto';
import type { createClient } from '../../functions/store/client.ts';
import { revokeKey } from '../../functions/accounts/api-keys.ts';
import { DEFAULT_LIMITS, type Limits } from '../../functions/accounts/limits.ts';
import { WHO_MAY } from './authority/who-may.ts';
import { scene } from './changes/scene.ts';
import { portalOperations } from './portal-contract.ts';
import type { PortalAnswer, TestPortal } from './portal.ts';
import { putEvents } from './stored-events.ts';
import { MINUTE_MS } from './times.ts';
import { someEvent } from './usage-events.ts';

/** What some requests made the database read. */
export interface ReadUnits {
  /** As the engine reports them. */
  units: number;
  /** Names of the calls, those that write included. */
  readonly calls: string[];
}

const READS = /^(BatchGetItem|GetItem|Query|Scan|TransactGetItems)Command$/;

/** Counts the read units and the calls of a client, until its `countsReadUnits` is removed. */
export function recordReadUnits(client: ReturnType<typeof createClient>): ReadUnits {
  const record: ReadUnits = { units: 0, calls: [] };
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        record.calls.push(commandName.replace(/Command$/, ''));
        if (!READS.test(commandName)) return next(args);
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
        const { ConsumedCapacity = [] } = result.output as { ConsumedCapacity?: Consumed | Consumed[] };
        for (const { CapacityUnits = 0 } of [ConsumedCapacity].flat()) record.units += CapacityUnits;
        return result;
      },
    { step: 'initialize', name: 'recordReadUnits' },
  );
  return record;
}
interface Consumed {
  readonly CapacityUnits?: number;
}

/** What a request makes the database read. */
async function readUnitsOf(
  portal: Pick<TestPortal, 'client'>,
  ask: () => Promise<PortalAnswer>,
): Promise<ReadUnits & { readonly answer: PortalAnswer }> {
  const record = recordReadUnits(portal.client);
  const answer = await ask().finally(() => portal.client.middlewareStack.remove('recordReadUnits'));
  return { ...record, answer };
}

/** Of a world whose people have one read and one change a minute: the first is within it, the next beyond. */
export const ONE_A_MINUTE: Limits = { ...DEFAULT_LIMITS, changesPerMinute: 1, readsPerMinute: 1 };

/** How much there is in a world. */
export interface Sizes {
  readonly events: number;
  readonly endedKeys: number;
  readonly invitations: number;
}

/** An account with much in it, its owner, somebody of another account, and nobody. */
export async function largeWorld(portal: TestPortal, { events, endedKeys, invitations }: Sizes) {
  const made = scene(portal);
  const [owner, stranger] = [await made.somebody(), await made.somebody()];
  const accountId = await made.account(owner);
  await made.account(stranger);
  const projectId = await made.project(accountId);
  const { keyId } = await made.key(projectId);
  const operator = { ...portal.plane, actor: () => Promise.resolve('operator') };
  for (let i = 0; i < endedKeys; i++) {
    const ended = await made.key(projectId);
    await revokeKey(operator, projectId, ended.keyId);
  }
  for (let i = 0; i < 3; i++) await made.project(accountId);
  for (let i = 0; i < 3; i++) await made.join(accountId, await made.somebody());
  let [invitedTo, host] = ['', owner];
  for (let i = 0; i < invitations; i++) {
    if (i % DEFAULT_LIMITS.accountsPerPerson === 0) host = await made.somebody();
    invitedTo = await made.account(host);
    await made.invite(invitedTo, owner);
  }
  // By which the minute is used up; it goes on when the owner's profile is deleted.
  const spare = await made.account(owner);
  await made.join(spare, stranger, 'owner');
  const memberId = await made.invite(accountId, await made.somebody());
  const otherCookie = await made.session(owner.userId);
  // One a second, the newest a minute ago: of several minutes, hours and days.
  const stored = Array.from({ length: events }, (_, i) =>
    someEvent({
      projectId,
      keyId,
      requestId: randomUUID(),
      occurredAt: new Date(portal.clock.nowMs - MINUTE_MS - i * 1_000).toISOString(),
    }),
  );
  await putEvents(portal.plane, stored);
  const { body } = await portal.send({ path: '/api/sessions', cookies: [otherCookie] });
  const { sessions } = body as { sessions: { sessionId: string; current: boolean }[] };
  const sessionId = sessions.find(({ current }) => current)?.sessionId ?? '';
  const ids = { accountId, projectId, keyId, memberId, sessionId, requestId: '00000000-0000-4000-8000-000000000000' };
  return { made, owner, stranger, ids, invitedTo, spare };
}
type LargeWorld = Awaited<ReturnType<typeof largeWorld>>;

/** The most read units of one request, by who makes it; undefined: there is no such request. */
export interface RouteUnits {
  readonly route: string;
  readonly madeUp: number;
  readonly stranger: number;
  readonly within: number;
  readonly beyond: number | undefined;
  /** The calls of a made-up session, and of a stranger. */
  readonly callsOfOthers: readonly (readonly string[])[];
  readonly statuses: readonly (number | undefined)[];
}

/** Those that are not counted, so that nobody is beyond a limit. */
const UNCOUNTED = ['getSession', 'listSessions', 'listMembers', 'listProjects', 'getProject', 'listKeys', 'signOut'];
/** What ends something that others are measured by comes last, in this order. */
const LAST = ['revokeKey', 'closeProject', 'closeAccount', 'signOut', 'deleteProfile'];
/** Queries by which a read costs the most that it can. */
const QUERIES: Readonly<Record<string, string>> = {
  listAudit: 'limit=200&action=key.rotate',
  listEvents: 'limit=200&event=quota_rejected',
  getUsage: 'by=day&since=2029-12-20T00:00:00Z',
};

/** Measures every operation of the contract that is for people who are signed in. */
export async function measureRoutes(portal: TestPortal, world: LargeWorld): Promise<RouteUnits[]> {
  const { made, owner, stranger, ids, invitedTo } = world;
  const operations = portalOperations
    .filter(({ operationId }) => WHO_MAY[operationId]?.who !== 'anyone')
    .toSorted((a, b) => LAST.indexOf(a.operationId) - LAST.indexOf(b.operationId));
  const routes: RouteUnits[] = [];
  for (const { method, path, operationId } of operations) {
    // Some of them end it.
    const cookie = await made.session(owner.userId);
    const who = WHO_MAY[operationId]?.who;
    const named: Readonly<Record<string, string>> = { ...ids, ...(who === 'invited' && { accountId: invitedTo }) };
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? '');
    const ask = (as: string) =>
      readUnitsOf(portal, () =>
        portal.send({
          method,
          path: filled,
          query: QUERIES[operationId] ?? '',
          cookies: [as],
          headers: {
            'sec-fetch-site': 'same-origin',
            // As of a timer: that the session was seen is noted at some times only.
            'x-service-background': '1',
            ...(method !== 'GET' && { 'content-type': 'application/json' }),
          },
          ...(method !== 'GET' && { body: WHO_MAY[operationId]?.body ?? {} }),
        }),
      );
    const madeUp = await ask(`__Host-Http-session=${owner.userId}.${'A'.repeat(43)}`);
    portal.clock.nowMs += MINUTE_MS;
    // What is about people themselves has no stranger: it would be done.
    const strange = who === 'person' || operationId === 'endSession' ? undefined : await ask(stranger.cookie);
    let beyond: Awaited<ReturnType<typeof ask>> | undefined;
    if (!UNCOUNTED.includes(operationId)) {
      portal.clock.nowMs += MINUTE_MS;
      await useUp(portal, world, method, cookie);
      beyond = await ask(cookie);
    }
    portal.clock.nowMs += MINUTE_MS;
    const within = await ask(cookie);
    routes.push({
      route: `${method} ${path}`,
      madeUp: madeUp.units,
      stranger: strange?.units ?? madeUp.units,
      within: within.units,
      beyond: beyond?.units,
      callsOfOthers: [madeUp.calls, strange?.calls ?? []],
      statuses: [madeUp.answer.status, strange?.answer.status, within.answer.status, beyond?.answer.status],
    });
  }
  return routes;
}

/** Makes the one read, or the one change, of the owner's minute. */
async function useUp(portal: TestPortal, { spare }: LargeWorld, method: string, cookie: string): Promise<void> {
  const cookies = [cookie];
  const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const path = `/api/accounts/${spare}`;
  const { status } =
    method === 'GET'
      ? await portal.send({ path: `${path}/audit`, query: 'limit=1', cookies, headers })
      : await portal.send({ method: 'PATCH', path, body: { name: 'Spare' }, cookies, headers });
  if (status !== 200) throw new Error(`the minute is not used up: ${status}`);
}

/** The measured routes as a table of Markdown. */
export const readUnitsTable = (routes: readonly RouteUnits[]): string =>
  [
    '| Route | Made-up cookie | Stranger | Member within | Member beyond |',
    '| --- | --- | --- | --- | --- |',
    ...routes.map(
      ({ route, madeUp, stranger, within, beyond }) =>
        `| \`${route}\` | ${madeUp} | ${stranger} | ${within} | ${beyond ?? '-'} |`,
    ),
  ].join('\n');
