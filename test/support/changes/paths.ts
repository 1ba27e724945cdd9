import { randomUUID } from 'node:crypto';
import { readStopToken, stopMails } from '../../../functions/accounts/mailed-addresses.ts';
import type { Limits } from '../../../functions/accounts/limits.ts';
import { hashApiKey } from '../../../functions/core/api-key.ts';
import { PORTAL, type PortalAnswer, type PortalRequest, type TestPortal } from '../portal.ts';
import { DAY_MS, MINUTE_MS } from '../times.ts';
import { stopOfMails } from '../mails.ts';
import { codeOf, type Stranger } from './provider.ts';
import type { Scene } from './scene.ts';

/** A change that is ready to be requested. */
export interface Asked extends Pick<PortalRequest, 'body' | 'query' | 'cookies'> {
  readonly path: string;
}

/** The page sends it with one click and with each repeat of the click. */
const IDEMPOTENCY_KEY = 'the-same-click';

/** One path of a change through the portal: its calls and its result. */
export interface ChangePath {
  readonly name: string;
  /** Method and path of the contract. */
  readonly operation: string;
  /** Database calls, in order, up to and including the one that makes the change. */
  readonly calls: readonly string[];
  /** The calls after it. If they fail, there is still an answer. */
  readonly behind?: readonly string[];
  /** Calls of {@link calls} that are not part of the change. If they fail, nothing else fails. */
  readonly beside?: readonly string[];
  /** The status of the response, and of the response to the same request again. */
  readonly statuses: readonly [number, number];
  readonly limits?: Partial<Limits>;
  /** Items that expire by themselves. */
  readonly leavesOut?: RegExp;
  readonly prepare: (scene: Scene, portal: TestPortal) => Promise<Asked>;
}

const SESSION = ['BatchGetItem'] as const;
const T = 'TransactWriteItems';
const get = (count: number): string[] => Array<string>(count).fill('GetItem');

/** An account with a project and a key, and the cookies of its owner. */
async function team(scene: Scene) {
  const owner = await scene.somebody();
  const accountId = await scene.account(owner);
  const projectId = await scene.project(accountId);
  const account = `/api/accounts/${accountId}`;
  return { owner, accountId, projectId, account, project: `${account}/projects/${projectId}`, cookies: [owner.cookie] };
}
async function teamWithKey(scene: Scene) {
  const made = await team(scene);
  const { keyId } = await scene.key(made.projectId);
  return { ...made, keyId, ofKey: `${made.project}/keys/${keyId}` };
}
const ENDPOINT = { url: 'https://example.com/hooks', kinds: ['key.expiring'] } as const;
async function teamWithEndpoint(scene: Scene) {
  const made = await team(scene);
  const endpointId = await scene.endpoint(made.accountId, ENDPOINT);
  return { ...made, endpointId, endpoint: `${made.account}/endpoints/${endpointId}` };
}
/** Lets a portal create something and loses the response. */
async function lost(scene: Scene, portal: TestPortal, asked: Asked): Promise<Asked> {
  const { status, text, body } = await ask(portal, 'POST', asked);
  if (status !== 201) throw new Error(`not created: ${text}`);
  const { key, accountId } = body as { key?: string; accountId?: string };
  if (key !== undefined) scene.partitions.add(`KEY#${hashApiKey(key)}`);
  if (accountId !== undefined) scene.partitions.add(`ACCOUNT#${accountId}`);
  return asked;
}
async function invited(scene: Scene) {
  const someone = await scene.somebody();
  const accountId = await scene.account(await scene.somebody());
  await scene.invite(accountId, someone, 'owner');
  return { cookies: [someone.cookie], invitation: `/api/invitations/${accountId}` };
}

/** The query that a mail has, to an address of its own. */
async function mailToken(scene: Scene, store: TestPortal['store']): Promise<string> {
  const { hash, query } = await stopOfMails(store, `${randomUUID()}@example.com`, 'invitations');
  scene.partitions.add(`MAILED#${hash}`);
  return query;
}

/** Sends a change as the portal's page does, or the callback as a browser does after the provider's redirect. */
export function ask(portal: TestPortal, method: string, asked: Asked): Promise<PortalAnswer> {
  const headers = {
    'sec-fetch-site': method === 'GET' ? 'cross-site' : 'same-origin',
    ...(method !== 'GET' && { origin: PORTAL, 'content-type': 'application/json', 'idempotency-key': IDEMPOTENCY_KEY }),
  };
  return portal.send({ method, headers, ...(method !== 'GET' && { body: {} }), ...asked });
}

