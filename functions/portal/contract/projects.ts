import * as v from 'valibot';
import { Named } from './fields.ts';
import { ProjectId } from './ids.ts';
import { AnyCursor } from './lists.ts';
import { CREATION_CODES, Empty, type PortalOperation } from './operation.ts';
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

const PROJECTS = '/api/accounts/{accountId}/projects';

/** The projects of an account. */
export const projectContract = {
  /** In the order of their ids. Closed ones are not listed. */
  listProjects: { route: `GET ${PROJECTS}`, by: 'viewer', isFree: true, query: AnyCursor, answers: { 200: Projects } },
  /** With the stage's quota. So many may be open, and so many made in a period, closed ones included. */
  createProject: {
    route: `POST ${PROJECTS}`,
    by: 'member',
    isRepeatable: true,
    body: Named,
    answers: { 201: v.strictObject({ projectId: ProjectId }) },
    refuses: CREATION_CODES,
  },
  getProject: { route: `GET ${PROJECTS}/{projectId}`, by: 'viewer', isFree: true, answers: { 200: Project } },
  updateProject: { route: `PATCH ${PROJECTS}/{projectId}`, by: 'member', body: Named, answers: { 200: Project } },
  /** Its keys are refused from the next request on, and from then on it does not exist. */
  closeProject: { route: `DELETE ${PROJECTS}/{projectId}`, by: 'owner', answers: { 204: Empty } },
} as const satisfies Record<string, PortalOperation>;
