import { randomUUID } from 'node:crypto';
import { inviteMember } from '../../../functions/accounts/invitations.ts';
import { readSessionToken } from '../../../functions/accounts/sessions.ts';
import { itemsOf } from '../people.ts';
import type { TestPortal } from '../portal.ts';
import { created, person } from '../portal-team.ts';
import { ask } from './ask.ts';
import { idsOf, sessionIdOf, suspend, type Filled } from './places.ts';
import type { Caller, Ids } from './who-may.ts';
import type { World } from './world.ts';

/** A change that is made, on what nothing else looks at. */
interface Prepared {
  readonly caller: Caller;
  readonly path: string;
  /** Whether the account's audit has since told of one change more, by the caller; of no account: whether it need not. */
  readonly audited: () => Promise<boolean>;
}

/** Prepares a change for who may make it: in a new account in which the caller is the same, or with a new session. */
export async function withThingsOfTheirOwn(
  portal: TestPortal,
  { callers, places }: World,
  operationId: string,
  { caller, ids, label, path }: Filled & { readonly caller: Caller },
): Promise<Prepared> {
  const membershipState = caller.membershipState?.[places.ours.accountId?.text ?? ''];
  if (!ids.accountId) {
    // Nobody else's: a profile may be deleted.
    const browser = operationId === 'deleteProfile' ? await person(portal) : portal.browser();
    if (operationId !== 'deleteProfile') await browser.signIn(caller.email ?? '');
    const sessionId = await sessionIdOf(browser);
    const own = { ...caller, cookies: browser.jar.list() };
    return {
      caller: own,
      path: ids.sessionId ? path.replace(ids.sessionId.text, sessionId) : path,
      audited: () => Promise.resolve(true),
    };
  }
  const founder = callers.find(({ name }) => name === 'owner');
  if (!founder || !membershipState) throw new Error(`${caller.name} is not in the account`);
  const fresh = await newAccount(portal, founder, caller, membershipState);
  if (label === 'of a suspended project') await suspend(portal, fresh.ids.projectId?.text ?? '');
  const memberId = label === 'own member' ? fresh.ownMemberId : undefined;
  const filled = Object.entries(ids).reduce(
    (text, [name, old]) => text.replace(old.text, (name === 'memberId' && memberId) || fresh.ids[name]?.text || ''),
    path,
  );
  const changes = async () =>
    (await itemsOf(portal, `ACCOUNT#${fresh.ids.accountId?.text}`)).filter(({ sk }) => String(sk).startsWith('AUDIT#'));
  const before = (await changes()).map(({ sk }) => sk);
  const [token = ''] = caller.cookies.filter((cookie) => cookie.startsWith('__Host-Http-session='));
  const actor = `user:${readSessionToken(token.split('=')[1])?.userId}`;
  const audited = async () => {
    const events = (await changes()).filter(({ sk }) => !before.includes(sk));
    // Accepted before, an invitation is accepted again, and nothing changes.
    if (operationId === 'acceptInvitation' && membershipState !== 'invited') return events.length === 0;
    // A rotation tells of the old key and of the new one.
    const expected = operationId === 'rotateKey' ? 2 : 1;
    return events.length === expected && events.every((event) => event.actor === actor);
  };
  return { caller, path: filled, audited };
}

/**
 * An account in which the caller is what they are in another one, beside an owner; with a project, a key and somebody who
 * is invited.
 */
async function newAccount(
  portal: TestPortal,
  owner: Caller,
  caller: Caller,
  membershipState: 'owner' | 'member' | 'invited',
): Promise<{ ids: Ids; ownMemberId: string }> {
  const founder = membershipState === 'owner' ? caller : owner;
  const post = (path: string, body: object, by = founder) => ask(portal, by, { method: 'POST', path, body });
  const { accountId = '' } = await created(post('/api/accounts', { name: 'Another' }));
  const account = `/api/accounts/${accountId}`;
  let ownMemberId = '';
  // By an operator: a person may invite nobody so often in a day.
  const operator = { ...portal.store, actor: () => Promise.resolve('operator') };
  if (membershipState !== 'owner') {
    ownMemberId = await inviteMember(operator, accountId, { email: caller.email ?? '', role: 'member' });
  }
  if (membershipState === 'member') await post(`/api/invitations/${accountId}/accept`, {}, caller);
  const { projectId = '' } = await created(post(`${account}/projects`, { name: 'Another' }));
  const { keyId = '' } = await created(post(`${account}/projects/${projectId}/keys`, {}));
  const somebody = { email: `${randomUUID()}@example.com`, role: 'member' };
  const { memberId = '' } = await created(post(`${account}/members`, somebody));
  return { ids: idsOf({ accountId, projectId, keyId, memberId, session: { text: '' } }), ownMemberId };
}
