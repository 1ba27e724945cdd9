import { beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { memberNames } from '../../functions/shared/http/json-body.ts';
import type { ItemKey } from '../../functions/shared/store/items.ts';
import { fillings, type Filled, idsOf, sessionIdOf, suspend } from '../support/authority/places.ts';
import { verdictOf, WHO_MAY, type Caller, type Verdict, type Ids } from '../support/authority/who-may.ts';
import { theWorld, type World } from '../support/authority/world.ts';
import { IS_FULL } from '../support/extent.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { portalOperations } from '../support/portal-contract.ts';
import { testPortal, type PortalAnswer, type TestPortal } from '../support/portal.ts';
import { itemsAt, triedWrites } from '../support/written-items.ts';
import { randomUUID } from 'node:crypto';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { readSessionToken } from '../../functions/accounts/people/sessions.ts';
import { itemsOf } from '../support/people.ts';
import { created, endpointOf, person } from '../support/portal-team.ts';
import { tokenOf } from '../support/tokens.ts';

const LIMITS = { ...DEFAULT_LIMITS, accountsPerPerson: 1_000, changesPerMinute: 100_000, readsPerMinute: 100_000 };
/** The number of requests in flight. */
const AT_ONCE = 12;
const STATUS: Readonly<Record<Verdict, number>> = {
  done: 200,
  NOT_SIGNED_IN: 401,
  NOT_FOUND: 404,
  OWNER_ONLY: 403,
  MEMBER_ONLY: 403,
};

let portal: TestPortal;
let world: World;
let tried: ReadonlyMap<string, ItemKey>;
/** The items of the two accounts and of all people. */
let keys: ItemKey[];
let held: ReadonlyMap<string, string>;
beforeAll(async () => {
  portal = testPortal(trustingProvider, { limits: LIMITS });
  tried = triedWrites(portal.client);
  world = await theWorld(portal);
  keys = [...tried.values()];
  held = await itemsAt(portal.store, keys);
});

/** The items that an action changes or adds, except counts of reads. */
async function changedBy(something: () => Promise<void>): Promise<string[]> {
  const before = new Set(tried.keys());
  await something();
  const added = [...tried].filter(([name]) => !before.has(name)).map(([, key]) => key);
  const [now, made] = await Promise.all([itemsAt(portal.store, keys), itemsAt(portal.store, added)]);
  const changed = [...held.keys(), ...now.keys()].filter((name) => held.get(name) !== now.get(name));
  // Without the items in new accounts: no other test looks at them.
  keys.push(...added.filter(({ pk }) => OF_PEOPLE.test(pk)));
  held = new Map([...now, ...[...made].filter(([name]) => OF_PEOPLE.test(name))]);
  return [...new Set([...changed, ...made.keys()])].filter((name) => !isCountOfReads(name));
}
/** The items of a person, and the use of their limits. */
const OF_PEOPLE = /^USE[DR]#/;
/** A read of usage, requests or the audit is counted; `events.test.ts` and others check when. */
const isCountOfReads = (name: string): boolean => /^USED#\w+ READS#/.test(name);
/** A change that the role refuses is counted; `floods.test.ts` checks that. */
const isCountOfChanges = (name: string): boolean => /^USED#\w+ CHANGES#/.test(name);

/** A caller and what they request. */
interface Cell extends Filled {
  readonly caller: Caller;
  readonly body: object;
  readonly verdict: Verdict;
}
const operationNamed = (operationId: string) => {
  const found = portalOperations.find((operation) => operation.operationId === operationId);
  if (!found) throw new Error(`The contract has no operation ${operationId}.`);
  return found;
};
/**
 * Who calls an operation. The same code decides who is signed in for all of them: a landing tries each with one ended
 * session and with none.
 */
function callersOf(operationId: string): readonly Caller[] {
  const ended = world.callers.filter(({ membershipState }) => !membershipState);
  const one = ended[operationIds.indexOf(operationId) % ended.length];
  return world.callers.filter(
    (caller) => IS_FULL || !ended.includes(caller) || caller === one || caller.name === NO_SESSION,
  );
}
function cellsOf(operationId: string): Cell[] {
  const { path } = operationNamed(operationId);
  return callersOf(operationId).flatMap((caller) => {
    const self = caller.memberIds?.[world.places.ours.accountId?.text ?? ''];
    const filled = fillings(path, world.places, path.includes('{memberId}') ? self : undefined);
    const some = filled.filter(({ label, isMalformed }) => {
      // Without a session the ids of a request do not matter.
      if (!caller.membershipState) return FEWEST.has(label);
      if (IS_FULL) return true;
      // A landing tries all ids with who belongs to both accounts, and malformed ids with an owner.
      const belongsToBoth = Object.keys(caller.membershipState).length > 1;
      return isMalformed ? caller.name === 'owner' : belongsToBoth || FEWEST.has(label) || OWN.has(label);
    });
    const { body = {} } = WHO_MAY[operationId] ?? {};
    return some.map((one) => ({ ...one, caller, body, verdict: verdictOf(operationId, caller, one.ids) }));
  });
}
const OWN: ReadonlySet<string> = new Set(['own', 'of a suspended project', 'own member']);
const FEWEST: ReadonlySet<string> = new Set(['own', 'theirs']);
const NO_SESSION = 'without a session';
const nameOf = ({ caller, label }: Cell): string => `${caller.name}, ${label}`;

/** Sends the request of each cell, some at a time, and returns each wrong answer. */
async function askAll(
  operationId: string,
  cells: readonly Cell[],
  wrong: (cell: Cell, answer: PortalAnswer) => unknown,
) {
  const { method } = operationNamed(operationId);
  const found: unknown[] = [];
  const left = [...cells];
  const askSome = async () => {
    for (let cell = left.pop(); cell; cell = left.pop()) {
      const answer = await ask(portal, cell.caller, { method, path: cell.path, body: cell.body });
      const problem = wrong(cell, answer);
      if (problem !== undefined) found.push([nameOf(cell), problem]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askSome));
  return found;
}

/** What the token in the query allows, whoever has it: `mails.test.ts`. */
const BY_TOKEN: readonly string[] = ['stopMails', 'resumeMails'];
const operationIds = portalOperations.map(({ operationId }) => operationId);

test('every operation of the contract has its row, of who may and of the members of its body', () => {
  expect(Object.keys(WHO_MAY).sort()).toEqual([...operationIds].sort());
  for (const { operationId, by, body: listed } of portalOperations) {
    const { who = 'anyone', body, notSent = [] } = WHO_MAY[operationId] ?? {};
    const members = listed && memberNames(listed).toSorted();
    expect([operationId, by, members]).toEqual([
      operationId,
      { holder: 'person', finder: 'person', invited: 'person', 'owner or self': 'owner' }[who as string] ?? who,
      body && [...Object.keys(body), ...notSent].sort(),
    ]);
  }
});

describe.each(operationIds.filter((id) => !BY_TOKEN.includes(id)))('%s', (operationId) => {
  const { method } = operationNamed(operationId);

  test('is refused to everybody else as the contract says: nothing is written, and nothing revealed', async () => {
    /** What a refusal says but for its request id: of all those with one code the same. */
    const refusals: Partial<Record<Verdict, string>> = {};
    const refused = cellsOf(operationId).filter(({ verdict }) => verdict !== 'done');
    const changed = await changedBy(async () => {
      const wrong = await askAll(operationId, refused, ({ verdict }, { status, headers, text, body, cookies }) => {
        const { code, requestId } = body as { code: string; requestId: string };
        if (status !== STATUS[verdict] || code !== verdict) return [status, code, `not ${verdict}`];
        const said = JSON.stringify([headers, cookies, text]).replaceAll(requestId, '…');
        refusals[verdict] ??= said;
        return said === refusals[verdict] ? undefined : [said, `not ${refusals[verdict]}`];
      });
      expect(wrong).toEqual([]);
    });
    const mayCount = refused.some(({ verdict }) => verdict === 'OWNER_ONLY' || verdict === 'MEMBER_ONLY');
    expect(changed.filter((name) => !(mayCount && isCountOfChanges(name)))).toEqual([]);
  });

  test('is done for who may, and touches nothing else', async () => {
    const done = cellsOf(operationId).filter(({ verdict }) => verdict === 'done');
    expect(done.length).toBeGreaterThan(0);
    const changed = await changedBy(async () => {
      if (method === 'GET' || WHO_MAY[operationId]?.isRead) await read(operationId, done);
      else for (const cell of ofEachKind(done)) await change(operationId, cell);
    });
    const isOwn = (name: string) =>
      OF_PEOPLE.test(name) || name.startsWith('ROLLUP#') || (method !== 'GET' && !held.has(name));
    expect(changed.filter((name) => !isOwn(name))).toEqual([]);
  });
});

/** One for each membership state, with own ids. */
function ofEachKind(cells: readonly Cell[]): Cell[] {
  const kinds = new Map<string, Cell>();
  for (const cell of cells.filter(({ label }) => OWN.has(label))) {
    const membershipState = cell.caller.membershipState?.[world.places.ours.accountId?.text ?? ''];
    const kind = `${membershipState} ${cell.label}`;
    if (!kinds.has(kind)) kinds.set(kind, cell);
  }
  return [...kinds.values()];
}

async function read(operationId: string, cells: readonly Cell[]): Promise<void> {
  const wrong = await askAll(operationId, cells, ({ caller }, { status, text }) => {
    const others = idsOutside(caller).filter((id) => text.includes(id));
    return status < 400 && others.length === 0 ? undefined : [status, others, text];
  });
  expect(wrong).toEqual([]);
}

async function change(operationId: string, cell: Cell): Promise<void> {
  const { caller, path, audited } = await withThingsOfTheirOwn(portal, world, operationId, cell);
  const { method } = operationNamed(operationId);
  const { status, text } = await ask(portal, caller, { method, path, body: cell.body });
  expect([nameOf(cell), status < 300 ? 'done' : text]).toEqual([nameOf(cell), 'done']);
  expect([nameOf(cell), await audited()]).toEqual([nameOf(cell), true]);
}

/** All ids in accounts to which a caller does not belong. */
const idsOutside = ({ membershipState = {} }: Caller): string[] =>
  [world.places.ours, world.places.suspended, world.places.theirs]
    .filter(
      ({ accountId }) => !(['owner', 'member', 'viewer'] as unknown[]).includes(membershipState[accountId?.text ?? '']),
    )
    // An invited person sees the ids of the account that invited them.
    .flatMap((ids) => Object.values(ids).map(({ text }) => text))
    .filter((id) => membershipState[id] !== 'invited');

/** A prepared change on things that no other test uses. */
interface Prepared {
  readonly caller: Caller;
  readonly path: string;
  /** Whether the account's audit has one more event, by the caller; true for a change outside of accounts. */
  readonly audited: () => Promise<boolean>;
}

/** Prepares a change for an authorised caller: in a new account with the same role, or with a new session. */
async function withThingsOfTheirOwn(
  portal: TestPortal,
  { callers, places }: World,
  operationId: string,
  { caller, ids, label, path }: Filled & { readonly caller: Caller },
): Promise<Prepared> {
  const membershipState = caller.membershipState?.[places.ours.accountId?.text ?? ''];
  if (!ids.accountId) {
    // A separate person: the test may delete the profile.
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
    // An accepted invitation can be accepted again, and nothing changes.
    if (operationId === 'acceptInvitation' && membershipState !== 'invited') return events.length === 0;
    // A rotation has an event for the old key and one for the new key.
    const expected = operationId === 'rotateKey' ? 2 : 1;
    return events.length === expected && events.every((event) => event.actor === actor);
  };
  return { caller, path: filled, audited };
}

/**
 * A new account with an owner, where the caller has the same role as in another one, with a project, a key and an
 * invited person.
 */
async function newAccount(
  portal: TestPortal,
  owner: Caller,
  caller: Caller,
  membershipState: 'owner' | 'member' | 'viewer' | 'invited',
): Promise<{ ids: Ids; ownMemberId: string }> {
  const founder = membershipState === 'owner' ? caller : owner;
  const post = (path: string, body: object, by = founder) => ask(portal, by, { method: 'POST', path, body });
  const { accountId = '' } = await created(post('/api/accounts', { name: 'Another' }));
  const account = `/api/accounts/${accountId}`;
  let ownMemberId = '';
  // By the platform team: a person has a limit of invitations a day.
  if (membershipState !== 'owner') {
    ownMemberId = await inviteMember(portal.operator, accountId, {
      email: caller.email ?? '',
      role: membershipState === 'viewer' ? 'viewer' : 'member',
    });
  }
  if (membershipState !== 'owner' && membershipState !== 'invited')
    await post(`/api/invitations/${accountId}/accept`, {}, caller);
  const { projectId = '' } = await created(post(`${account}/projects`, { name: 'Another' }));
  const { keyId = '' } = await created(post(`${account}/projects/${projectId}/keys`, {}));
  const somebody = { email: `${randomUUID()}@example.com`, role: 'member' };
  const { memberId = '' } = await created(post(`${account}/members`, somebody));
  const endpoint = await endpointOf({ post: (path, body) => post(path, body as object) }, account);
  const { tokenId } = await tokenOf({ post: (path, body) => post(path, body as object) }, account);
  return {
    ids: idsOf({ accountId, projectId, keyId, memberId, tokenId, ...endpoint, session: { text: '' } }),
    ownMemberId,
  };
}

/** Sends a request as the portal's page does, on behalf of somebody. */
const ask = (
  portal: TestPortal,
  { cookies }: Pick<Caller, 'cookies'>,
  { method, path, body = {} }: { readonly method: string; readonly path: string; readonly body?: object },
): Promise<PortalAnswer> => portal.browser(cookies).request(method, path, method === 'GET' ? {} : { body });
