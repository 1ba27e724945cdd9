import { describe, expect, test } from '@jest/globals';
import { isoTime } from '../../functions/shared/time.ts';
import { ledBack, trustingProvider } from '../support/changes/provider.ts';
import { scene } from '../support/changes/scene.ts';
import { IS_FULL } from '../support/extent.ts';
import { interleaved, type Nth } from '../support/overtaking.ts';
import { testPortal, type PortalAnswer } from '../support/portal.ts';
import { holdAccount } from '../support/stored/account.ts';
import { MINUTE_MS } from '../support/times.ts';
import { triedWrites } from '../support/written-items.ts';

const portal = testPortal(trustingProvider);
const tried = triedWrites(portal.client);

/** The things beside Ada, who has a session here and one elsewhere, and beside Bob's account, which she belongs to. */
interface Circumstances {
  /** Default: owner. */
  readonly role?: 'member' | 'none';
  /** A second account of Bob's exists. */
  readonly hasSecond?: true;
  /** Ada is invited to the second account. */
  readonly isInvited?: true;
  readonly hasProject?: true;
  readonly hasCarl?: true;
}
async function newCast({ role, hasSecond, isInvited, hasProject, hasCarl }: Circumstances) {
  // Its own minute, since a person's changes in a minute are limited.
  portal.clock.nowMs += MINUTE_MS;
  const made = scene(portal);
  const [ada, bob] = await Promise.all([made.somebody(), made.somebody()]);
  const accountId = await made.account(bob);
  const account = `/api/accounts/${accountId}`;
  const adaIn = role === 'none' ? '' : await made.join(accountId, ada, role ?? 'owner');
  const carlIn = hasCarl ? await made.join(accountId, await made.somebody()) : '';
  const projectId = hasProject ? await made.project(accountId) : '';
  const secondId = hasSecond || isInvited ? await made.account(bob) : '';
  if (isInvited) await made.invite(secondId, ada);
  const session = await made.session(ada.userId);
  portal.clock.nowMs++;
  const since = isoTime(portal.clock.nowMs);
  return {
    ada,
    here: portal.browser([ada.cookie]),
    elsewhere: portal.browser([session]),
    bob: portal.browser([bob.cookie]),
    account,
    adaIn: `${account}/members/${adaIn}`,
    carlIn: `${account}/members/${carlIn}`,
    project: `${account}/projects/${projectId}`,
    invitation: `/api/invitations/${secondId}`,
    second: `/api/accounts/${secondId}`,
    /**
     * Throws unless the stored items are consistent. Returns the actions since then and their actors, from the audits.
     */
    held: async (written: readonly string[]): Promise<string[]> => {
      const accounts = [accountId, secondId].filter((id) => id !== '');
      const events = accounts.map(async (id) => {
        const others = accounts.filter((other) => other !== id).map((other) => `ACCOUNT#${other}`);
        const partitions = [...made.partitions, ...written].filter((pk) => !others.includes(pk));
        const held = await holdAccount(portal, id, new Set(partitions));
        expect(held.counts).toEqual(held.counted);
        return held.events;
      });
      const later = (await Promise.all(events)).flat().filter(({ at }) => String(at) >= since);
      const nameOf = (actor: unknown): string => (actor === `user:${ada.userId}` ? 'Ada' : 'Bob');
      return later.map(({ actor, action }) => `${nameOf(actor)}: ${String(action)}`).sort();
    },
  };
}
type Cast = Awaited<ReturnType<typeof newCast>>;
type Ask = (cast: Cast) => Promise<PortalAnswer>;

const outcomeOf = ({ status, headers, body }: PortalAnswer): string => {
  if (status >= 400) return (body as { code: string }).code;
  return headers.location?.includes('failed') ? 'failed' : 'done';
};

interface Race extends Circumstances {
  readonly one: Ask;
  readonly other: Ask;
  /** The allowed results of both, the one first, each with the audited actions. */
  readonly ends: Readonly<Record<string, readonly string[]>>;
}

