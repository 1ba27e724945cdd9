import assert from 'node:assert/strict';
import type { Outcome, Visitor } from './asking.ts';
import type { Claims, Event } from './claims.ts';
import type { Asked } from './wire.ts';

/** A project or a key. Only its maker changes or closes it, so that its history is known. */
interface Made {
  readonly id: string;
  readonly path: string;
  readonly maker: Visitor;
  isOpen: boolean;
}

/** A key that was shown to a person. */
export interface ShownKey extends Made {
  /** The whole key. */
  readonly key: string;
  /** The key that it replaced, if that key has a grace of hours. */
  readonly predecessor: string | undefined;
}

/** The team of one account, and what its people made. */
export interface Team {
  readonly accountId: string;
  readonly account: string;
  /** An owner who stays one, and who invites, removes and gives roles. */
  readonly owner: Visitor;
  readonly members: { readonly visitor: Visitor; readonly memberId: string }[];
  readonly projects: Made[];
  readonly keys: ShownKey[];
}

/** An action of a person in a team. `chance`, from 0 to below 1, selects its target. */
type Act = (team: Team, who: Visitor, chance: number) => Promise<unknown>;

/** Refusals that changes of others may cause. */
const USUAL: ReadonlySet<string> = new Set(['NOT_FOUND', 'LIMIT_REACHED', 'CHANGED_MEANWHILE', 'OWNER_ONLY']);

/** Selects one of some things. */
export const pick = <T>(things: readonly T[], chance: number): T | undefined =>
  things[Math.floor(chance * things.length)];

/** Acts in proportion to their weights. */
const often = (...acts: readonly (readonly [weight: number, act: Act])[]): readonly Act[] =>
  acts.flatMap(([weight, act]) => Array<Act>(weight).fill(act));

/**
 * The actions of people. Each is repeated until it is answered, and recorded in the claims. Throws for a wrong answer.
 */
