import { useState } from 'react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { keysQuery, projectsQuery, type Project } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Card, Cards, Facts, Stack } from '../components/card.tsx';
import { Id } from '../components/id.tsx';
import { Dialog, DialogBody } from '../components/dialog.tsx';
import { Loaded } from '../components/loaded.tsx';
import { QuotaMeter } from '../components/meter.tsx';
import { Note } from '../components/note.tsx';
import { Page } from '../components/page.tsx';
import { State } from '../components/state.tsx';
import { Steps } from '../components/steps.tsx';
import { Time } from '../components/time.tsx';
import { useNow } from '../components/use-now.ts';
import { isExpiring, nameOf } from '../keys/key-view.ts';
import { NewProjectForm } from '../projects/new-project-form.tsx';
import { pages } from '../routes.ts';
import type { AccountPage } from '../session.ts';
import { periodSentence } from '../text/quota.ts';

/** The projects of an account, each with its quota, its keys and its last request. */
export function ProjectsPage({ account: { accountId } }: AccountPage) {
  const query = useQuery(projectsQuery(accountId));
  const [isNaming, setNaming] = useState(false);
  const [first] = query.data ?? [];
  const action = first && (
    <Button kind="primary" onPress={() => setNaming(true)}>
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
                <p>A project holds keys, and the quota that they share. One for each application is usual.</p>
                <NewProjectForm accountId={accountId} offered="My first project" />
              </Card>
            </>
          ) : (
            <ProjectCards accountId={accountId} projects={projects} />
          )
        }
      </Loaded>
      {isNaming && (
        <Dialog title="New project" onClose={() => setNaming(false)}>
          <DialogBody>
            <NewProjectForm accountId={accountId} onCancel={() => setNaming(false)} />
          </DialogBody>
        </Dialog>
      )}
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
              action={<Link href={pages.keys(accountId, projectId)}>See its keys</Link>}
            >
              <b>
                <bdi>{nameOf(key)}</bdi>
              </b>{' '}
              in <bdi>{projectName}</bdi> expires on <Time of={key.expiresAt ?? ''} as="minute" />. Rotate it before.
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

const ProjectCard = ({ accountId, project }: ProjectCardProps) => (
  <Card>
    <div>
      <h2>
        <Link href={pages.keys(accountId, project.projectId)}>
          <bdi>{project.name}</bdi>
        </Link>
      </h2>
      <Id of={project.projectId} what="project" />
    </div>
    {project.status === 'suspended' && <State kind="bad">suspended: its requests are refused</State>}
    <Stack>
      <QuotaMeter quota={project} />
    </Stack>
    <Facts
      facts={[
        ['Active keys', project.activeKeys],
        ['Last request', project.lastRequest === null ? 'none yet' : <Time of={project.lastRequest} as="since" />],
      ]}
    />
  </Card>
);
