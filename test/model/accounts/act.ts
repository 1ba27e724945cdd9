import { Refused, type Answer, type Seen } from './answers.ts';
import type { Action, Asked } from './commands.ts';
import * as operator from './operator.ts';
import * as people from './people.ts';
import * as projects from './projects.ts';
import * as teams from './teams.ts';
import { operatorDeletesPerson } from './person-deletion.ts';
import type { World } from './world.ts';

type Rule = (world: World, asked: Asked, seen: Seen) => Answer;

const { signIn, signOut, readSession, listSessions, endSession, deleteProfile } = people;
const { createAccount, renameAccount, closeAccount, listMembers, invite, accept, decline } = teams;
const { createProject, renameProject, closeProject, listProjects, readProject, readEvents } = projects;
const { createKey, renameKey, capKey, revokeKey, rotateKey, listKeys } = projects;
const { operatorClosesAccount, operatorRevokes, operatorExpires, operatorInvites, operatorRemoves } = operator;
const RULES: Readonly<Record<Action, Rule>> = {
  ...{ signIn, signOut, session: readSession, sessions: listSessions, endSession, deleteProfile },
  ...{ createAccount, renameAccount, closeAccount, members: listMembers, invite, accept, decline },
  ...{ changeRole: teams.changeRole, remove: teams.remove, leave: teams.remove, audit: teams.readAudit },
  ...{ projects: listProjects, project: readProject, createProject, renameProject, closeProject, events: readEvents },
  ...{ keys: listKeys, createKey, renameKey, capKey, revokeKey, rotateKey, ping: operator.ping },
  suspend: operator.operatorSets('suspended'),
  resume: operator.operatorSets('active'),
  operatorClosesProject: operator.operatorSets('closed'),
  ...{ operatorClosesAccount, operatorRevokes, operatorExpires, operatorInvites, operatorRemoves },
  ...{ operatorSignsOut: operator.operatorSignsOut, operatorDeletesPerson },
};

/** Applies one command to the model and returns the expected answer. Ids come from the real answer. */
export function act(world: World, asked: Asked, seen: Seen): Answer {
  try {
    return RULES[asked.do](world, asked, seen);
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}
