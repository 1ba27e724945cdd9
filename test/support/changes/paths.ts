import { randomUUID } from 'node:crypto';
import { readStopToken, stopMails } from '../../../functions/accounts/mail/mailed-addresses.ts';
import type { Limits } from '../../../functions/accounts/store/limits.ts';
import { hashApiKey } from '../../../functions/shared/credentials/api-key.ts';
import { PORTAL, type PortalAnswer, type PortalRequest, type TestPortal } from '../portal.ts';
import { DAY_MS, MINUTE_MS } from '../times.ts';
import { stopOfMails } from '../mails.ts';
import { ledBack, type Stranger } from './provider.ts';
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

/** What a path takes: the ids for its parameters, and the rest of its request. */
type Made = Pick<PortalRequest, 'body' | 'query' | 'cookies'> & Readonly<Record<`${string}Id`, string>>;
type Make = (scene: Scene, portal: TestPortal) => Promise<Made>;
/** The calls of a path, how it is prepared, and what differs from the usual. */
type Row = readonly [
  calls: readonly string[],
  make: Make,
  more?: Partial<ChangePath> & Pick<PortalRequest, 'body'> & { readonly isRepeat?: true },
];

const S = 'BatchGetItem';
const G = 'GetItem';
const Q = 'Query';
const T = 'TransactWriteItems';

/** The statuses of an answer and of the answer to the repeat, by method. */
const USUAL: Readonly<Record<string, ChangePath['statuses']>> = {
  POST: [201, 201],
  PATCH: [200, 200],
  DELETE: [204, 404],
};

/** The paths of one operation, by name. A repeat is of a creation whose answer was lost. */
const operation = (name: string, rows: Readonly<Record<string, Row>>): ChangePath[] =>
  Object.entries(rows).map(([path, [calls, make, { body: ownBody, isRepeat, ...more } = {}]]) => {
    const [method = '', template = ''] = name.split(' ');
    const prepare = async (scene: Scene, portal: TestPortal): Promise<Asked> => {
      const { body = ownBody, query, cookies, ...ids } = await make(scene, portal);
      const filled = template.replaceAll(/\{(\w+)\}/g, (_, id: `${string}Id`) => ids[id] ?? '');
      const asked = {
        path: filled,
        ...(body !== undefined && { body }),
        ...(query && { query }),
        ...(cookies && { cookies }),
      };
      return isRepeat ? lost(scene, portal, asked) : asked;
    };
    return { name: path, operation: name, calls, statuses: USUAL[method] ?? [303, 303], prepare, ...more };
  });

