import { describe, expect, test } from '@jest/globals';
import { trustingProvider } from '../support/changes/provider.ts';
import { scene } from '../support/changes/scene.ts';
import { IS_FULL } from '../support/extent.ts';
import { interleaved, type Nth } from '../support/overtaking.ts';
import { testPortal, type PortalAnswer } from '../support/portal.ts';
import { created, type TestPerson } from '../support/portal-team.ts';
import { holdAccount } from '../support/stored/account.ts';
import { triedWrites } from '../support/written-items.ts';

/** The calls before which the other change runs: for a landing, the change itself. */
const PLACES: readonly Nth[] = IS_FULL ? ['TransactWriteItems', 2] : ['TransactWriteItems'];

const portal = testPortal(trustingProvider);
const tried = triedWrites(portal.client);

/** New ones for each run: the test reads their stored items after it. */
let ada: TestPerson, bob: TestPerson, carl: TestPerson;
async function newPerson(): Promise<TestPerson> {
  const { profile, cookie } = await scene(portal).somebody();
  return { ...portal.browser([cookie]), email: profile.email };
}

/** An account of Ada's with these other members, and with a project and a key if the race needs them. */
type Team = Awaited<ReturnType<typeof newTeam>>;
type MembershipState = 'owner' | 'member' | 'invited';
async function newTeam(others: readonly (readonly [TestPerson, MembershipState])[], hasProject: boolean) {
  const { accountId = '' } = await created(ada.post('/api/accounts', { name: 'Team' }));
  const account = `/api/accounts/${accountId}`;
  for (const [{ email, post }, membershipState] of others) {
    const role = membershipState === 'owner' ? 'owner' : 'member';
    await created(ada.post(`${account}/members`, { email, role }));
    if (membershipState !== 'invited') await post(`/api/invitations/${accountId}/accept`);
    portal.clock.nowMs++;
  }
  const { projectId = '' } = hasProject ? await created(ada.post(`${account}/projects`, { name: 'P' })) : {};
  const project = `${account}/projects/${projectId}`;
  const { keyId = '' } = hasProject ? await created(ada.post(`${project}/keys`, {})) : {};
  const { members } = (await ada.get(`${account}/members`)).body as { members: { email: string; memberId: string }[] };
  portal.clock.nowMs++;
  return {
    accountId,
    account,
    project,
    key: `${project}/keys/${keyId}`,
    invitation: `/api/invitations/${accountId}`,
    memberOf: ({ email }: TestPerson) =>
      `${account}/members/${members.find((member) => member.email === email)?.memberId}`,
  };
}

type Ask = (team: Team) => Promise<PortalAnswer>;
interface Race {
  readonly with: () => readonly (readonly [TestPerson, MembershipState])[];
  /** Whether it needs a project and a key. */
  readonly hasProject?: boolean;
  readonly one: Ask;
  readonly other: Ask;
  /** The allowed results of both, the one first. */
  readonly ends: readonly string[];
  /** The number of the account's audit events for each success; default: 1. */
  readonly events?: readonly [number, number];
  /** Whether the second change may find its work done already: then the audit has no event for it. */
  readonly mayBeDone?: boolean;
}
const outcomeOf = ({ status, body }: PortalAnswer): string => (status < 300 ? 'done' : (body as { code: string }).code);

/**
 * Runs a race once and checks the stored items against both answers. Returns false if the other request was not sent.
 */
async function run(
  { with: others, hasProject = false, ends, mayBeDone, events: [ofOne, ofOther] = [1, 1] }: Race,
  ask: (team: Team) => Promise<[PortalAnswer, PortalAnswer | undefined]>,
): Promise<boolean> {
  [ada, bob, carl] = await Promise.all([newPerson(), newPerson(), newPerson()]);
  const earlier = new Set(tried.keys());
  const team = await newTeam(others(), hasProject);
  const stored = () =>
    holdAccount(
      portal,
      team.accountId,
      new Set([...tried].flatMap(([name, { pk }]) => (earlier.has(name) ? [] : [pk]))),
    );
  const before = await stored();
  const [one, other] = await ask(team);
  if (!other) return false;
  const [first, second] = [outcomeOf(one), outcomeOf(other)];
  expect(ends).toContain(`${first}, ${second}`);
  const after = await stored();
  const events = (first === 'done' ? ofOne : 0) + (second === 'done' ? ofOther : 0);
  const audited = after.events.length - before.events.length;
  if (!mayBeDone || first !== second) expect([first, second, audited]).toEqual([first, second, events]);
  if (!after.isClosed) expect(after.counts).toEqual(after.counted);
  return true;
}

