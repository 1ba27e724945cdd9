import * as v from 'valibot';
import { ProjectId } from './ids.ts';
import { Named } from './requests/fields.ts';
import { AnyCursor } from './requests/lists.ts';
import {
  CREATION_CODES,
  Empty,
  FIND_CODES,
  MEMBERS_CHANGE_CODES,
  OWNERS_CHANGE_CODES,
  type PortalOperation,
} from './route.ts';
import { Count, GivenName, Moment, NextCursor, PeriodId, upTo } from './values.ts';

export const Project = v.strictObject({
  projectId: ProjectId,
  name: GivenName,
  /** The requests of a suspended one are refused. The platform team can tell why. */
  status: v.picklist(['active', 'suspended']),
  /** Units a period; null: no limit. */
  quotaLimit: v.nullable(Count),
  quotaUsed: Count,
  period: PeriodId,
  activeKeys: Count,
  createdAt: Moment,
  /** Of its newest event; null: there is none. */
  lastRequest: v.nullable(Moment),
});
export type Project = v.InferOutput<typeof Project>;

export const Projects = v.strictObject({ projects: upTo(50, Project), cursor: NextCursor });
export type Projects = v.InferOutput<typeof Projects>;

/** The projects of an account. */
export const projectContract = {
  /** In the order of their ids. Closed ones are not listed. */
  listProjects: { query: AnyCursor, answers: { 200: Projects }, refuses: [...FIND_CODES, 'INVALID_REQUEST'] },
  /** With the stage's quota. So many may be open, and so many made in a period, closed ones included. */
  createProject: {
    isRepeatable: true,
    body: Named,
    answers: { 201: v.strictObject({ projectId: ProjectId }) },
    refuses: [...MEMBERS_CHANGE_CODES, ...CREATION_CODES],
  },
  getProject: { answers: { 200: Project }, refuses: FIND_CODES },
  updateProject: { body: Named, answers: { 200: Project }, refuses: MEMBERS_CHANGE_CODES },
  /** Its keys are refused from the next request on, and from then on it does not exist. */
  closeProject: { answers: { 204: Empty }, refuses: OWNERS_CHANGE_CODES },
} as const satisfies Record<string, PortalOperation>;
