import { closeAccount } from '../../../functions/accounts/projects/account-closing.ts';
import { expireKey, revokeKey } from '../../../functions/accounts/keys/api-keys.ts';
import { RefusedError } from '../../../functions/accounts/store/refusals.ts';
import type { AccountStore } from '../../../functions/accounts/store/account-store.ts';
import { inviteMember } from '../../../functions/accounts/team/invitations.ts';
import { removeMember } from '../../../functions/accounts/team/members.ts';
import { findPersonData } from '../../../functions/accounts/people/person-data.ts';
import { deletePersonData } from '../../../functions/accounts/people/person-deletion.ts';
import { closeProject, resumeProject, suspendProject } from '../../../functions/accounts/projects/projects.ts';
import { signOutMember } from '../../../functions/accounts/people/users.ts';
import type { TestGateway } from '../../support/gateway.ts';
import type { PortalAnswer, TestBrowser } from '../../support/portal.ts';
import { MINUTE_MS } from '../../support/times.ts';
import { ledBack, type Claimed } from '../../support/changes/provider.ts';
import type { Asked } from './commands.ts';

/** An answer to a browser, to the platform team or to an API key. */
export interface Answer {
  readonly status: number;
  /** Of a refusal. */
  readonly code?: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The real portal, the gateway and the admin CLI on the same tables. */
export interface Real {
  readonly browsers: readonly TestBrowser[];
  readonly gateway: TestGateway;
}

/** Runs one command. */
export async function perform({ browsers, gateway }: Real, asked: Asked): Promise<Answer> {
  const browser = browsers[asked.browser % browsers.length];
  if (!browser) throw new Error('no browser');
  if (asked.do === 'ping') return seenOf(await gateway.ping(asked.key));
  const signIn = async (profile: Claimed['profile']): Promise<Answer> =>
    seenOf(await browser.navigate(ledBack(await browser.begin(), { subject: asked.subject, profile })));
  if (asked.do === 'signIn') {
    const { email, verified, personName } = asked;
    return signIn({ email, emailVerified: email !== undefined && verified === true, name: personName });
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
  const send = async () => seenOf(await browser.request(method, path, { body, headers, query }));
  const seen = await send();
  if (seen.code !== 'NOT_SIGNED_IN' || asked.signedOut) return seen;
  await signIn({ email: asked.ownEmail, emailVerified: true, name: 'Ada' });
  return send();
}

type Request = readonly [method: string, path: string, body?: object];

/** The request of a person; undefined for other commands. */
function requestOf(asked: Asked): Request | undefined {
  const account = `/api/accounts/${asked.accountId}`;
  const project = `${account}/projects/${asked.projectId}`;
  const key = `${project}/keys/${asked.keyId}`;
  const member = `${account}/members/${asked.memberId}`;
  const { role, email, everywhere, days, unitsLimit, unitsPeriod, graceHours, ends } = asked;
  const name = { name: asked.name };
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
    createKey: ['POST', `${project}/keys`, { ...name, expiresInDays: days, unitsLimit, unitsPeriod }],
    shareCap: ['POST', `${project}/keys`, { ...name, expiresInDays: days, capOf: asked.keyId }],
    renameKey: ['PATCH', key, name],
    capKey: ['PATCH', key, { unitsLimit: unitsLimit ?? (unitsPeriod && 2) ?? null, unitsPeriod }],
    revokeKey: ['POST', `${key}/revoke`],
    rotateKey: ['POST', `${key}/rotate`, { graceHours, ends }],
    events: ['GET', `${project}/events`],
  };
  return requests[asked.do];
}

const seenOf = ({ status, body }: Pick<PortalAnswer, 'status' | 'body'>): Answer => {
  const members = (body ?? {}) as Answer['body'];
  return { status, body: members, ...(status >= 400 && { code: String(members.code) }) };
};

async function operated(store: AccountStore, asked: Asked): Promise<Answer> {
  try {
    await operate(store, asked);
    return { status: 200, body: {} };
  } catch (error) {
    if (error instanceof RefusedError) return { status: 409, code: error.code, body: {} };
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
    operatorExpires: () => expireKey(store, projectId, keyId, { inMs: MINUTE_MS }),
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