const withBob = (): [TestPerson, MembershipState][] => [[bob, 'owner']];
const withCarl = (): [TestPerson, MembershipState][] => [[carl, 'member']];
const withBobAndCarl = (): [TestPerson, MembershipState][] => [...withBob(), ...withCarl()];
const invited = (): [TestPerson, MembershipState][] => [[carl, 'invited']];
const accept: Ask = ({ invitation }) => carl.post(`${invitation}/accept`);
const decline: Ask = ({ invitation }) => carl.post(`${invitation}/decline`);
const remove =
  (who: () => TestPerson, whom: () => TestPerson): Ask =>
  (team) =>
    who().delete(team.memberOf(whom()));
const makes =
  (who: () => TestPerson, whom: () => TestPerson, role: string): Ask =>
  (team) =>
    who().patch(team.memberOf(whom()), { role });
const rotate =
  (who: () => TestPerson): Ask =>
  ({ key }) =>
    who().post(`${key}/rotate`, { graceHours: 1 });
const cap =
  (who: () => TestPerson, unitsLimit: number): Ask =>
  ({ key }) =>
    who().patch(key, { unitsLimit });
const revoke =
  (who: () => TestPerson): Ask =>
  ({ key }) =>
    who().post(`${key}/revoke`);
const Ada = () => ada;
const Bob = () => bob;
const Carl = () => carl;
const either = (code: string): string[] => [`done, ${code}`, `${code}, done`];
const orBefore = (code: string): string[] => ['done, done', `${code}, done`];

const RACES: Record<string, Race> = {
  'to accept and to withdraw': { with: invited, one: accept, other: remove(Ada, Carl), ends: orBefore('NOT_FOUND') },
  'to accept and to decline': { with: invited, one: accept, other: decline, ends: either('NOT_FOUND') },
  'to decline and to withdraw': { with: invited, one: decline, other: remove(Ada, Carl), ends: either('NOT_FOUND') },
  'to get a role and to be removed': {
    with: withBobAndCarl,
    one: makes(Ada, Carl, 'owner'),
    other: remove(Bob, Carl),
    ends: orBefore('NOT_FOUND'),
  },
  'to leave and to be removed': {
    with: withCarl,
    one: remove(Carl, Carl),
    other: remove(Ada, Carl),
    ends: either('NOT_FOUND'),
  },
  'to rotate and to revoke': {
    with: withBob,
    hasProject: true,
    one: rotate(Ada),
    other: revoke(Bob),
    ends: orBefore('KEY_NOT_ACTIVE'),
    events: [2, 1],
  },
  // The successor has the cap that the other was told of, or the other is refused.
  'to rotate a key and to cap it': {
    with: withBob,
    hasProject: true,
    one: rotate(Ada),
    other: cap(Bob, 5),
    ends: ['done, done', 'done, KEY_NOT_ACTIVE'],
    events: [2, 1],
  },
};

/** What an owner may do to themself and to another owner, with the answer for a late one. */
const OWNERS: Readonly<Record<string, (who: () => TestPerson, other: () => TestPerson) => Ask>> = {
  leaves: (who) => remove(who, who),
  'steps down': (who) => makes(who, who, 'member'),
  'removes the other': remove,
  'demotes the other': (who, other) => makes(who, other, 'member'),
};
const LATE = ['done, done', ...['LAST_OWNER', 'NOT_FOUND', 'OWNER_ONLY'].flatMap(either)];
for (const [i, [name, one]] of Object.entries(OWNERS).entries()) {
  // Each order of the two is run in any case.
  for (const [otherName, other] of Object.entries(OWNERS).slice(i)) {
    RACES[`of two owners: one ${name}, the other ${otherName},`] = {
      with: withBob,
      one: one(Ada, Bob),
      other: other(Bob, Ada),
      ends: LATE,
      mayBeDone: true,
    };
  }
}

describe.each(Object.entries(RACES).map(([name, race]) => ({ name, race })))('$name', ({ race }) => {
  test('comes to one end also where the other is done before any call of the one', async () => {
    const swapped = { ...race, one: race.other, other: race.one };
    const tries = PLACES.flatMap((place) => [race, swapped].map((turn) => [turn, place] as const));
    const runOf = (turn: Race) => {
      const ends = turn === race ? race.ends : race.ends.map((end) => end.split(', ').reverse().join(', '));
      const [a = 1, b = 1] = race.events ?? [];
      const events = turn === race ? ([a, b] as const) : ([b, a] as const);
      const ask = (nth: Nth) => (team: Team) =>
        interleaved(
          portal.client,
          nth,
          () => turn.one(team),
          () => turn.other(team),
        );
      return (nth: Nth) => run({ ...turn, ends, events }, ask(nth));
    };
    for (const [turn, place] of tries) expect([place, await runOf(turn)(place)]).toEqual([place, true]);
    if (!IS_FULL) return;
    // Before the first call the two run one after the other.
    for (const turn of [race, swapped]) for (let nth = 3; await runOf(turn)(nth);) nth++;
  });
});
