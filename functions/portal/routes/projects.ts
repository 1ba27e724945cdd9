import { readProjectOverview, readProjectPage } from '../../accounts/projects/project-overviews.ts';
import { closeProject, createProject, updateProject } from '../../accounts/projects/projects.ts';
import { RefusedError } from '../../accounts/store/refusals.ts';
import { periodAt } from '../../shared/time.ts';
import { readLastRequest } from '../../usage/events/recent.ts';
import { MANAGE_CONTRACT } from '../contract/manage.ts';
import { projectContract, type Project } from '../contract/projects.ts';
import { continued, nextCursor } from '../request/list-query.ts';
import { serveToken } from '../serve/token-authority.ts';
import { serve, type Asked } from '../serve/serve.ts';

/** The position where a page of the list ends. */
const POSITION = /^[0-9A-Za-z]{12}$/;
const listOf = (accountId: string): string => `projects of ${accountId}`;

/** A page of an account's projects. */
async function listProjects(asked: Asked<{ readonly cursor?: string | undefined }>) {
  const { store, accountId, input } = asked;
  const page = await readProjectPage(store, accountId, periodOf(asked), readLastRequest, input.cursor);
  return { projects: page.projects.map(shown), cursor: nextCursor(listOf(accountId), page.next) };
}

const overview = async (asked: Asked, projectId: string) =>
  shown(await readProjectOverview(asked.store, projectId, periodOf(asked), readLastRequest));

/** A closed one is refused before: nobody sees that status. */
const shown = <Of extends { readonly status: string }>(project: Of) => ({
  ...project,
  status: project.status as Project['status'],
});

const periodOf = ({ nowMs, dependencies }: Asked): string => periodAt(nowMs, dependencies.quotaPeriod).id;

/** The projects of an account. */
export const projectRoutes = [
  serve(projectContract.listProjects, listProjects, ({ id }) => continued(listOf(id('accountId')), POSITION)),

  serve(projectContract.createProject, async ({ store, accountId, input, idempotencyKey, dependencies }) => {
    const { quotaPeriod, defaults } = dependencies;
    const project = { accountId, name: input.name, quotaLimit: defaults.quotaUnits };
    return { projectId: await createProject(store, project, idempotencyKey, quotaPeriod) };
  }),

  serve(projectContract.getProject, (asked) => overview(asked, asked.id('projectId'))),

  serve(projectContract.updateProject, async (asked) => {
    const { store, input, id } = asked;
    // Read before the change: after it, somebody else may close the project, although the change was made.
    const before = await overview(asked, id('projectId'));
    const { name, status, quotaLimit = null } = await updateProject(store, id('projectId'), input);
    return shown({ ...before, name, status, quotaLimit });
  }),

  serve(projectContract.closeProject, ({ store, id }) => closeProject(store, id('projectId'))),
];

/** The projects that a token may use. */
export const manageProjectRoutes = [
  serveToken(
    MANAGE_CONTRACT.listProjects,
    async (asked) => {
      const { projectId } = asked.token;
      if (projectId === undefined) return listProjects(asked);
      const project = await overview(asked, projectId).catch(unlessGone);
      return { projects: project ? [project] : [], cursor: null };
    },
    ({ token }) => continued(listOf(token.accountId), POSITION),
  ),
];

/** The only project of a token may be closed: then it has none. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof RefusedError) || error.code !== 'NOT_FOUND') throw error;
}