export function people(claims: Claims, newVisitor: (email: string) => Promise<Visitor>) {
  let named = 0;
  /** A name that nothing else has. */
  const newName = (): string => `name ${named++}`;
  /**
   * Requests a change until it is made or refused. A change that was stale is requested again, except a key's: a lost
   * attempt may have made it.
   */
  const change = async (
    who: Visitor,
    action: string,
    asked: Asked,
    { accountId, about, also = [] }: { accountId?: string; about?: string; also?: readonly Event[] },
  ): Promise<Outcome> => {
    for (;;) {
      const outcome = await who.ask(...asked);
      const { code, lost, body } = outcome;
      assert.ok(code === undefined || USUAL.has(code), `${action} is refused: ${code}, asked again ${lost}`);
      const made = body[`${action.split('.')[0] ?? ''}Id`];
      const { name } = { name: undefined, ...asked[2] };
      const event = { action, accountId: accountId ?? body.accountId ?? '', about: about ?? made, name };
      const isOfKey = action === 'key.create';
      // Each repeat may have made another secret.
      claims.note(who, outcome, [event, ...also], isOfKey ? [{ ...event, action: 'key.reissue' }] : []);
      if (code !== 'CHANGED_MEANWHILE' || isOfKey) return outcome;
    }
  };

  const own = <T extends Made>(things: readonly T[], who: Visitor, chance: number): T | undefined =>
    pick(
      things.filter(({ maker, isOpen }) => maker === who && isOpen),
      chance,
    );
  /** Renames something of the person, or ends it, if they may. */
  const onOwn =
    (kind: 'projects' | 'keys', action: string, method: 'PATCH' | 'POST' | 'DELETE', ending = ''): Act =>
    async ({ accountId, ...team }, who, chance) => {
      const thing = own<Made>(team[kind], who, chance);
      if (!thing) return;
      const body = method === 'PATCH' ? { name: newName() } : undefined;
      const { code } = await change(who, action, [method, thing.path + ending, body], { accountId, about: thing.id });
      // What is absent was ended by an unanswered attempt, or with what contains it.
      if (method !== 'PATCH' && code !== 'OWNER_ONLY') thing.isOpen = false;
    };
  const makeKey = async (
    { accountId, keys }: Team,
    who: Visitor,
    asked: Asked,
    { path, also = [], predecessor }: { path: string; also?: readonly Event[]; predecessor?: string | undefined },
  ): Promise<Outcome> => {
    const outcome = await change(who, 'key.create', asked, { accountId, also });
    const { keyId, key } = outcome.body;
    if (outcome.code !== undefined) return outcome;
    assert.ok(keyId !== undefined && key !== undefined);
    keys.push({ id: keyId, key, path: `${path}/${keyId}`, maker: who, isOpen: true, predecessor });
    return outcome;
  };
  const createKey: Act = async (team, who, chance) => {
    const open = team.projects.filter(({ isOpen }) => isOpen);
    const path = `${pick(open, chance)?.path}/keys`;
    if (open.length > 0) await makeKey(team, who, ['POST', path, { name: newName() }], { path });
  };
  const rotateKey: Act = async (team, who, chance) => {
    const old = own(team.keys, who, chance);
    if (!old) return;
    const { accountId } = team;
    const graceHours = Math.floor(chance * 3);
    const { id, path, predecessor: ends } = old;
    const also = [
      { action: 'key.rotate', accountId, about: id },
      ...(ends === undefined ? [] : [{ action: 'key.expire', accountId, about: ends }]),
    ];
    const { code, lost } = await makeKey(team, who, ['POST', `${path}/rotate`, { graceHours, ends }], {
      path: path.slice(0, path.lastIndexOf('/')),
      also,
      predecessor: graceHours === 0 ? undefined : id,
    });
    if (code === undefined || lost > 0) old.isOpen = false;
  };
  const createProject: Act = async ({ accountId, account, projects }, who) => {
    const asked = ['POST', `${account}/projects`, { name: newName() }] as const;
    const { projectId: id } = (await change(who, 'project.create', asked, { accountId })).body;
    if (id !== undefined) projects.push({ id, path: `${account}/projects/${id}`, maker: who, isOpen: true });
  };
  const createAccount = async (who: Visitor): Promise<string> => {
    const { body, code } = await change(who, 'account.create', ['POST', '/api/accounts', { name: newName() }], {});
    assert.ok(body.accountId !== undefined, `an account is not created: ${code}`);
    return body.accountId;
  };
  const ownAccount: Act = async (_team, who) => {
    const accountId = await createAccount(who);
    await change(who, 'account.close', ['DELETE', `/api/accounts/${accountId}`], { accountId, about: accountId });
  };
  const renameAccount: Act = ({ accountId, account, owner }) =>
    change(owner, 'account.update', ['PATCH', account, { name: newName() }], { accountId, about: accountId });
  const changeRole: Act = async ({ accountId, account, owner, members }, _who, chance) => {
    const { memberId = '' } = pick(members, chance) ?? {};
    // The members before and after it.
    for (const role of ['owner', 'member']) {
      const asked = ['PATCH', `${account}/members/${memberId}`, { role }] as const;
      await change(owner, 'member.update', asked, { accountId, about: memberId });
    }
  };

  /** Invites an address as a member; undefined if it was refused. */
  const invite = async ({ accountId, account, owner }: Team, email: string): Promise<string | undefined> => {
    const asked = ['POST', `${account}/members`, { email, role: 'member' }] as const;
    return (await change(owner, 'member.add', asked, { accountId })).body.memberId;
  };
  /** Answers an invitation. Returns whether that was possible. */
  const answer = async (who: Visitor, accountId: string, about: string, how: 'join' | 'decline'): Promise<boolean> => {
    const path = `/api/invitations/${accountId}/${how === 'join' ? 'accept' : how}`;
    return (await change(who, `member.${how}`, ['POST', path], { accountId, about })).code === undefined;
  };
  const remove = (who: Visitor, { accountId, account }: Team, about: string) =>
    change(who, 'member.remove', ['DELETE', `${account}/members/${about}`], { accountId, about });
  /** Deletes a profile, with its membership, if there is one. */
  const deleteProfile = async (who: Visitor, accountId = '', about?: string): Promise<void> => {
    const outcome = await who.ask('DELETE', '/api/profile');
    const { code, lost } = outcome;
    // After the deletion the person cannot ask again.
    const isDone = code === undefined || (code === 'NOT_SIGNED_IN' && lost > 0);
    assert.ok(isDone, `a profile is not deleted: ${code}`);
    const left = about === undefined ? [] : [{ action: 'member.remove', accountId, about }];
    claims.note(who, { ...outcome, code: undefined }, left);
  };
  /** What an invited person does. Returns whether they are a member at the end. */
  const comes = async (team: Team, guest: Visitor, memberId: string, chance: number): Promise<boolean> => {
    const how = chance < 0.2 ? 'decline' : 'join';
    const isTaken = chance >= 0.2 && chance < 0.4;
    const [isAnswered] = await Promise.all([
      answer(guest, team.accountId, memberId, how),
      isTaken && remove(team.owner, team, memberId),
    ]);
    return how === 'join' && !isTaken && isAnswered;
  };
  /** How a member leaves; with their profile, or not yet. */
  const goes = async (team: Team, guest: Visitor, memberId: string, chance: number): Promise<void> => {
    if (chance < 0.6) return deleteProfile(guest, team.accountId, memberId);
    if (chance < 0.8) {
      await createKey(team, guest, chance);
      await remove(guest, team, memberId);
    } else await Promise.all([createKey(team, guest, chance), remove(team.owner, team, memberId)]);
    await deleteProfile(guest);
  };
  const guest: Act = async (team, _owner, chance) => {
    const visitor = await newVisitor(`guest-${newName().replace(' ', '-')}-${team.accountId}@example.com`);
    const memberId = await invite(team, visitor.email);
    const isMember = memberId !== undefined && (await comes(team, visitor, memberId, chance));
    await (isMember ? goes(team, visitor, memberId, chance) : deleteProfile(visitor));
  };

  const renameProject = onOwn('projects', 'project.update', 'PATCH');
  const closeProject = onOwn('projects', 'project.close', 'DELETE');
  const revokeKey = onOwn('keys', 'key.revoke', 'POST', '/revoke');
  const renameKey = onOwn('keys', 'key.update', 'PATCH');
  return {
    ofMembers: often(
      ...([
        [6, createKey],
        [3, rotateKey],
        [2, revokeKey],
        [1, renameKey],
      ] as const),
      ...([
        [2, createProject],
        [2, renameProject],
        [1, closeProject],
        [1, ownAccount],
      ] as const),
    ),
    ofOwners: often(
      ...([
        [2, createProject],
        [1, renameProject],
        [1, closeProject],
        [2, createKey],
      ] as const),
      ...([
        [1, renameAccount],
        [3, changeRole],
        [4, guest],
      ] as const),
    ),
    /** Makes a team of an owner and others with a project. */
    makeTeam: async (owner: Visitor, others: readonly Visitor[]): Promise<Team> => {
      const accountId = await createAccount(owner);
      const team: Team = {
        accountId,
        account: `/api/accounts/${accountId}`,
        owner,
        members: [],
        projects: [],
        keys: [],
      };
      for (const visitor of others) {
        const memberId = await invite(team, visitor.email);
        assert.ok(memberId !== undefined && (await answer(visitor, accountId, memberId, 'join')));
        team.members.push({ visitor, memberId });
      }
      await createProject(team, owner, 0);
      return team;
    },
  };
}
export type People = ReturnType<typeof people>;
