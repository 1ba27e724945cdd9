import { Refused, type Answer, type Seen } from './answers.ts';
import type { Action, Asked } from './commands.ts';
import * as operator from './operator.ts';
import * as people from './people.ts';
import * as projects from './projects.ts';
import * as teams from './teams.ts';
import { operatorDeletesPerson } from './person-deletion.ts';
import type { World } from './world.ts';

const RULES: Readonly<Record<Action, (world: World, asked: Asked, seen: Seen) => Answer>> = {
  signIn: people.signIn,
  signOut: people.signOut,
  session: people.readSession,
  sessions: people.listSessions,
  endSession: people.endSession,
  deleteProfile: people.deleteProfile,
  createAccount: teams.createAccount,
  renameAccount: teams.renameAccount,
  closeAccount: teams.closeAccount,
  members: teams.listMembers,
  invite: teams.invite,
  accept: teams.accept,
  decline: teams.decline,
  changeRole: teams.changeRole,
  remove: teams.remove,
  leave: teams.remove,
  audit: teams.readAudit,
  projects: projects.listProjects,
  project: projects.readProject,
  createProject: projects.createProject,
  renameProject: projects.renameProject,
  closeProject: projects.closeProject,
  keys: projects.listKeys,
  createKey: projects.createKey,
  renameKey: projects.renameKey,
  capKey: projects.capKey,
  revokeKey: projects.revokeKey,
  rotateKey: projects.rotateKey,
  events: projects.readEvents,
  ping: operator.ping,
  suspend: operator.operatorSets('suspended'),
  resume: operator.operatorSets('active'),
  operatorClosesProject: operator.operatorSets('closed'),
  operatorClosesAccount: operator.operatorClosesAccount,
  operatorRevokes: operator.operatorRevokes,
  operatorExpires: operator.operatorExpires,
  operatorInvites: operator.operatorInvites,
  operatorRemoves: operator.operatorRemoves,
  operatorSignsOut: operator.operatorSignsOut,
  operatorDeletesPerson,
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
