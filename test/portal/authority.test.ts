import { beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { memberNames } from '../../functions/shared/http/input.ts';
import type { ItemKey } from '../../functions/shared/store/items.ts';
import { fillings, type Filled, idsOf, sessionIdOf, suspend } from '../support/authority/places.ts';
import { verdictOf, WHO_MAY, type Caller, type Verdict } from '../support/authority/who-may.ts';
import { accountOf, memberOf, theWorld, type World } from '../support/authority/world.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { portalOperations } from '../support/portal-contract.ts';
import { testPortal, type PortalAnswer, type TestPortal } from '../support/portal.ts';
import { itemsAt, triedWrites } from '../support/written-items.ts';
import { readSessionToken } from '../../functions/accounts/people/sessions.ts';
import { itemsOf } from '../support/people.ts';
import { person } from '../support/portal-team.ts';

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
function cellsOf(operationId: string): Cell[] {
  const { path } = operationNamed(operationId);
  const { body = {} } = WHO_MAY[operationId] ?? {};
  return world.callers.flatMap((caller) => {
    const self = caller.memberIds?.[world.places.ours.accountId?.text ?? ''];
    const filled = fillings(path, world.places, path.includes('{memberId}') ? self : undefined);
    // All ids with who belongs to both accounts. Without a session they do not matter.
    const belongsToBoth = Object.keys(caller.membershipState ?? {}).length > 1;
    const some = filled.filter(
      ({ label }) => belongsToBoth || label === 'theirs' || (caller.membershipState ? OWN.has(label) : label === 'own'),
    );
    return some.map((one) => ({ ...one, caller, body, verdict: verdictOf(operationId, caller, one.ids) }));
  });
}
const OWN: ReadonlySet<string> = new Set(['own', 'of a suspended project', 'own member']);
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

/** Makes a change in a new account, by a new person with the role of the caller. */
async function change(operationId: string, cell: Cell): Promise<void> {
  const { caller, label, ids, body } = cell;
  const { method, path } = operationNamed(operationId);
  const role = caller.membershipState?.[world.places.ours.accountId?.text ?? ''];
  const made = await accountOf(portal);
  const self = role ? await memberOf(portal, made, role) : { ...(await person(portal)), memberId: '' };
  if (label === 'of a suspended project') await suspend(portal, made.projectId);
  const memberId = label === 'own member' && role !== 'owner' ? self.memberId : made.memberId;
  const fresh = idsOf({ ...made, memberId, session: { text: await sessionIdOf(self) } });
  const audit = async () =>
    (await itemsOf(portal, `ACCOUNT#${made.accountId}`)).filter(({ sk }) => String(sk).startsWith('AUDIT#'));
  const earlier = (await audit()).map(({ sk }) => sk);
  const actor = `user:${readSessionToken(self.jar.cookies.get('__Host-Http-session'))?.userId}`;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => fresh[name]?.text ?? '');
  const { status, text } = await self.request(method, filled, { body });
  expect([nameOf(cell), status < 300 ? 'done' : text]).toEqual([nameOf(cell), 'done']);
  if (!ids.accountId) return;
  const events = (await audit()).filter(({ sk }) => !earlier.includes(sk));
  // A rotation has an event for each key. An accepted invitation can be accepted again, and nothing changes.
  const count = operationId === 'rotateKey' ? 2 : operationId === 'acceptInvitation' && role !== 'invited' ? 0 : 1;
  expect([nameOf(cell), events.map((event) => event.actor)]).toEqual([nameOf(cell), Array(count).fill(actor)]);
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

/** Sends a request as the portal's page does, on behalf of somebody. */
const ask = (
  portal: TestPortal,
  { cookies }: Pick<Caller, 'cookies'>,
  { method, path, body = {} }: { readonly method: string; readonly path: string; readonly body?: object },
): Promise<PortalAnswer> => portal.browser(cookies).request(method, path, method === 'GET' ? {} : { body });
