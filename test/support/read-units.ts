import { randomUUID } from 'node:crypto';
import { revokeKey } from '../../functions/accounts/api-keys.ts';
import { DEFAULT_LIMITS, type Limits } from '../../functions/accounts/limits.ts';
import { closeProject } from '../../functions/accounts/projects.ts';
import type { createClient } from '../../functions/store/client.ts';
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
interface Consumed {
  readonly CapacityUnits?: number;
}

/** Counts the read units and the calls of a client, until its `recordReadUnits` is removed. */
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

/** What a request makes the database read. */
export async function readUnitsOf<T>(
  portal: Pick<TestPortal, 'client'>,
  ask: () => Promise<T>,
): Promise<ReadUnits & { readonly answer: T }> {
  const record = recordReadUnits(portal.client);
  const answer = await ask().finally(() => portal.client.middlewareStack.remove('recordReadUnits'));
  return { ...record, answer };
}

/** Puts events of a project, one a second, the newest a minute ago. 3,600 are more than 1 MB, which one call reads. */
export const putManyEvents = (
  { store, clock }: Pick<TestPortal, 'store' | 'clock'>,
  projectId: string,
  keyId: string,
  count: number,
): Promise<void> =>
  putEvents(
    store,
    Array.from({ length: count }, (_, i) => {
      const occurredAt = new Date(clock.nowMs - MINUTE_MS - i * 1_000).toISOString();
      return someEvent({ projectId, keyId, requestId: randomUUID(), occurredAt });
    }),
  );

/** Of a world whose people have one read and one change a minute: the first is within it, the next beyond. */
export const ONE_A_MINUTE: Limits = { ...DEFAULT_LIMITS, changesPerMinute: 1, readsPerMinute: 1 };

/** How much there is in a world. */
export interface Sizes {
  readonly events: number;
  readonly endedKeys: number;
  /** To one person, each of another account. */
  readonly invitations: number;
}

/** Closed projects stay in an account for ever, and each month there may be more. */
const CLOSED_PROJECTS = 20;

/** An account with much in it; its owner, who is invited to many; a member who leaves; and somebody of another account. */
export async function largeWorld(portal: TestPortal, { events, endedKeys, invitations }: Sizes) {
  const made = scene(portal);
  const [owner, leaver, stranger] = [await made.somebody(), await made.somebody(), await made.somebody()];
  const accountId = await made.account(owner);
  const projectId = await made.project(accountId);
  const { keyId } = await made.key(projectId);
  const operator = { ...portal.store, actor: () => Promise.resolve('operator') };
  for (let i = 0; i < endedKeys; i++) {
    const ended = await made.key(projectId);
    await revokeKey(operator, projectId, ended.keyId);
  }
  for (let i = 0; i < 3; i++) await made.project(accountId);
  for (let i = 0; i < CLOSED_PROJECTS; i++) await closeProject(operator, await made.project(accountId));
  for (let i = 0; i < 3; i++) await made.join(accountId, await made.somebody());
  const memberId = await made.invite(accountId, await made.somebody());
  const invitedTo: string[] = [];
  let host = stranger;
  for (let i = 0; i < invitations; i++) {
    if (i % DEFAULT_LIMITS.accountsPerPerson === 0) host = await made.somebody();
    const invitingId = await made.account(host);
    await made.invite(invitingId, owner);
    invitedTo.push(invitingId);
  }
  // Where the minute is used up, by renaming its project.
  const spareId = await made.account(stranger);
  const spare = `/api/accounts/${spareId}/projects/${await made.project(spareId)}`;
  for (const person of [owner, leaver]) await made.join(spareId, person, 'owner');
  await made.join(accountId, leaver);
  await putManyEvents(portal, projectId, keyId, events);
  const { body } = await portal.send({ path: '/api/sessions', cookies: [await made.session(owner.userId)] });
  const { sessions } = body as { sessions: { sessionId: string; current: boolean }[] };
  const sessionId = sessions.find(({ current }) => current)?.sessionId ?? '';
  const ids = { accountId, projectId, keyId, memberId, sessionId, requestId: '01b92504-8230-7a78-958c-786de2921d1b' };
  return { made, owner, leaver, stranger, ids, invitedTo, spare };
}
type LargeWorld = Awaited<ReturnType<typeof largeWorld>>;

/** What one request of a route makes the database read, by who makes it; undefined: there is no such request. */
export interface RouteUnits {
  /** With its query, where that matters. */
  readonly route: string;
  /** With a cookie that was made up. */
  readonly madeUp: number;
  /** Of somebody who is signed in and not in the account. */
  readonly stranger: number | undefined;
  readonly within: number;
  /** Of a member who has used up the minute. */
  readonly beyond: number | undefined;
  /** Their calls: of the made-up cookie, the stranger and the member beyond the limit. */
  readonly callsOfRefused: readonly (readonly string[])[];
  /** Of all four, in their order. */
  readonly statuses: readonly (number | undefined)[];
}