/** Runs a race once and checks the stored items and the audits against both answers. */
async function run(
  { ends, ...circumstances }: Race,
  ask: (cast: Cast) => Promise<[PortalAnswer, PortalAnswer | undefined]>,
): Promise<Cast> {
  const earlier = new Set(tried.keys());
  const cast = await newCast(circumstances);
  const [one, other] = await ask(cast);
  if (!other) throw new Error('there is no such call');
  const written = [...tried].flatMap(([name, { pk }]) => (earlier.has(name) ? [] : [pk]));
  const audited = await cast.held(written);
  expect(Object.entries(ends)).toContainEqual([`${outcomeOf(one)}, ${outcomeOf(other)}`, audited]);
  return cast;
}
const atOnce = (race: Race) => run(race, (cast) => Promise.all([race.one(cast), race.other(cast)]));
/** Runs the other request before a call of the one. */
const before = (nth: Nth, race: Race) =>
  run(race, (cast) => {
    const [one, other] = [() => race.one(cast), () => race.other(cast)];
    return interleaved(portal.client, nth, one, other);
  });

/** The current answers to both browsers of Ada's. */
const answersTo = ({ here, elsewhere }: Cast) => Promise.all([here.get('/api/session'), elsewhere.get('/api/session')]);

const COMMIT = 'TransactWriteItems';
const createKey: Ask = ({ here, project }) => here.post(`${project}/keys`, {});
const invite: Ask = ({ here, account }) => here.post(`${account}/members`, { email: 'x@example.com', role: 'member' });
const removeCarl: Ask = ({ here, carlIn }) => here.delete(carlIn);
const accept: Ask = ({ here, invitation }) => here.post(`${invitation}/accept`);
const deleteProfile: Ask = ({ here }) => here.delete('/api/profile');
const signInAnew: Ask = async ({ ada, elsewhere }) => elsewhere.navigate(ledBack(await elsewhere.begin(), ada));
const signOut: Ask = ({ here }) => here.post('/api/sign-out');
const signOutEverywhere: Ask = ({ elsewhere }) => elsewhere.post('/api/sign-out', { everywhere: true });
/** As the page does it, from a list. */
const endOthers: Ask = async ({ elsewhere }) => {
  const list = await elsewhere.get('/api/sessions');
  const { sessions = [] } = list.body as { sessions?: { sessionId: string; current: boolean }[] };
  const other = sessions.find(({ current }) => !current);
  return other ? elsewhere.delete(`/api/sessions/${other.sessionId}`) : list;
};

const CHANGES: readonly (readonly [string, Ask, string, Circumstances])[] = [
  ['a key is made', createKey, 'key.create', { hasProject: true }],
  ['somebody is invited', invite, 'member.add', {}],
  ['a member is removed', removeCarl, 'member.remove', { hasCarl: true }],
  ['an invitation is accepted', accept, 'member.join', { role: 'none', isInvited: true }],
  ['the profile is deleted', deleteProfile, 'member.leave', {}],
];
/**
 * What ends sessions; its last call; the statuses that Ada then has here and elsewhere; and its answer when it comes
 * late.
 */
const ENDINGS: readonly (readonly [string, Ask, Nth, readonly [number, number], string])[] = [
  ['a sign-out', signOut, 2, [401, 200], 'done'],
  ['a sign-out everywhere', signOutEverywhere, COMMIT, [401, 401], 'NOT_SIGNED_IN'],
  ['an end of all other sessions', endOthers, COMMIT, [401, 200], 'NOT_FOUND'],
];

/** A landing tries each change with one of them, by turns. */
const endingsFor = (change: Ask) => {
  const nth = CHANGES.findIndex(([, one]) => one === change);
  return IS_FULL ? ENDINGS : ENDINGS.filter((_, i) => i === nth % ENDINGS.length);
};

