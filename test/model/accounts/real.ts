import { listMembers } from '../../../functions/accounts/stored-members.ts';
import { closeAccount } from '../../../functions/accounts/account-closing.ts';
import { expireKey, revokeKey } from '../../../functions/accounts/api-keys.ts';
import { RefusedError } from '../../../functions/accounts/refusals.ts';
import type { AccountStore } from '../../../functions/accounts/account-store.ts';
import { inviteMember } from '../../../functions/accounts/invitations.ts';
import { removeMember } from '../../../functions/accounts/members.ts';
import { findPersonData } from '../../../functions/accounts/person-data.ts';
import { deletePersonData } from '../../../functions/accounts/person-deletion.ts';
import { closeProject, resumeProject, suspendProject } from '../../../functions/accounts/projects.ts';
import { signOutMember } from '../../../functions/accounts/users.ts';
import type { TestGateway } from '../../support/gateway.ts';
import type { PortalAnswer, TestBrowser } from '../../support/portal.ts';
import { answer, Refused, type Seen } from './answers.ts';
import type { Asked } from './commands.ts';
import { EXPIRES_IN_MS } from './operator.ts';
import type { ScriptedProvider } from './provider.ts';
import { inOneOrder } from './teams.ts';

/** The real portal, the gateway and the admin CLI on the same tables. */
export interface Real {
  readonly browsers: readonly TestBrowser[];
  readonly provider: ScriptedProvider;
  readonly gateway: TestGateway;
}

/** Runs one command for real, and returns the answer in the model's form. */
export async function perform({ browsers, provider, gateway }: Real, asked: Asked): Promise<Seen> {
  const browser = browsers[asked.browser % browsers.length];
  if (!browser) throw new Error('no browser');
  if (asked.do === 'ping') return pinged(gateway, asked.key);
  if (asked.do === 'signIn') {
    const { searchParams } = new URL(await browser.begin());
    return seenOf(await browser.navigate(provider.signedIn(searchParams.get('state') ?? '', asked)));
  }
  const request = requestOf(asked);
  if (request === undefined) return operated(gateway.store, asked);
  const [method, path, body] = request;
  const headers = {
    ...(asked.idempotencyKey !== null && { 'idempotency-key': asked.idempotencyKey }),
    ...(asked.background && { 'x-service-background': '1' }),
    ...(method !== 'GET' && { 'content-type': 'application/json' }),
  };
  const ofKeys = asked.everywhere ? '' : 'state=active';
  const query = asked.do === 'keys' ? ofKeys : asked.do === 'audit' || asked.do === 'events' ? 'limit=200' : '';
  const seen = seenOf(await browser.request(method, path, { body, headers, query }));
  if (asked.do === 'audit') return inOrder(seen);
  if (asked.do === 'events') return idsOnly(seen);
  if (asked.do !== 'createAccount' || seen.status !== 201) return seen;
  const [owner] = await Array.fromAsync(listMembers(gateway.store, (seen.body as { accountId: string }).accountId));
  return { ...seen, ...(owner && { memberId: owner.memberId }) };
}

type Request = readonly [method: string, path: string, body?: object];

/** The request of a person; undefined for other commands. */
function requestOf(asked: Asked): Request | undefined {
  const account = `/api/accounts/${asked.accountId}`;
  const project = `${account}/projects/${asked.projectId}`;
  const key = `${project}/keys/${asked.keyId}`;
  const member = `${account}/members/${asked.memberId}`;
  const { role, email, everywhere, days, unitsLimit, graceHours, ends } = asked;
  const name = { name: asked.name.given };
  const requests: Partial<Record<Asked['do'], Request>> = {
    signOut: ['POST', '/api/sign-out', { everywhere }],
    session: ['GET', '/api/session'],
    sessions: ['GET', '/api/sessions'],
    endSession: ['DELETE', `/api/sessions/${asked.sessionId}`],
    deleteProfile: ['DELETE', '/api/profile'],
    createAccount: ['POST', '/api/accounts', name],
    renameAccount: ['PATCH', account, name],
    closeAccount: ['DELETE', account],
    members: ['GET', `${account}/members`],
    invite: ['POST', `${account}/members`, { email, role }],
    accept: ['POST', `/api/invitations/${asked.accountId}/accept`],
    decline: ['POST', `/api/invitations/${asked.accountId}/decline`],
    changeRole: ['PATCH', member, { role }],
    remove: ['DELETE', member],
    leave: ['DELETE', member],
    audit: ['GET', `${account}/audit`],
    projects: ['GET', `${account}/projects`],
    project: ['GET', project],
    createProject: ['POST', `${account}/projects`, name],
    renameProject: ['PATCH', project, name],
    closeProject: ['DELETE', project],
    keys: ['GET', `${project}/keys`],
    createKey: ['POST', `${project}/keys`, { ...name, expiresInDays: days, unitsLimit }],
    renameKey: ['PATCH', key, name],
    capKey: ['PATCH', key, { unitsLimit: unitsLimit ?? null }],
    revokeKey: ['POST', `${key}/revoke`],
    rotateKey: ['POST', `${key}/rotate`, { graceHours, ends }],
    events: ['GET', `${project}/events`],
  };
  return requests[asked.do];
}