/** Those that no limit a minute holds. */
const UNCOUNTED = ['getSession', 'listSessions', 'listMembers', 'listProjects', 'getProject', 'signOut'];
/** At the end, in this order: what the sums of a first look at usage serve, and what ends something for others. */
const LAST = ['getKey', 'deleteProfile', 'revokeKey', 'closeProject', 'closeAccount', 'signOut'];
const ACTIVE_KEYS = 'state=active&limit=200';
/** Queries by which a read costs as much as it can, and others that people often make. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  listInvitations: ['limit=200'],
  listAudit: ['limit=200', 'limit=200&action=key.rotate'],
  listKeys: [ACTIVE_KEYS, 'limit=200'],
  listEvents: ['limit=200', 'limit=200&event=quota_rejected'],
  // A first look, and a further one. What comes after it has the sums that it kept.
  getUsage: ['by=day&since=2029-12-20T00:00:00Z', 'by=day&since=2029-12-20T00:00:00Z'],
};

/** Measures every operation of the contract that is for people who are signed in. */
export async function measureRoutes(portal: TestPortal, world: LargeWorld): Promise<RouteUnits[]> {
  const operations = portalOperations
    .filter(({ operationId }) => WHO_MAY[operationId]?.who !== 'anyone')
    .toSorted((a, b) => LAST.indexOf(a.operationId) - LAST.indexOf(b.operationId));
  const routes: RouteUnits[] = [];
  for (const operation of operations) {
    for (const [i, query] of (QUERIES[operation.operationId] ?? ['']).entries()) {
      const again = operation.operationId === 'getUsage' && i > 0 ? ' (again)' : '';
      routes.push(await measured(portal, world, operation, query, again));
    }
  }
  return routes;
}

async function measured(
  portal: TestPortal,
  { made, owner, leaver, stranger, ids, invitedTo, spare }: LargeWorld,
  { method, path, operationId }: (typeof portalOperations)[number],
  query: string,
  again: string,
): Promise<RouteUnits> {
  const { who, body = {}, isRead = method === 'GET' } = WHO_MAY[operationId] ?? {};
  const [accepted, declined] = invitedTo;
  const accountId = who === 'invited' ? (operationId === 'acceptInvitation' ? accepted : declined) : ids.accountId;
  const named: Readonly<Record<string, string | undefined>> = { ...ids, accountId };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? '');
  // Some of the requests end it.
  const cookie = await made.session((operationId === 'deleteProfile' ? leaver : owner).userId);
  const ask = (as: string) => readUnitsOf(portal, () => send(portal, as, { method, path: filled, query, body }));
  const madeUp = await ask(`__Host-Http-session=${owner.userId}.${'A'.repeat(43)}`);
  portal.clock.nowMs += MINUTE_MS;
  // What is about people themselves has no stranger: they would ask about their own.
  const strange =
    who === 'person' || who === 'holder' || who === 'finder'
      ? undefined
      : await ask(await made.session(stranger.userId));
  let beyond: Awaited<ReturnType<typeof ask>> | undefined;
  if (!UNCOUNTED.includes(operationId) && query !== ACTIVE_KEYS) {
    portal.clock.nowMs += MINUTE_MS;
    // The one read, or the one change, of the minute.
    const use = { method: isRead ? 'GET' : 'PATCH', body: { name: 'Spare' }, query: 'limit=1' };
    const { status } = await send(portal, cookie, { ...use, path: isRead ? `${spare}/events` : spare });
    if (status !== 200) throw new Error(`the minute is not used up: ${status}`);
    beyond = await ask(cookie);
  }
  portal.clock.nowMs += MINUTE_MS;
  const within = await ask(cookie);
  return {
    route: `${method} ${path}${query === '' ? '' : `?${query}`}${again}`,
    ...{ madeUp: madeUp.units, stranger: strange?.units, within: within.units, beyond: beyond?.units },
    callsOfRefused: [madeUp.calls, strange?.calls ?? [], beyond?.calls ?? []],
    statuses: [madeUp, strange, within, beyond].map((asked) => asked?.answer.status),
  };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: object;
}

function send(portal: TestPortal, cookie: string, { method, path, query, body }: Sent): Promise<PortalAnswer> {
  const isRead = method === 'GET';
  const headers = {
    'sec-fetch-site': 'same-origin',
    // As of a timer: that the session was seen is noted at some times only.
    'x-service-background': '1',
    ...(!isRead && { 'content-type': 'application/json' }),
  };
  const request = { method, path, cookies: [cookie], headers };
  return portal.send({ ...request, ...(isRead ? { query } : { body }) });
}

/** A measured route in short: its name, and its units in the order of docs/cost-and-limits.md. */
export const inShort = ({ route, madeUp, stranger, within, beyond }: RouteUnits): readonly [string, string] => [
  route.replace('/api/accounts/{accountId}', '…'),
  `${madeUp} | ${stranger ?? '-'} | ${within} | ${beyond ?? '-'}`,
];