/** The callback from the provider, for a browser with these cookies. */
async function callback(portal: TestPortal, who: Stranger, cookies: readonly string[]): Promise<Asked> {
  const begun = await portal.send({ path: '/api/sign-in', headers: { 'sec-fetch-site': 'same-origin' }, cookies });
  const state = new URL(begun.headers.location ?? '').searchParams.get('state') ?? '';
  const attempt = begun.cookies.map((cookie) => cookie.split(';')[0] ?? '');
  const query = new URLSearchParams({ state, code: codeOf(who) }).toString();
  return { path: '/api/sign-in/callback', query, cookies: attempt };
}

/** Every path of every change in the portal. */
export const CHANGE_PATHS: readonly ChangePath[] = [
  {
    name: 'an account is created',
    operation: 'POST /api/accounts',
    calls: [...SESSION, T],
    statuses: [201, 201],
    prepare: async (scene) => ({
      path: '/api/accounts',
      body: { name: 'Maps' },
      cookies: [(await scene.somebody()).cookie],
    }),
  },
  {
    name: 'an account is created again, as its answer was lost',
    operation: 'POST /api/accounts',
    calls: [...SESSION, T, T],
    statuses: [201, 201],
    prepare: async (scene, portal) => {
      const { cookie } = await scene.somebody();
      return lost(scene, portal, { path: '/api/accounts', body: { name: 'Maps' }, cookies: [cookie] });
    },
  },
  {
    name: 'an account is renamed',
    operation: 'PATCH /api/accounts/{accountId}',
    calls: [...SESSION, 'GetItem', T],
    statuses: [200, 200],
    prepare: async (scene) => {
      const { account, cookies } = await team(scene);
      return { path: account, body: { name: 'Maps' }, cookies };
    },
  },
  {
    name: 'owners choose their mails',
    operation: 'PATCH /api/accounts/{accountId}/mails',
    calls: [...SESSION, 'GetItem', T],
    statuses: [200, 200],
    prepare: async (scene) => {
      const { account, cookies } = await team(scene);
      return { path: `${account}/mails`, body: { quota: false }, cookies };
    },
  },
  {
    name: 'mails to an address are stopped',
    operation: 'POST /api/mails/stop',
    calls: ['GetItem', 'PutItem'],
    statuses: [204, 204],
    prepare: async (scene, { store }) => ({ path: '/api/mails/stop', query: await mailToken(scene, store) }),
  },
  {
    name: 'mails to an address are wanted again',
    operation: 'POST /api/mails/resume',
    calls: ['GetItem', 'DeleteItem'],
    statuses: [204, 204],
    prepare: async (scene, { store }) => {
      const query = await mailToken(scene, store);
      const stop = await readStopToken(store, new URLSearchParams(query).get('token') ?? '');
      if (stop) await stopMails(store, stop);
      return { path: '/api/mails/resume', query };
    },
  },
  {
    name: 'an account is renamed in a session that was last seen ten minutes ago',
    operation: 'PATCH /api/accounts/{accountId}',
    calls: [...SESSION, 'UpdateItem', 'GetItem', T],
    beside: ['UpdateItem'],
    statuses: [200, 200],
    prepare: async (scene, { clock }) => {
      const { account, owner } = await team(scene);
      const earlier = clock.nowMs;
      clock.nowMs -= 11 * MINUTE_MS;
      const cookies = [await scene.session(owner.userId)];
      clock.nowMs = earlier;
      return { path: account, body: { name: 'Maps' }, cookies };
    },
  },
  {
    name: 'an account is closed',
    operation: 'DELETE /api/accounts/{accountId}',
    calls: [...SESSION, 'GetItem', 'Query', 'Query', 'BatchGetItem', T],
    statuses: [204, 404],
    prepare: async (scene) => {
      const { account, accountId, cookies } = await team(scene);
      await scene.invite(accountId, await scene.somebody());
      return { path: account, cookies };
    },
  },
  {
    name: 'an invitation is accepted',
    operation: 'POST /api/invitations/{accountId}/accept',
    calls: [...SESSION, ...get(4), T],
    statuses: [200, 200],
    prepare: async (scene) => {
      const { invitation, cookies } = await invited(scene);
      return { path: `${invitation}/accept`, cookies };
    },
  },
  {
    name: 'an invitation is declined',
    operation: 'POST /api/invitations/{accountId}/decline',
    calls: [...SESSION, ...get(2), T],
    statuses: [204, 404],
    prepare: async (scene) => {
      const { invitation, cookies } = await invited(scene);
      return { path: `${invitation}/decline`, cookies };
    },
  },
  {
    name: 'a member is invited',
    operation: 'POST /api/accounts/{accountId}/members',
    calls: [...SESSION, ...get(2), 'Query', 'GetItem', T],
    statuses: [201, 201],
    prepare: async (scene) => {
      const { account, cookies } = await team(scene);
      const { profile } = await scene.somebody();
      return { path: `${account}/members`, body: { email: profile.email, role: 'member' }, cookies };
    },
  },
  {
    name: 'a member gets another role',
    operation: 'PATCH /api/accounts/{accountId}/members/{memberId}',
    calls: [...SESSION, ...get(2), T],
    statuses: [200, 200],
    prepare: async (scene) => {
      const { account, accountId, cookies } = await team(scene);
      const memberId = await scene.join(accountId, await scene.somebody());
      return { path: `${account}/members/${memberId}`, body: { role: 'owner' }, cookies };
    },
  },
  {
    name: 'a member is removed',
    operation: 'DELETE /api/accounts/{accountId}/members/{memberId}',
    calls: [...SESSION, ...get(2), T],
    statuses: [204, 404],
    prepare: async (scene) => {
      const { account, accountId, cookies } = await team(scene);
      const memberId = await scene.join(accountId, await scene.somebody());
      return { path: `${account}/members/${memberId}`, cookies };
    },
  },
  {
    name: 'a member leaves',
    operation: 'DELETE /api/accounts/{accountId}/members/{memberId}',
    calls: [...SESSION, ...get(2), T],
    statuses: [204, 404],
    prepare: async (scene) => {
      const { account, accountId } = await team(scene);
      const someone = await scene.somebody();
      const memberId = await scene.join(accountId, someone, 'owner');
      return { path: `${account}/members/${memberId}`, cookies: [someone.cookie] };
    },
  },
  {
    name: 'an invitation is withdrawn',
    operation: 'DELETE /api/accounts/{accountId}/members/{memberId}',
    calls: [...SESSION, ...get(2), T],
    statuses: [204, 404],
    prepare: async (scene) => {
      const { account, accountId, cookies } = await team(scene);
      const memberId = await scene.invite(accountId, await scene.somebody());
      return { path: `${account}/members/${memberId}`, cookies };
    },
  },
  {
    name: 'a project is created',
    operation: 'POST /api/accounts/{accountId}/projects',
    calls: [...SESSION, T],
    statuses: [201, 201],
    prepare: async (scene) => {
      const { account, cookies } = await team(scene);
      return { path: `${account}/projects`, body: { name: 'Maps' }, cookies };
    },
  },
  {
    name: 'an endpoint is created',
    operation: 'POST /api/accounts/{accountId}/endpoints',
    calls: [...SESSION, T],
    statuses: [201, 201],
    prepare: async (scene) => {
      const { account, cookies } = await team(scene);
      return { path: `${account}/endpoints`, body: ENDPOINT, cookies };
    },
  },
  {
    name: 'an endpoint is changed',
    operation: 'PATCH /api/accounts/{accountId}/endpoints/{endpointId}',
    calls: [...SESSION, 'GetItem', T],
    statuses: [200, 200],
    prepare: async (scene) => {
      const { endpoint, cookies } = await teamWithEndpoint(scene);
      return { path: endpoint, body: { status: 'disabled' }, cookies };
    },
  },
  {
    name: 'an endpoint gets another secret',
    operation: 'POST /api/accounts/{accountId}/endpoints/{endpointId}/rotate',
    calls: [...SESSION, 'GetItem', T],
    statuses: [201, 201],
    prepare: async (scene) => {
      const { endpoint, cookies } = await teamWithEndpoint(scene);
      return { path: `${endpoint}/rotate`, cookies };
    },
  },
  {
    name: 'a test delivery is asked for',
    operation: 'POST /api/accounts/{accountId}/endpoints/{endpointId}/test',
    calls: [...SESSION, 'GetItem', T],
    statuses: [201, 201],
    prepare: async (scene) => {
      const { endpoint, cookies } = await teamWithEndpoint(scene);
      return { path: `${endpoint}/test`, cookies };
    },
  },
  {
    name: 'a delivery is asked for again',
    operation: 'POST /api/accounts/{accountId}/endpoints/{endpointId}/deliveries/{deliveryId}/repeat',
    calls: [...SESSION, ...get(2), T],
    statuses: [201, 201],
    prepare: async (scene) => {
      const { endpoint, accountId, endpointId, cookies } = await teamWithEndpoint(scene);
      return { path: `${endpoint}/deliveries/${await scene.delivery(accountId, endpointId)}/repeat`, cookies };
    },
  },
  {
    name: 'an endpoint is deleted',
    operation: 'DELETE /api/accounts/{accountId}/endpoints/{endpointId}',
    calls: [...SESSION, 'GetItem', T],
    statuses: [204, 404],
    prepare: async (scene) => {
      const { endpoint, cookies } = await teamWithEndpoint(scene);
      return { path: endpoint, cookies };
    },
  },
  {
    name: 'a project is renamed',
    operation: 'PATCH /api/accounts/{accountId}/projects/{projectId}',
    calls: [...SESSION, 'GetItem', 'GetItem', 'Query', 'Query', 'GetItem', T],
    statuses: [200, 200],
    prepare: async (scene) => {
      const { project, cookies } = await team(scene);
      return { path: project, body: { name: 'Maps' }, cookies };
    },
  },
  {
    name: 'a project is closed',
    operation: 'DELETE /api/accounts/{accountId}/projects/{projectId}',
    calls: [...SESSION, 'GetItem', T],
    statuses: [204, 404],
    prepare: async (scene) => {
      const { project, cookies } = await teamWithKey(scene);
      return { path: project, cookies };
    },
  },
  {
    name: 'a key is created',
    operation: 'POST /api/accounts/{accountId}/projects/{projectId}/keys',
    calls: [...SESSION, 'GetItem', T],
    statuses: [201, 201],
    prepare: async (scene) => {
      const { project, cookies } = await team(scene);
      return { path: `${project}/keys`, body: { name: 'CI', expiresInDays: 90 }, cookies };
    },
  },
  {
    name: 'a key is created where one that has ended makes room',
    operation: 'POST /api/accounts/{accountId}/projects/{projectId}/keys',
    calls: [...SESSION, 'GetItem', T, 'UpdateItem', 'GetItem', T],
    statuses: [201, 201],
    limits: { activeKeysPerProject: 1 },
    // Taking an ended key off the list of active keys is not part of the change, and repeating it changes nothing.
    leavesOut: /^KEYS$/,
    prepare: async (scene) => {
      const { project, projectId, cookies } = await team(scene);
      await scene.key(projectId, 2 * DAY_MS, DAY_MS);
      return { path: `${project}/keys`, body: {}, cookies };
    },
  },
  {
    name: 'a key is created again, as its answer was lost',
    operation: 'POST /api/accounts/{accountId}/projects/{projectId}/keys',
    calls: [...SESSION, 'GetItem', T, ...get(4), T],
    statuses: [201, 201],
    prepare: async (scene, portal) => {
      const { project, cookies } = await team(scene);
      return lost(scene, portal, { path: `${project}/keys`, body: { name: 'CI' }, cookies });
    },
  },
  {
    name: 'a key is renamed',
    operation: 'PATCH /api/accounts/{accountId}/projects/{projectId}/keys/{keyId}',
    calls: [...SESSION, ...get(3), T],
    statuses: [200, 200],
    prepare: async (scene) => {
      const { ofKey, cookies } = await teamWithKey(scene);
      return { path: ofKey, body: { name: 'Laptop' }, cookies };
    },
  },
  {
    name: 'a key gets a cap',
    operation: 'PATCH /api/accounts/{accountId}/projects/{projectId}/keys/{keyId}',
    calls: [...SESSION, ...get(3), T],
    statuses: [200, 200],
    prepare: async (scene) => {
      const { ofKey, cookies } = await teamWithKey(scene);
      return { path: ofKey, body: { unitsLimit: 5 }, cookies };
    },
  },
  {
    name: 'a key gets a cap, and its predecessor in its grace the same',
    operation: 'PATCH /api/accounts/{accountId}/projects/{projectId}/keys/{keyId}',
    calls: [...SESSION, ...get(5), T],
    statuses: [200, 200],
    prepare: async (scene) => {
      const { project, keyId, cookies } = await teamWithKey(scene);
      const { keyId: successor } = await scene.rotation(project, keyId);
      return { path: `${project}/keys/${successor}`, body: { unitsLimit: 5 }, cookies };
    },
  },
  {
    name: 'a key is revoked',
    operation: 'POST /api/accounts/{accountId}/projects/{projectId}/keys/{keyId}/revoke',
    calls: [...SESSION, ...get(3), T],
    statuses: [200, 200],
    prepare: async (scene) => {
      const { ofKey, cookies } = await teamWithKey(scene);
      return { path: `${ofKey}/revoke`, cookies };
    },
  },
  {
    name: 'a key is revoked whose predecessor takes its place',
    operation: 'POST /api/accounts/{accountId}/projects/{projectId}/keys/{keyId}/revoke',
    calls: [...SESSION, ...get(5), T],
    statuses: [200, 200],
    prepare: async (scene) => {
      const { project, keyId, cookies } = await teamWithKey(scene);
      const { keyId: successor } = await scene.rotation(project, keyId);
      return { path: `${project}/keys/${successor}/revoke`, cookies };
    },
  },
  {
    name: 'a key is rotated whose predecessor ends with that',
    operation: 'POST /api/accounts/{accountId}/projects/{projectId}/keys/{keyId}/rotate',
    calls: [...SESSION, ...get(6), T],
    statuses: [201, 201],
    prepare: async (scene) => {
      const { project, keyId, cookies } = await teamWithKey(scene);
      const { keyId: successor } = await scene.rotation(project, keyId);
      return { path: `${project}/keys/${successor}/rotate`, body: { ends: keyId }, cookies };
    },
  },
  {
    name: 'a key is rotated',
    operation: 'POST /api/accounts/{accountId}/projects/{projectId}/keys/{keyId}/rotate',
    calls: [...SESSION, ...get(4), T],
    statuses: [201, 201],
    prepare: async (scene) => {
      const { ofKey, cookies } = await teamWithKey(scene);
      return { path: `${ofKey}/rotate`, body: { graceHours: 1 }, cookies };
    },
  },
  {
    name: 'a key is rotated again, as its answer was lost',
    operation: 'POST /api/accounts/{accountId}/projects/{projectId}/keys/{keyId}/rotate',
    calls: [...SESSION, ...get(9), T],
    statuses: [201, 201],
    prepare: async (scene, portal) => {
      const { ofKey, cookies } = await teamWithKey(scene);
      return lost(scene, portal, { path: `${ofKey}/rotate`, body: {}, cookies });
    },
  },
  {
    name: 'a session is ended',
    operation: 'DELETE /api/sessions/{sessionId}',
    calls: [...SESSION, 'Query', T],
    statuses: [204, 404],
    prepare: async (scene, portal) => {
      const { userId, cookie } = await scene.somebody();
      await scene.session(userId);
      const { body } = await portal.send({ path: '/api/sessions', cookies: [cookie] });
      const { sessions } = body as { sessions: { sessionId: string; current: boolean }[] };
      const { sessionId } = sessions.find(({ current }) => !current) ?? {};
      return { path: `/api/sessions/${sessionId}`, cookies: [cookie] };
    },
  },
  {
    name: 'a profile is deleted',
    operation: 'DELETE /api/profile',
    calls: [...SESSION, 'GetItem', 'Query', 'BatchGetItem', T],
    behind: ['Query', 'DeleteItem'],
    leavesOut: /^SESSION#/,
    statuses: [204, 401],
    prepare: async (scene) => {
      const { accountId } = await team(scene);
      const someone = await scene.somebody();
      await scene.join(accountId, someone);
      return { path: '/api/profile', cookies: [someone.cookie] };
    },
  },
  {
    name: 'somebody signs out',
    operation: 'POST /api/sign-out',
    calls: [...SESSION, 'DeleteItem'],
    statuses: [200, 401],
    prepare: async (scene) => ({ path: '/api/sign-out', cookies: [(await scene.somebody()).cookie] }),
  },
  {
    name: 'somebody signs out everywhere',
    operation: 'POST /api/sign-out',
    calls: [...SESSION, T],
    statuses: [200, 401],
    prepare: async (scene) => ({
      path: '/api/sign-out',
      body: { everywhere: true },
      cookies: [(await scene.somebody()).cookie],
    }),
  },
  {
    name: 'somebody signs in for the first time',
    operation: 'GET /api/sign-in/callback',
    calls: ['GetItem', 'BatchGetItem', T],
    statuses: [303, 303],
    prepare: (scene, portal) => callback(portal, scene.stranger(), []),
  },
  {
    name: 'somebody signs in again, in a browser with a session',
    operation: 'GET /api/sign-in/callback',
    calls: [...get(2), 'Query', T],
    statuses: [303, 303],
    prepare: async (scene, portal) => {
      const someone = await scene.somebody();
      return callback(portal, someone, [someone.cookie]);
    },
  },
];