/** The answer in the model's form. `send` compares the rest with the contract. */
function seenOf({ status, body, cookies, headers }: PortalAnswer): Seen {
  const { type: _t, title: _i, status: _s, detail: _d, ok, requestId: _r, ...error } = (body ?? {}) as Problem;
  const { location, 'retry-after': retryAfter } = headers;
  return {
    ...answer(
      status,
      ok === false ? error : body,
      cookies.map((line) => line.replace(/sign-in-[^=]+/, 'sign-in-STATE')).toSorted(),
    ),
    ...(location !== undefined && { location }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}
type Problem = Record<'type' | 'title' | 'status' | 'detail' | 'ok' | 'requestId', unknown>;

/** Newest first, with one fixed order inside a moment. */
function inOrder(seen: Seen): Seen {
  const { events, ...rest } = seen.body as { events?: { at: string }[] };
  if (!events) return seen;
  if (events.some(({ at }, i) => at > (events[i - 1]?.at ?? at))) throw new Error('the audit is not newest first');
  return { ...seen, body: { ...rest, events: inOneOrder(events) } };
}

function idsOnly(seen: Seen): Seen {
  const { events, ...rest } = seen.body as { events?: { requestId: string }[] };
  return events ? { ...seen, body: { ...rest, events: events.map(({ requestId }) => requestId).sort() } } : seen;
}

async function pinged(gateway: TestGateway, key: string): Promise<Seen> {
  const { status, body } = await gateway.ping(key);
  const { code = null, requestId } = body;
  return answer(status, { code, requestId });
}

async function operated(store: AccountStore, asked: Asked): Promise<Seen> {
  try {
    const memberId = await operate(store, asked);
    return answer(200, typeof memberId === 'string' ? { memberId } : undefined);
  } catch (error) {
    if (error instanceof RefusedError) return new Refused(error.code).answer;
    throw error;
  }
}

function operate(store: AccountStore, asked: Asked): Promise<unknown> {
  const { accountId, projectId, keyId, memberId, role, email = '' } = asked;
  const operations: Partial<Record<Asked['do'], () => Promise<unknown>>> = {
    suspend: () => suspendProject(store, projectId),
    resume: () => resumeProject(store, projectId),
    operatorClosesProject: () => closeProject(store, projectId),
    operatorClosesAccount: () => closeAccount(store, accountId),
    operatorRevokes: () => revokeKey(store, projectId, keyId),
    operatorExpires: () => expireKey(store, projectId, keyId, { inMs: EXPIRES_IN_MS }),
    operatorInvites: () => inviteMember(store, accountId, { email, role }),
    operatorRemoves: () => removeMember(store, accountId, memberId),
    operatorSignsOut: () => signOutMember(store, accountId, memberId),
    operatorDeletesPerson: () => deleteOnlyPerson(store, email),
  };
  const operation = operations[asked.do];
  if (!operation) throw new Error(`${asked.do} is no operator's`);
  return operation();
}

/** As the command does it without `--user`. */
async function deleteOnlyPerson(store: AccountStore, email: string): Promise<void> {
  const data = await findPersonData(store, email);
  if (data.people.length > 1) throw new RefusedError('Several people have this address.');
  await deletePersonData(store, data);
}
