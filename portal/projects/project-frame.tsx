import type { ReactNode } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import { PortalError } from '../api/problem.ts';
import { projectQuery, type Project } from '../api/queries.ts';
import { Loaded } from '../components/loaded.tsx';
import { Note } from '../components/note.tsx';
import { Page } from '../components/page.tsx';
import { NotFoundPage } from '../pages/not-found.tsx';
import { pages } from '../routes.ts';
import type { ProjectPage } from '../session.ts';
import { isUsedUp, periodEnd } from '../text/quota.ts';
import css from './project-frame.module.css';

const TABS = [
  ['Keys', pages.keys],
  ['Usage', pages.usage],
  ['Settings', pages.project],
] as const;

interface ProjectFrameProps extends ProjectPage {
  readonly tab: (typeof TABS)[number][0];
  readonly action?: ReactNode;
  readonly children: (project: Project) => ReactNode;
}

/** A page of a project: where it belongs, its tabs, and what is wrong with the project as a whole. */
export function ProjectFrame({ account: { accountId }, projectId, tab, action, children }: ProjectFrameProps) {
  const query = useQuery(projectQuery(accountId, projectId));
  if (isGone(query)) return <NotFoundPage />;
  const name = query.data?.name ?? projectId;
  const crumb = (
    <>
      <Link href={pages.projects(accountId)}>Projects</Link> / <bdi>{name}</bdi>
    </>
  );
  return (
    <Page title={tab} crumb={crumb} action={action}>
      <nav className={css.tabs} aria-label="Project">
        {TABS.map(([label, page]) => (
          <Link
            key={label}
            href={page(accountId, projectId)}
            className={css.tab ?? ''}
            aria-current={label === tab ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      {query.data?.status === 'suspended' && (
        <Note kind="bad">
          <b>This project is suspended.</b> Its requests are refused with PROJECT_SUSPENDED. Ask the platform team why.
        </Note>
      )}
      {query.data && isUsedUp(query.data) && (
        <Note kind="bad">
          <b>The quota is used up.</b> Requests are refused with QUOTA_EXCEEDED until {periodEnd(query.data.period)}.
          Ask the platform team for more.
        </Note>
      )}
      <Loaded query={query} what="the project">
        {children}
      </Loaded>
    </Page>
  );
}

/** Whether there is no such project any more for this person. */
const isGone = ({ error }: UseQueryResult): boolean => error instanceof PortalError && error.code === 'NOT_FOUND';
