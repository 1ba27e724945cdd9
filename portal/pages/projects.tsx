import { useState } from 'react';
import { Plus } from 'lucide-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { keysQuery, projectsQuery, type Project } from '../api/queries.ts';
import { Button, ButtonLink } from '../components/button.tsx';
import { Card, Cards } from '../components/card.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Pace, QuotaMeter } from '../components/meter.tsx';
import { Note } from '../components/note.tsx';
import { Page } from '../components/page.tsx';
import { State } from '../components/state.tsx';
import { Steps } from '../components/steps.tsx';
import { Time } from '../components/time.tsx';
import { useLater } from '../components/use-later.ts';
import { useNow } from '../components/use-now.ts';
import { KeyName } from '../keys/key-name.tsx';
import { isExpiring } from '../keys/key-view.ts';
import { NewProjectForm } from '../projects/new-project-form.tsx';
import { pages } from '../routes.ts';
import type { AccountPage } from '../session.ts';
import { counted } from '../text/format.ts';
import { periodSentence } from '../text/quota.ts';
import css from './projects.module.css';

const fetchDialog = () => import('../projects/new-project-dialog.tsx');

/** The projects of an account, each with its quota, its keys and its last request. */
export function ProjectsPage({ account: { accountId } }: AccountPage) {
  const query = useQuery(projectsQuery(accountId));
  const [isNaming, setNaming] = useState(false);
  const [NewProjectDialog, load] = useLater(fetchDialog);
  const [first] = query.data ?? [];
  const action = first && (
    <Button kind="primary" icon={Plus} onHoverStart={load} onFocus={load} onPress={() => setNaming(true)}>
      New project
    </Button>
  );
  return (
    <Page title="Projects" about={first && periodSentence(first.period)} action={action}>
      <Loaded query={query} what="the projects">
        {(projects) =>
          projects.length === 0 ? (
            <>
              <Steps at={2} />
              <Card title="Name a first project">
                <p>A project holds keys, which share its quota. Make one for each application.</p>
                <NewProjectForm accountId={accountId} offered="My first project" />
              </Card>
            </>
          ) : (
            <ProjectCards accountId={accountId} projects={projects} />
          )
        }
      </Loaded>
      {isNaming && NewProjectDialog && <NewProjectDialog accountId={accountId} onClose={() => setNaming(false)} />}
    </Page>
  );
}

function ProjectCards({ accountId, projects }: { readonly accountId: string; readonly projects: readonly Project[] }) {
  const queries = useQueries({ queries: projects.map(({ projectId }) => keysQuery(accountId, projectId)) });
  const nowMs = useNow();
  return (
    <>
      <Cards>
        {projects.map((project) => (
          <ProjectCard key={project.projectId} accountId={accountId} project={project} />
        ))}
      </Cards>
      {projects.flatMap(({ projectId, name: projectName }, index) =>
        (queries[index]?.data ?? [])
          .filter((key) => isExpiring(key, nowMs))
          .map((key) => (
            <Note
              key={key.keyId}
              kind="warn"
              action={<ButtonLink href={pages.key(accountId, projectId, key.keyId)}>See the key</ButtonLink>}
            >
              <b>
                <KeyName of={key} />
              </b>{' '}
              in <bdi>{projectName}</bdi> expires on <Time of={key.expiresAt ?? ''} as="minute" />. Rotate it before
              then.
            </Note>
          )),
      )}
    </>
  );
}

interface ProjectCardProps {
  readonly accountId: string;
  readonly project: Project;
}

/** The whole card leads to the project. */
const ProjectCard = ({ accountId, project }: ProjectCardProps) => (
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
    <p className={css.foot}>
      <span>{counted(project.activeKeys, 'active key')}</span>
      {project.lastRequest === null ? (
        'No request yet'
      ) : (
        <span>
          Last request <Time of={project.lastRequest} as="since" />
        </span>
      )}
    </p>
  </article>
);
