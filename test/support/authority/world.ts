import { randomUUID } from 'node:crypto';
import type { TestPortal } from '../portal.ts';
import { created, endpointOf, join, person, tenantOf, type TestPerson } from '../portal-team.ts';
import { tokenOf } from '../tokens.ts';
import { anotherProject, ended, idsOf, putRequest, sessionIdOf, suspend, type Places } from './places.ts';
import type { Caller, Id, Role } from './who-may.ts';

/** Two accounts of unrelated people, one person who is in both, and everyone who calls. */
export interface World {
  readonly callers: readonly Caller[];
  readonly places: Places;
}

/** Creates everything through the portal itself. */
export async function theWorld(portal: TestPortal): Promise<World> {
  const made = await accountOf(portal);
  const { browser: ada, accountId, account } = made;
  const [member, viewer, invited, removed] = [
    await memberOf(portal, made, 'member'),
    await memberOf(portal, made, 'viewer'),
    await memberOf(portal, made, 'invited'),
    await join(portal, ada, accountId),
  ];
  await ada.delete(`${account}/members/${removed.memberId}`);

  const bob = await person(portal, 'bob');
  const other = await accountOf(portal, bob);
  const both = await join(portal, ada, accountId);
  const { memberId: bothsId = '' } = await created(
    bob.post(`${other.account}/members`, { email: both.email, role: 'owner' }),
  );
  await both.post(`/api/invitations/${other.accountId}/accept`);

  const ours = { ...made, session: await sessionOf(portal, ada, 'owner') };
  const suspended = await anotherProject(ada, ours);
  await suspend(portal, suspended.projectId);
  const closed = await anotherProject(ada, ours);
  await ada.delete(`${account}/projects/${closed.projectId}`);
  const closedAccount = await tenantOf(portal, ada);
  await ada.delete(closedAccount.account);
  const theirs = { ...other, memberId: bothsId, session: await sessionOf(portal, bob, 'another account’s owner') };
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
      { name: 'without a session', cookies: [] },
      await caller('owner', ada, { [accountId]: 'owner' }),
      await caller('member', member, { [accountId]: 'member' }),
      await caller('viewer', viewer, { [accountId]: 'viewer' }),
      await caller('invited', invited, { [accountId]: 'invited' }),
      await caller('another account’s owner', bob, { [other.accountId]: 'owner' }),
      await caller('member, and another account’s owner', both, { [accountId]: 'member', [other.accountId]: 'owner' }),
    ],
  };
}

/** An account with one thing of each kind. */
export async function accountOf(portal: TestPortal, owner?: TestPerson) {
  const tenant = await tenantOf(portal, owner);
  const { browser, account } = tenant;
  const somebody = { email: `${randomUUID()}@example.com`, role: 'member' };
  const { memberId = '' } = await created(browser.post(`${account}/members`, somebody));
  const { tokenId } = await tokenOf(browser, account);
  return { ...tenant, memberId, tokenId, ...(await endpointOf(browser, account)) };
}

/** A new person with a role in an account. */
export async function memberOf(
  portal: TestPortal,
  { browser, account, accountId }: Awaited<ReturnType<typeof accountOf>>,
  role: Role,
) {
  if (role !== 'invited') return join(portal, browser, accountId, role);
  const invited = await person(portal, role);
  const { memberId = '' } = await created(browser.post(`${account}/members`, { email: invited.email, role: 'owner' }));
  return Object.assign(invited, { memberId });
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
