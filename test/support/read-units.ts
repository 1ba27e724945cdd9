import { randomUUID } from 'node:crypto';
import { revokeKey } from '../../functions/accounts/keys/api-keys.ts';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { createToken } from '../../functions/accounts/tokens/tokens.ts';
import { createEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { testEndpoint } from '../../functions/accounts/endpoints/deliveries.ts';
import { closeProject } from '../../functions/accounts/projects/projects.ts';
import type { createClient } from '../../functions/shared/store/client.ts';
import { WHO_MAY } from './authority/who-may.ts';
import { scene } from './changes/scene.ts';
import { filledPath, portalOperations } from './portal-contract.ts';
import type { PortalAnswer, TestPortal } from './portal.ts';
import { putEvents } from './stored-events.ts';
import { MINUTE_MS } from './times.ts';
import { someEvent } from './usage-events.ts';

/** The reads that requests caused in the database. */
export interface ReadUnits {
  /** As the engine reports them. */
  units: number;
  /** The names of the calls, including writes. */
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

/** The reads that a request causes in the database. */
export async function readUnitsOf<T>(
  portal: Pick<TestPortal, 'client'>,
  ask: () => Promise<T>,
): Promise<ReadUnits & { readonly answer: T }> {
  const record = recordReadUnits(portal.client);
  const answer = await ask().finally(() => portal.client.middlewareStack.remove('recordReadUnits'));
  return { ...record, answer };
}

/**
 * Puts events into a project, one a second, the newest a minute ago. 3,600 events are more than 1 MB, the limit of one
 * call.
 */
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

/** The amount of data in a world; `invitations` are of one person, each to another account. */
type Sizes = Readonly<Record<'events' | 'endedKeys' | 'invitations', number>>;

/** More than are shown. */
const DELIVERIES = 60;
/** Closed projects stay in an account, and each month may add some. */
const CLOSED_PROJECTS = 20;

/** An account with much data; its owner, who has many invitations; and a member who leaves. */
export async function largeWorld(portal: TestPortal, { events, endedKeys, invitations }: Sizes) {
  const made = scene(portal);
  const [owner, leaver] = [await made.somebody(), await made.somebody()];
  const accountId = await made.account(owner);
  const projectId = await made.project(accountId);
  const { keyId } = await made.key(projectId);
  const { operator } = portal;
  for (let i = 0; i < endedKeys; i++) {
    const ended = await made.key(projectId);
    await revokeKey(operator, projectId, ended.keyId);
  }
  for (let i = 0; i < 3; i++) await made.project(accountId);
  for (let i = 0; i < CLOSED_PROJECTS; i++) await closeProject(operator, await made.project(accountId));
  for (let i = 0; i < 3; i++) await made.join(accountId, await made.somebody());
  const memberId = await made.invite(accountId, await made.somebody());
  const invitedTo: string[] = [];
  let host = leaver;
  for (let i = 0; i < invitations; i++) {
    if (i % DEFAULT_LIMITS.accountsPerPerson === 0) host = await made.somebody();
    const invitingId = await made.account(host);
    await made.invite(invitingId, owner);
    invitedTo.push(invitingId);
  }
  await made.join(accountId, leaver);
  await putManyEvents(portal, projectId, keyId, events);
  const { body } = await portal.send({ path: '/api/sessions', cookies: [await made.session(owner.userId)] });
  const { sessions } = body as { sessions: { sessionId: string; current: boolean }[] };
  const sessionId = sessions.find(({ current }) => current)?.sessionId ?? '';
  const endpoint = { url: 'https://example.com/hooks', kinds: ['key.expiring'] } as const;
  const { endpointId } = await createEndpoint(operator, accountId, endpoint);
  let deliveryId = '';
  for (let i = 0; i < DELIVERIES; i++) deliveryId = await testEndpoint(operator, accountId, endpointId);
  const requestId = '01b92504-8230-7a78-958c-786de2921d1b';
  const details = { name: 'CI', scopes: ['keys:read'] as const, lifetimeMs: 30 * 86_400_000 };
  const { tokenId } = await createToken(operator, accountId, details);
  const ids = { accountId, projectId, keyId, memberId, endpointId, deliveryId, sessionId, requestId, tokenId };
  return { made, owner, leaver, ids, invitedTo };
}
type LargeWorld = Awaited<ReturnType<typeof largeWorld>>;

/** The read units of one request of a route by a member. */
export interface RouteUnits {
  /** Method and path, `…` for that of the account, and the query, if it matters. */
  readonly route: string;
  readonly units: number;
}

/**
 * These come last, in this order: some benefit from the sums that a first read of usage stores, others end something
 * that the rest needs.
 */
const LAST = ['deleteEndpoint', 'getKey', 'deleteProfile', 'revokeKey', 'closeProject', 'closeAccount', 'signOut'];
const ACTIVE_KEYS = 'state=active&limit=200';
/** The most expensive queries of a read, and frequent ones. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  listInvitations: ['limit=200'],
  listAudit: ['limit=200', 'limit=200&action=key.rotate'],
  listKeys: [ACTIVE_KEYS, 'limit=200'],
  listEvents: ['limit=200', 'limit=200&event=quota_rejected'],
  // A first read, and a later one, which has the stored sums of the first.
  getUsage: ['by=day&since=2029-12-20T00:00:00Z', 'by=day&since=2029-12-20T00:00:00Z'],
};

/** Measures every operation of the contract for signed-in people. */
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
  { made, owner, leaver, ids, invitedTo }: LargeWorld,
  { method, path, operationId }: (typeof portalOperations)[number],
  query: string,
  again: string,
): Promise<RouteUnits> {
  const { who, body = {} } = WHO_MAY[operationId] ?? {};
  const [accepted, declined] = invitedTo;
  const accountId = who === 'invited' ? (operationId === 'acceptInvitation' ? accepted : declined) : ids.accountId;
  const named: Readonly<Record<string, string | undefined>> = { ...ids, accountId };
  const filled = filledPath(path, named);
  // Some of the requests end the session.
  const cookie = await made.session((operationId === 'deleteProfile' ? leaver : owner).userId);
  portal.clock.nowMs += MINUTE_MS;
  const { units } = await readUnitsOf(portal, () => send(portal, cookie, { method, path: filled, query, body }));
  return {
    route: `${method} ${path.replace('/api/accounts/{accountId}', '…')}${query === '' ? '' : `?${query}`}${again}`,
    units,
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
    // The header of a timer: the session's last use is recorded only at intervals.
    'x-service-background': '1',
    ...(!isRead && { 'content-type': 'application/json' }),
  };
  const request = { method, path, cookies: [cookie], headers };
  return portal.send({ ...request, ...(isRead ? { query } : { body }) });
}
