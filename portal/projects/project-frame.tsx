import type { ReactNode } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { PortalError } from '../api/problem.ts';
import { projectQuery, type Project } from '../api/queries.ts';
import { Id } from '../components/id.tsx';
import { Loaded } from '../components/loaded.tsx';
import { isNearlyUsedUp } from '../components/meter.tsx';
import { Note } from '../components/note.tsx';
import { Page } from '../components/page.tsx';
import { WithSupport } from '../components/support.tsx';
import { Tabs } from '../components/tabs.tsx';
import { NotFoundPage } from '../pages/not-found.tsx';
import { pages } from '../routes.ts';
import type { ProjectPage } from '../session.ts';
import { isUsedUp, percentUsed, periodEnd } from '../text/quota.ts';

const TABS = [
  ['Keys', pages.keys],
  ['Requests', pages.requests],
  ['Usage', pages.usage],
  ['Settings', pages.project],
] as const;

interface ProjectFrameProps extends ProjectPage {
  readonly tab: (typeof TABS)[number][0];
  readonly action?: ReactNode;
  readonly children: (project: Project) => ReactNode;
}

/** A page of a project: its position, its tabs, and the state of the project as a whole. */
export function ProjectFrame({ account: { accountId }, projectId, tab, action, children }: ProjectFrameProps) {
  const query = useQuery(projectQuery(accountId, projectId));
  if (isGone(query)) return <NotFoundPage />;
  const name = query.data?.name;
  return (
    <Page
      title={name}
      tabTitle={name === undefined ? tab : `${tab} · ${name}`}
      aside={<Id of={projectId} what="project" />}
      action={action}
    >
      <Tabs label="Project" tabs={TABS.map(([words, page]) => [words, page(accountId, projectId)])} current={tab} />
      {query.data && <ProjectNotes of={query.data} />}
      <Loaded query={query} what="the project">
        {children}
      </Loaded>
    </Page>
  );
}

/** Problems of a project as a whole, now or soon. No change of its keys helps. */
export const ProjectNotes = ({ of: project }: { readonly of: Project }) => (
  <>
    {project.status === 'suspended' && (
      <Note kind="bad">
        <b>This project is suspended.</b> Its requests are refused with <code>PROJECT_SUSPENDED</code>. Ask the platform
        team why.
      </Note>
    )}
    {isUsedUp(project) && (
      <Note kind="bad">
        <b>The quota is used up.</b> Requests are refused with <code>QUOTA_EXCEEDED</code> until{' '}
        {periodEnd(project.period)}. <WithSupport text="Ask the platform team for more." />
      </Note>
    )}
    {project.status === 'active' && !isUsedUp(project) && isNearlyUsedUp(project) && (
      <Note kind="warn">
        <b>{percentUsed(project)} of the quota is used.</b> When it is used up, requests are refused until{' '}
        {periodEnd(project.period)}. <WithSupport text="Ask the platform team for more." />
      </Note>
    )}
  </>
);

/** Whether the requested object does not exist any more for this person. */
export const isGone = ({ error }: UseQueryResult): boolean =>
  error instanceof PortalError && error.code === 'NOT_FOUND';
