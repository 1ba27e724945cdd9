import assert from 'node:assert/strict';
import type { MeasuredWire, WireBrowser } from './wire.ts';

/** Counts of what was made and ended, for a comparison with what is stored. */
export interface Made {
  people: number;
  sessions: number;
  members: number;
  keys: number;
  /** Audit events. */
  changes: number;
}

/** An account with one project and its people. The first person stays its owner. */
export interface Team {
  readonly account: string;
  readonly accountId: string;
  readonly project: string;
  readonly people: readonly Teammate[];
  /** The number of pings, and of those that were answered with 200. */
  sent: number;
  succeeded: number;
}

export interface Teammate {
  readonly browser: WireBrowser;
  readonly memberId: string;
  /** The keys that this person made and has not revoked. */
  readonly keys: { readonly keyId: string; readonly key: string }[];
  isOwner: boolean;
}

/** Signs people in and makes a team: the first invites the others, who accept. */
export async function makeTeam(wire: MeasuredWire, emails: readonly string[], made: Made): Promise<Team> {
  const browsers = emails.map((email) => wire.browser(email));
  for (const browser of browsers) await signIn(browser, made, true);
  const [owner, ...others] = browsers;
  assert.ok(owner);
  const { accountId } = (await owner.expect(201, 'createAccount', 'POST', '/api/accounts', { name: 'Team' })) as Ids;
  const account = `/api/accounts/${accountId}`;
  const named = { name: 'Project' };
  const { projectId } = (await owner.expect(201, 'createProject', 'POST', `${account}/projects`, named)) as Ids;
  const { accounts } = await owner.expect(200, 'session', 'GET', '/api/session');
  const [own] = accounts as { memberId: string }[];
  const people: Teammate[] = [{ browser: owner, memberId: own?.memberId ?? '', keys: [], isOwner: true }];
  for (const browser of others) {
    const memberId = await admit(owner, account, browser, made);
    people.push({ browser, memberId, keys: [], isOwner: false });
  }
  made.members++;
  made.changes += 2;
  return { account, accountId, project: `${account}/projects/${projectId}`, people, sent: 0, succeeded: 0 };
}

type Ids = Readonly<Record<'accountId' | 'projectId' | 'memberId' | 'keyId' | 'key', string>>;

/** A first sign-in makes a person. Each sign-in makes a session. */
async function signIn(browser: WireBrowser, made: Made, isFirst: boolean): Promise<void> {
  await browser.signIn();
  made.sessions++;
  if (isFirst) made.people++;
}

/** Invites a signed-in person, who accepts. Returns the member's id. */
async function admit(owner: WireBrowser, account: string, guest: WireBrowser, made: Made): Promise<string> {
  const invitation = { email: guest.email, role: 'member' };
  const { memberId } = (await owner.expect(201, 'invite', 'POST', `${account}/members`, invitation)) as Ids;
  const accountId = account.slice('/api/accounts/'.length);
  const joined = await guest.expect(200, 'accept', 'POST', `/api/invitations/${accountId}/accept`);
  assert.deepEqual(joined, { accountId, name: 'Team', role: 'member' });
  made.members++;
  made.changes += 2;
  return memberId;
}

const MAX_OWN_KEYS = 3;