const signedIn: Make = async (scene) => ({ cookies: [(await scene.somebody()).cookie] });
/** An account with a project, and the cookies of its owner. */
async function team(scene: Scene) {
  const owner = await scene.somebody();
  const accountId = await scene.account(owner);
  return { accountId, projectId: await scene.project(accountId), userId: owner.userId, cookies: [owner.cookie] };
}
async function teamWithKey(scene: Scene) {
  const made = await team(scene);
  return { ...made, keyId: (await scene.key(made.projectId)).keyId };
}
/** The key is the successor of another, which is in its grace. */
async function teamWithRotation(scene: Scene) {
  const { keyId: predecessorId, ...made } = await teamWithKey(scene);
  return { ...made, predecessorId, keyId: (await scene.rotation(made.projectId, predecessorId)).keyId };
}
const ENDPOINT = { url: 'https://example.com/hooks', kinds: ['key.expiring'] } as const;
async function teamWithEndpoint(scene: Scene) {
  const made = await team(scene);
  return { ...made, endpointId: await scene.endpoint(made.accountId, ENDPOINT) };
}
const teamWithMember: Make = async (scene) => {
  const made = await team(scene);
  return { ...made, memberId: await scene.join(made.accountId, await scene.somebody()) };
};
const invited: Make = async (scene) => {
  const someone = await scene.somebody();
  const accountId = await scene.account(await scene.somebody());
  await scene.invite(accountId, someone, 'owner');
  return { cookies: [someone.cookie], accountId };
};
/** Lets a portal create something and loses the response. */
async function lost(scene: Scene, portal: TestPortal, asked: Asked): Promise<Asked> {
  const { status, text, body } = await ask(portal, 'POST', asked);
  if (status !== 201) throw new Error(`not created: ${text}`);
  const { key, accountId } = body as { key?: string; accountId?: string };
  if (key !== undefined) scene.partitions.add(`KEY#${hashApiKey(key)}`);
  if (accountId !== undefined) scene.partitions.add(`ACCOUNT#${accountId}`);
  return asked;
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
async function callback(portal: TestPortal, who: Stranger, cookies: readonly string[]): Promise<Made> {
  const begun = await portal.send({ path: '/api/sign-in', headers: { 'sec-fetch-site': 'same-origin' }, cookies });
  const attempt = begun.cookies.map((cookie) => cookie.split(';')[0] ?? '');
  return { query: ledBack(begun.headers.location ?? '', who).search.slice(1), cookies: attempt };
}

const MAPS = { body: { name: 'Maps' } };
const ENDING = { statuses: [204, 204] } as const;
const CHANGING = { statuses: [200, 200] } as const;

const OF_ACCOUNTS = [
  operation('POST /api/accounts', {
    'an account is created': [[S, T], signedIn, MAPS],
    'an account is created again, as its answer was lost': [[S, T, T], signedIn, { ...MAPS, isRepeat: true }],
  }),
  operation('PATCH /api/accounts/{accountId}', {
    'an account is renamed': [[S, G, T], team, MAPS],
    'an account is renamed in a session that was last seen ten minutes ago': [
      [S, 'UpdateItem', G, T],
      async (scene, { clock }) => {
        const made = await team(scene);
        const earlier = clock.nowMs;
        clock.nowMs -= 11 * MINUTE_MS;
        const cookies = [await scene.session(made.userId)];
        clock.nowMs = earlier;
        return { ...made, cookies };
      },
      { ...MAPS, beside: ['UpdateItem'] },
    ],
  }),
  operation('PATCH /api/accounts/{accountId}/mails', {
    'owners choose their mails': [[S, G, T], team, { body: { quota: false } }],
  }),
  operation('PATCH /api/accounts/{accountId}/thresholds', {
    'owners choose when they are told': [[S, G, T], team, { body: { percents: [50, 90], days: [] } }],
  }),
  operation('POST /api/mails/stop', {
    'mails to an address are stopped': [
      [G, 'PutItem'],
      async (scene, { store }) => ({ query: await mailToken(scene, store) }),
      ENDING,
    ],
  }),
  operation('POST /api/mails/resume', {
    'mails to an address are wanted again': [
      [G, 'DeleteItem'],
      async (scene, { store }) => {
        const query = await mailToken(scene, store);
        const stop = await readStopToken(store, new URLSearchParams(query).get('token') ?? '');
        if (stop) await stopMails(store, stop);
        return { query };
      },
      ENDING,
    ],
  }),
  operation('DELETE /api/accounts/{accountId}', {
    'an account is closed': [
      [S, G, Q, Q, S, T],
      async (scene) => {
        const made = await team(scene);
        await scene.invite(made.accountId, await scene.somebody());
        return made;
      },
    ],
  }),
];

const OF_MEMBERS = [
  operation('POST /api/invitations/{accountId}/accept', {
    'an invitation is accepted': [[S, G, G, G, G, T], invited, CHANGING],
  }),
  operation('POST /api/invitations/{accountId}/decline', {
    'an invitation is declined': [[S, G, G, T], invited, { statuses: [204, 404] }],
  }),
  operation('POST /api/accounts/{accountId}/members', {
    'a member is invited': [
      [S, G, G, Q, G, T],
      async (scene) => {
        const { email } = (await scene.somebody()).profile;
        return { ...(await team(scene)), body: { email, role: 'member' } };
      },
    ],
  }),
  operation('PATCH /api/accounts/{accountId}/members/{memberId}', {
    'a member gets another role': [[S, G, G, T], teamWithMember, { body: { role: 'owner' } }],
  }),
  operation('DELETE /api/accounts/{accountId}/members/{memberId}', {
    'a member is removed': [[S, G, G, T], teamWithMember],
    'a member leaves': [
      [S, G, G, T],
      async (scene) => {
        const { accountId } = await team(scene);
        const someone = await scene.somebody();
        return { accountId, memberId: await scene.join(accountId, someone, 'owner'), cookies: [someone.cookie] };
      },
    ],
    'an invitation is withdrawn': [
      [S, G, G, T],
      async (scene) => {
        const made = await team(scene);
        return { ...made, memberId: await scene.invite(made.accountId, await scene.somebody()) };
      },
    ],
  }),
];

const ENDPOINTS = '/api/accounts/{accountId}/endpoints';
const OF_ENDPOINTS = [
  operation(`POST ${ENDPOINTS}`, { 'an endpoint is created': [[S, T], team, { body: ENDPOINT }] }),
  operation(`PATCH ${ENDPOINTS}/{endpointId}`, {
    'an endpoint is changed': [[S, G, T], teamWithEndpoint, { body: { status: 'disabled' } }],
  }),
  operation(`POST ${ENDPOINTS}/{endpointId}/rotate`, {
    'an endpoint gets another secret': [[S, G, T], teamWithEndpoint],
  }),
  operation(`POST ${ENDPOINTS}/{endpointId}/test`, { 'a test delivery is asked for': [[S, G, T], teamWithEndpoint] }),
  operation(`POST ${ENDPOINTS}/{endpointId}/deliveries/{deliveryId}/repeat`, {
    'a delivery is asked for again': [
      [S, G, G, T],
      async (scene) => {
        const made = await teamWithEndpoint(scene);
        return { ...made, deliveryId: await scene.delivery(made.accountId, made.endpointId) };
      },
    ],
  }),
  operation(`DELETE ${ENDPOINTS}/{endpointId}`, { 'an endpoint is deleted': [[S, G, T], teamWithEndpoint] }),
];

const TOKENS = '/api/accounts/{accountId}/tokens';
const TOKEN = { name: 'CI', scopes: ['keys:read'], expiresInDays: 1 } as const;
const OF_TOKENS = [
  operation(`POST ${TOKENS}`, {
    'a token is created': [[S, G, T], team, { body: TOKEN }],
  }),
  operation(`POST ${TOKENS}/{tokenId}/revoke`, {
    'a token is revoked': [
      [S, G, G, T],
      async (scene) => {
        const made = await team(scene);
        return { ...made, tokenId: await scene.token(made.accountId) };
      },
      { statuses: [200, 200] },
    ],
  }),
];

const PROJECTS = '/api/accounts/{accountId}/projects';
const OF_PROJECTS = [
  operation(`POST ${PROJECTS}`, { 'a project is created': [[S, T], team, MAPS] }),
  operation(`PATCH ${PROJECTS}/{projectId}`, { 'a project is renamed': [[S, G, G, Q, Q, G, T], team, MAPS] }),
  operation(`DELETE ${PROJECTS}/{projectId}`, { 'a project is closed': [[S, G, T], teamWithKey] }),
];

const KEYS = `${PROJECTS}/{projectId}/keys`;
const OF_KEYS = [
  operation(`POST ${KEYS}`, {
    'a key is created': [[S, G, T], team, { body: { name: 'CI', expiresInDays: 90 } }],
    'a key is created where one that has ended makes room': [
      [S, G, T, 'UpdateItem', G, T],
      async (scene) => {
        const made = await team(scene);
        await scene.key(made.projectId, 2 * DAY_MS, DAY_MS);
        return made;
      },
      // Taking an ended key off the list of active keys is not part of the change, and repeating it changes nothing.
      { limits: { activeKeysPerProject: 1 }, leavesOut: /^KEYS$/ },
    ],
    'a key is created, the first that shares the limit of another': [
      [S, G, G, G, G, T],
      async (scene) => {
        const made = await team(scene);
        const { keyId } = await scene.key(made.projectId, 0, undefined, { unitsLimit: 5, unitsPeriod: 'once' });
        return { ...made, body: { capOf: keyId } };
      },
    ],
    'a key is created that shares the limit of two others': [
      [S, G, G, G, G, T],
      async (scene) => {
        const made = await team(scene);
        return { ...made, body: { capOf: (await scene.sharing(made.projectId)).firstId } };
      },
    ],
    'a key is created again, as its answer was lost': [
      [S, G, T, G, G, G, T],
      team,
      { body: { name: 'CI' }, isRepeat: true },
    ],
  }),
  operation(`PATCH ${KEYS}/{keyId}`, {
    'a key is renamed': [[S, G, G, G, T], teamWithKey, { body: { name: 'Laptop' } }],
    'a key gets a cap': [[S, G, G, G, T], teamWithKey, { body: { unitsLimit: 5 } }],
    'the limit that a key shares is changed': [
      [S, G, G, G, G, T],
      async (scene) => {
        const made = await team(scene);
        return { ...made, ...(await scene.sharing(made.projectId)) };
      },
      { body: { unitsLimit: 0 } },
    ],
    'a key is paused': [[S, G, G, G, T], teamWithKey, { body: { paused: true } }],
    'a key gets another end': [[S, G, G, G, T], teamWithKey, { body: { expiresAt: null } }],
    'a key gets a cap, and its predecessor in its grace the same': [
      [S, G, G, G, G, G, T],
      teamWithRotation,
      { body: { unitsLimit: 5 } },
    ],
  }),
  operation(`POST ${KEYS}/{keyId}/revoke`, {
    'a key is revoked': [[S, G, G, G, T], teamWithKey, CHANGING],
    'a key is revoked whose predecessor takes its place': [[S, G, G, G, G, G, T], teamWithRotation, CHANGING],
  }),
  operation(`POST ${KEYS}/{keyId}/rotate`, {
    'a key is rotated whose predecessor ends with that': [
      [S, G, G, G, G, G, G, T],
      async (scene) => {
        const made = await teamWithRotation(scene);
        return { ...made, body: { ends: made.predecessorId } };
      },
    ],
    'a key is rotated': [[S, G, G, G, G, T], teamWithKey, { body: { graceHours: 1 } }],
    'a key is rotated again, as its answer was lost': [
      [S, G, G, G, G, G, G, G, G, T],
      teamWithKey,
      { body: {}, isRepeat: true },
    ],
  }),
];

const OF_PEOPLE = [
  operation('DELETE /api/sessions/{sessionId}', {
    'a session is ended': [
      [S, Q, T],
      async (scene, portal) => {
        const { userId, cookie } = await scene.somebody();
        await scene.session(userId);
        const { body } = await portal.send({ path: '/api/sessions', cookies: [cookie] });
        const { sessions } = body as { sessions: { sessionId: string; current: boolean }[] };
        const sessionId = sessions.find(({ current }) => !current)?.sessionId ?? '';
        return { sessionId, cookies: [cookie] };
      },
    ],
  }),
  operation('DELETE /api/profile', {
    'a profile is deleted': [
      [S, G, Q, S, T],
      async (scene) => {
        const { accountId } = await team(scene);
        const someone = await scene.somebody();
        await scene.join(accountId, someone);
        return { cookies: [someone.cookie] };
      },
      { behind: [Q, 'DeleteItem'], leavesOut: /^SESSION#/, statuses: [204, 401] },
    ],
  }),
  operation('POST /api/sign-out', {
    'somebody signs out': [[S, 'DeleteItem'], signedIn, { statuses: [200, 401] }],
    'somebody signs out everywhere': [[S, T], signedIn, { statuses: [200, 401], body: { everywhere: true } }],
  }),
  operation('GET /api/sign-in/callback', {
    'somebody signs in for the first time': [[G, S, T], (scene, portal) => callback(portal, scene.stranger(), [])],
    'somebody signs in again, in a browser with a session': [
      [G, G, Q, T],
      async (scene, portal) => {
        const someone = await scene.somebody();
        return callback(portal, someone, [someone.cookie]);
      },
    ],
  }),
];

/** Every path of every change in the portal. */
export const CHANGE_PATHS: readonly ChangePath[] = [
  ...[...OF_ACCOUNTS, ...OF_MEMBERS, ...OF_ENDPOINTS, ...OF_TOKENS, ...OF_PROJECTS, ...OF_KEYS, ...OF_PEOPLE].flat(),
];