describe.each(CHANGES)('while %s,', (_change, change, action, circumstances) => {
  const isDeletion = change === deleteProfile;
  const made = [`Ada: ${action}`];
  const done = { 'done, done': made };

  const title = '%s holds from the next request on, and what was asked before is done';
  test.each(endingsFor(change))(title, async (_end, ending, last, left, late) => {
    const race = { ...circumstances, one: change, other: ending };
    const expectEnded = async (cast: Cast, statuses: readonly number[]): Promise<void> => {
      expect((await answersTo(cast)).map(({ status }) => status)).toEqual(statuses);
    };
    const refused = { 'NOT_SIGNED_IN, done': [] };
    const ofDeleted = isDeletion && { 'done, NOT_SIGNED_IN': made, [`done, ${late}`]: made };
    const cast = await atOnce({ ...race, ends: { ...done, ...refused, ...ofDeleted } });
    expect((await cast.here.get('/api/session')).status).toBe(401);

    const then = isDeletion ? [401, 401] : left;
    // After a sign-out everywhere the profile is not deleted.
    const isHeld = isDeletion && ending === signOutEverywhere;
    const ends = { [isDeletion ? `${late}, done` : 'done, done']: made };
    const orders = [
      async () => expectEnded(await before(1, { ...race, ends: refused }), left),
      async () => expectEnded(await before(COMMIT, { ...race, ends: isHeld ? refused : done }), then),
      async () => expectEnded(await before(last, { ...race, one: ending, other: change, ends }), then),
    ];
    for (const order of orders) await order();
  });
});

test('of two sign-outs everywhere one ends all sessions, and the other learns that its own had ended', async () => {
  const race: Race = {
    one: signOutEverywhere,
    other: ({ here }) => here.post('/api/sign-out', { everywhere: true }),
    ends: { 'NOT_SIGNED_IN, done': [] },
  };
  await before(COMMIT, race);
  await atOnce({ ...race, ends: { ...race.ends, 'done, NOT_SIGNED_IN': [] } });
});

const GONE = 'Ada: member.leave';
const SECOND = { role: 'member', hasSecond: true } as const;

/**
 * What else happens, to whom, and the allowed results with the audited actions when it comes first and when it comes
 * late.
 */
const MEANWHILE: readonly (readonly [string, Ask, Circumstances, Race['ends'], Race['ends']])[] = [
  [
    'accepts an invitation',
    ({ elsewhere, invitation }) => elsewhere.post(`${invitation}/accept`),
    { ...SECOND, isInvited: true },
    { 'done, done': ['Ada: member.join', GONE, GONE] },
    { 'done, CHANGED_MEANWHILE': [GONE], 'done, NOT_SIGNED_IN': [GONE] },
  ],
  [
    'deletes it elsewhere',
    ({ elsewhere }) => elsewhere.delete('/api/profile'),
    {},
    { 'done, done': [GONE], 'NOT_SIGNED_IN, done': [GONE] },
    { 'done, done': [GONE], 'done, NOT_SIGNED_IN': [GONE] },
  ],
  ['signs in anew', signInAnew, {}, { 'done, done': [GONE] }, { 'done, done': [GONE] }],
];

/** The calls of the one before which the other runs: for a landing, the change itself. */
const BEFORE: readonly Nth[] = IS_FULL ? [2, 3, 4, COMMIT] : [COMMIT];
const BEFORE_SWAPPED: readonly Nth[] = IS_FULL ? [2, COMMIT] : [COMMIT];

describe('while a profile is deleted, the person', () => {
  test.each(MEANWHILE)('%s: each learns what became of it', async (_what, other, circumstances, first, late) => {
    const race = { ...circumstances, one: deleteProfile, other };
    const expectGone = async (cast: Cast): Promise<void> => {
      for (const { status, body } of await answersTo(cast)) {
        const { user } = body as { user?: { userId: string } };
        if (other !== signInAnew) expect(status).toBe(401);
        // A new session, if there is one, belongs to another user.
        expect(user?.userId).not.toBe(cast.ada.userId);
      }
    };
    await expectGone(await atOnce({ ...race, ends: { ...first, ...late } }));
    for (const nth of BEFORE) await expectGone(await before(nth, { ...race, ends: first }));
    await expectGone(await before('DeleteItem', { ...race, ends: late }));
    const swapped = (ends: Race['ends']) =>
      Object.fromEntries(Object.entries(ends).map(([end, events]) => [end.split(', ').reverse().join(', '), events]));
    for (const nth of BEFORE_SWAPPED)
      await expectGone(await before(nth, { ...race, one: other, other: deleteProfile, ends: swapped(late) }));
  });
});