/** The actions of a person in a team, by name. Each throws for a wrong answer. */
export const actions = (wire: MeasuredWire, made: Made) => ({
  ping: async (team: Team, { keys }: Teammate, chance: number): Promise<void> => {
    const known = keys[Math.floor(chance * keys.length)];
    if (!known) return;
    team.sent++;
    const { status, text } = await wire.ping(known.key);
    assert.equal(status, 200, text);
    team.succeeded++;
  },
  createKey: async (team: Team, { browser, keys }: Teammate): Promise<void> => {
    if (keys.length >= MAX_OWN_KEYS) return;
    const { keyId, key } = (await browser.expect(201, 'createKey', 'POST', `${team.project}/keys`, {})) as Ids;
    keys.push({ keyId, key });
    made.keys++;
    made.changes++;
  },
  revokeKey: async (team: Team, { browser, keys }: Teammate): Promise<void> => {
    const revoked = keys.shift();
    if (!revoked) return;
    const body = await browser.expect(200, 'revokeKey', 'POST', `${team.project}/keys/${revoked.keyId}/revoke`);
    assert.equal(body.status, 'revoked');
    made.changes++;
    const refused = await wire.ping(revoked.key);
    assert.equal(refused.body.code, 'API_KEY_REVOKED');
  },
  listKeys: async (team: Team, { browser, keys: own }: Teammate): Promise<void> => {
    const { keys } = await browser.expect(200, 'keys', 'GET', `${team.project}/keys?state=active&limit=200`);
    const active = keys as { keyId: string; status: string }[];
    for (const { status } of active) assert.equal(status, 'active');
    const ids = new Set(active.map(({ keyId }) => keyId));
    for (const { keyId } of own) assert.ok(ids.has(keyId), `an active key is not in the list: ${keyId}`);
  },
  usage: async (team: Team, { browser }: Teammate): Promise<void> => {
    const { succeeded } = team;
    const { total, complete } = await browser.expect(200, 'usage', 'GET', `${team.project}/usage?by=hour`);
    const { units } = total as { units: number };
    if (complete === true) assert.ok(units >= succeeded && units <= team.sent, `usage says ${units} units`);
  },
  events: async (team: Team, { browser }: Teammate): Promise<void> => {
    const { succeeded } = team;
    const { events } = await browser.expect(200, 'events', 'GET', `${team.project}/events?limit=50`);
    const listed = events as { occurredAt: string; requestId: string }[];
    const ids = new Set(listed.map(({ requestId }) => requestId));
    assert.ok(ids.size === listed.length && listed.length >= Math.min(50, succeeded), `${listed.length} events`);
  },
  session: async (_team: Team, { browser, isOwner }: Teammate): Promise<void> => {
    const { user, accounts } = await browser.expect(200, 'session', 'GET', '/api/session');
    assert.equal((user as { email: string }).email, browser.email);
    // Another owner may change the role meanwhile.
    assert.ok((accounts as unknown[]).length === 1 && typeof isOwner === 'boolean');
  },
  signInAgain: async (_team: Team, { browser }: Teammate): Promise<void> => {
    const before = new Map(browser.jar.cookies);
    await browser.expect(200, 'signOut', 'POST', '/api/sign-out');
    made.sessions--;
    for (const [name, value] of before) browser.jar.cookies.set(name, value);
    await browser.expect(401, 'signedOut', 'GET', '/api/session');
    browser.jar.cookies.clear();
    await signIn(browser, made, false);
  },
  changeRole: async (team: Team, _asker: Teammate, chance: number): Promise<void> => {
    const [owner, ...others] = team.people;
    const member = others[Math.floor(chance * others.length)];
    assert.ok(owner && member);
    member.isOwner = !member.isOwner;
    const role = member.isOwner ? 'owner' : 'member';
    const path = `${team.account}/members/${member.memberId}`;
    assert.equal((await owner.browser.expect(200, 'changeRole', 'PATCH', path, { role })).role, role);
    made.changes++;
  },
  audit: async (team: Team): Promise<void> => {
    const [owner] = team.people;
    const { events } = (await owner?.browser.expect(200, 'audit', 'GET', `${team.account}/audit?limit=20`)) ?? {};
    assert.equal((events as unknown[]).length > 0, true);
  },
  guest: async (team: Team, _asker: Teammate, chance: number): Promise<void> => {
    const [owner] = team.people;
    assert.ok(owner);
    const guest = wire.browser(`guest-${team.accountId}-${made.people}-${Math.floor(chance * 1e9)}@example.com`);
    await signIn(guest, made, true);
    const memberId = await admit(owner.browser, team.account, guest, made);
    await guest.expect(200, 'members', 'GET', `${team.account}/members`);
    await guest.expect(403, 'ownerOnly', 'GET', `${team.account}/audit`);
    await owner.browser.expect(204, 'removeMember', 'DELETE', `${team.account}/members/${memberId}`);
    made.members--;
    made.changes++;
    await guest.expect(404, 'removed', 'GET', `${team.account}/members`);
    await guest.expect(200, 'signOut', 'POST', '/api/sign-out');
    made.sessions--;
  },
});
