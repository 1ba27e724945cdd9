import { Link } from 'wouter';
import type { Project } from '../api/queries.ts';
import { Pace, QuotaMeter } from '../components/meter.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { pages } from '../routes.ts';
import { counted } from '../text/format.ts';
import { DayOfRequests } from './day-of-requests.tsx';
import css from './project-card.module.css';

interface ProjectCardProps {
  readonly accountId: string;
  readonly project: Project;
  /** Whether its requests of 24 hours are shown. */
  readonly hasChart: boolean;
}

/** A project with its quota, its keys and its requests. The whole card is a link to it. */
export const ProjectCard = ({ accountId, project, hasChart }: ProjectCardProps) => (
  <article className={css.card}>
    <div className={css.head}>
      <h2 className={css.name}>
        <Link href={pages.keys(accountId, project.projectId)}>
          <bdi>{project.name}</bdi>
        </Link>
      </h2>
      {project.status === 'suspended' ? (
        <State kind="bad">Suspended: its requests are refused</State>
      ) : (
        <Pace of={project} />
      )}
    </div>
    <QuotaMeter quota={project} />
    {hasChart && <DayOfRequests accountId={accountId} project={project} />}
    <p className={css.foot}>
      <span>{counted(project.activeKeys, 'active key')}</span>
      {project.lastRequest === null ? (
        'No recent request'
      ) : (
        <span>
          Last request <Time of={project.lastRequest} as="ago" />
        </span>
      )}
    </p>
  </article>
);
