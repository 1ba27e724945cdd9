import { randomUUID } from 'node:crypto';
import type { TestPortal } from '../portal.ts';
import { created, endpointOf, join, person, tenantOf, type TestPerson } from '../portal-team.ts';
import { tokenOf } from '../tokens.ts';
import { endedSessions, expiredSessions } from './people.ts';
import { anotherProject, ended, idsOf, putRequest, sessionIdOf, suspend, type Places } from './places.ts';
import type { Caller, Id } from './who-may.ts';

/** Two accounts of unrelated people, one person who is in both, and everyone who calls. */
export interface World {
  readonly callers: readonly Caller[];
  readonly places: Places;
}

/** Creates everything through the portal itself. */
export async function theWorld(portal: TestPortal): Promise<World> {
  const ada = await person(portal, 'ada');
  const expired = await expiredSessions(portal, ada.email);
  await ada.signIn(ada.email);
  const { accountId, account, projectId, keyId } = await tenantOf(portal, ada);
  const members = `${account}/members`;
  const [member, removed] = [await join(portal, ada, accountId), await join(portal, ada, accountId)];
  const viewer = await join(portal, ada, accountId, 'viewer');
  await ada.delete(`${members}/${removed.memberId}`);
  const invited = await person(portal, 'invited');
  await created(ada.post(members, { email: invited.email, role: 'owner' }));
  const email = `${randomUUID()}@example.com`;
  const { memberId = '' } = await created(ada.post(members, { email, role: 'member' }));

  const bob = await person(portal, 'bob');
  const other = await tenantOf(portal, bob);
  const both = await join(portal, ada, accountId);
  const { memberId: bothsId = '' } = await created(
    bob.post(`${other.account}/members`, { email: both.email, role: 'owner' }),
  );
  await both.post(`/api/invitations/${other.accountId}/accept`);

  const ours = {
    accountId,
    projectId,
    keyId,
    memberId,
    ...(await endpointOf(ada, account)),
    tokenId: (await tokenOf(ada, account)).tokenId,
    session: await sessionOf(portal, ada, 'owner'),
  };
  const suspended = await anotherProject(ada, ours);
  await suspend(portal, suspended.projectId);
  const closed = await anotherProject(ada, ours);
  await ada.delete(`${account}/projects/${closed.projectId}`);
  const closedAccount = await tenantOf(portal, ada);
  await ada.delete(closedAccount.account);
  const { tokenId } = await tokenOf(bob, other.account);
  const ofBob = { memberId: bothsId, tokenId, ...(await endpointOf(bob, other.account)) };
  const theirs = { ...other, ...ofBob, session: await sessionOf(portal, bob, 'another account’s owner') };
  const ourIds = idsOf(ours);
  const places: Places = {
    ours: ourIds,
    suspended: idsOf(suspended),
    theirs: idsOf(theirs),
    gone: {
      'of a closed project': ended(idsOf(closed), ['projectId', 'keyId', 'requestId']),
      'of a closed account': ended(idsOf({ ...ours, ...closedAccount }), Object.keys(ourIds)),
      'of a removed member': { ...ourIds, memberId: { text: removed.memberId } },
    },
  };
  for (const ids of [places.ours, places.suspended, places.theirs]) await putRequest(portal, ids);
  return {
    places,
    callers: [
      ...expired,
      ...(await endedSessions(portal, ada, accountId)),
      await caller('owner', ada, { [accountId]: 'owner' }),
      await caller('member', member, { [accountId]: 'member' }),
      await caller('viewer', viewer, { [accountId]: 'viewer' }),
      await caller('invited', invited, { [accountId]: 'invited' }),
      await caller('removed member', removed),
      await caller('another account’s owner', bob, { [other.accountId]: 'owner' }),
      await caller('member, and another account’s owner', both, { [accountId]: 'member', [other.accountId]: 'owner' }),
    ],
  };
}

/** Another session of a person, beside the one of the call. */
async function sessionOf(portal: TestPortal, { email }: TestPerson, holder: string): Promise<Id> {
  const browser = portal.browser();
  await browser.signIn(email);
  return { text: await sessionIdOf(browser), within: {}, holder };
}

async function caller(
  name: string,
  browser: TestPerson,
  membershipState: Caller['membershipState'] = {},
): Promise<Caller> {
  const { accounts } = (await browser.get('/api/session')).body as {
    accounts: { accountId: string; memberId: string }[];
  };
  const memberIds = Object.fromEntries(accounts.map(({ accountId, memberId }) => [accountId, memberId]));
  return { name, email: browser.email, cookies: browser.jar.list(), membershipState, memberIds };
}
