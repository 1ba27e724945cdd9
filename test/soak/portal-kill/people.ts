import assert from 'node:assert/strict';
import type { Outcome, Visitor } from './asking.ts';
import { changes, pick, type Act, type Team } from './changes.ts';
import type { Claims } from './claims.ts';
import { guestActs } from './guests.ts';
import { keyActs } from './keys.ts';

/** The actions of people and their relative frequency. */
const OF_MEMBERS = {
  ...{ createKey: 6, rotateKey: 3, revokeKey: 2, renameKey: 1 },
  ...{ createProject: 2, renameProject: 2, closeProject: 1, ownAccount: 1 },
} as const;
const OF_OWNERS = {
  ...{ createProject: 2, renameProject: 1, closeProject: 1, createKey: 2 },
  ...{ renameAccount: 1, changeRole: 3, guest: 4 },
} as const;
export type Action = keyof typeof OF_MEMBERS | keyof typeof OF_OWNERS;

/** Selects an action by a number from 0 to below 1. */
export function chosen(of: 'member' | 'owner', chance: number): Action {
  const weights = Object.entries(of === 'owner' ? OF_OWNERS : OF_MEMBERS) as [Action, number][];
  const names = weights.flatMap(([name, weight]) => Array<Action>(weight).fill(name));
  return pick(names, chance) ?? 'createKey';
}

/**
 * The actions of people. Each is repeated until it is answered, and recorded in the claims. Throws for a wrong answer.
 */
export function people(claims: Claims, newVisitor: (email: string) => Promise<Visitor>) {
  const common = changes(claims);
  const { change, done, newName } = common;
  const { keys, ...ofKeys } = keyActs(common);
  const { invite, answer, guest } = guestActs(common, newVisitor, ofKeys.createKey);

  const createAccount = async (who: Visitor): Promise<string> => {
    const outcome = await who.ask('POST', '/api/accounts', { name: newName() });
    const { accountId } = outcome.body;
    assert.ok(accountId !== undefined, `an account is not created: ${outcome.code}`);
    done(who, outcome, [{ action: 'account.create', accountId, about: accountId }]);
    return accountId;
  };
  const ownProject = ({ accountId, projects }: Team, who: Visitor, chance: number) => {
    const open = projects.filter(({ maker, isClosed }) => maker === who && !isClosed);
    const project = pick(open, chance);
    return project && { project, path: `/api/accounts/${accountId}/projects/${project.projectId}` };
  };

  const act: Readonly<Record<Action, Act>> = {
    ...ofKeys,
    guest,
    createProject: async ({ accountId, projects }, who) => {
      const asked = ['POST', `/api/accounts/${accountId}/projects`, { name: newName() }] as const;
      const event = ({ projectId: about }: Outcome['body']) => ({ action: 'project.create', accountId, about });
      const { projectId } = (await change(who, asked, event)).body;
      if (projectId !== undefined) projects.push({ projectId, maker: who, isClosed: false });
    },
    renameProject: async (team, who, chance) => {
      const own = ownProject(team, who, chance);
      if (!own) return;
      const { project, path } = own;
      const name = newName();
      const event = { action: 'project.update', accountId: team.accountId, about: project.projectId, name };
      await change(who, ['PATCH', path, { name }], event);
    },
    closeProject: async (team, who, chance) => {
      const own = ownProject(team, who, chance);
      if (!own) return;
      const { project, path } = own;
      const event = { action: 'project.close', accountId: team.accountId, about: project.projectId };
      const { code } = await change(who, ['DELETE', path], event);
      // It is absent because an unanswered attempt closed it.
      project.isClosed = code !== 'OWNER_ONLY';
    },
    renameAccount: async ({ accountId, owner }) => {
      const asked = ['PATCH', `/api/accounts/${accountId}`, { name: newName() }] as const;
      await change(owner, asked, { action: 'account.update', accountId, about: accountId });
    },
    changeRole: async ({ accountId, owner, members }, _who, chance) => {
      const { memberId = '' } = pick(members, chance) ?? {};
      const event = { action: 'member.update', accountId, about: memberId };
      // The members before and after it.
      for (const role of ['owner', 'member']) {
        await change(owner, ['PATCH', `/api/accounts/${accountId}/members/${memberId}`, { role }], event);
      }
    },
    ownAccount: async (_team, who) => {
      const accountId = await createAccount(who);
      const event = { action: 'account.close', accountId, about: accountId };
      await change(who, ['DELETE', `/api/accounts/${accountId}`], event);
    },
  };

  return {
    keys,
    act,
    /** Makes a team of an owner and others with a project. */
    makeTeam: async (owner: Visitor, others: readonly Visitor[]): Promise<Team> => {
      const accountId = await createAccount(owner);
      const members: { visitor: Visitor; memberId: string }[] = [];
      for (const visitor of others) {
        const memberId = await invite({ accountId, owner }, visitor.email);
        assert.ok(memberId !== undefined && (await answer(visitor, accountId, memberId, 'accept')));
        members.push({ visitor, memberId });
      }
      const team: Team = { accountId, owner, members, projects: [] };
      await act.createProject(team, owner, 0);
      return team;
    },
  };
}
export type People = ReturnType<typeof people>;
