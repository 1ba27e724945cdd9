import { lazy, Suspense, useEffect, useState } from 'react';
import { Folder, Plus } from 'lucide-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { projectPageQuery, type Project, type ProjectPage } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Card, Cards, Muted, Row, Stack } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { Loaded, Waiting } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { Steps } from '../components/steps.tsx';
import { useIsKept } from '../components/use-kept.ts';
import { useLater } from '../components/use-later.ts';
import { ProjectCard } from '../home/project-card.tsx';
import { NewProjectForm } from '../projects/new-project-form.tsx';
import type { AccountPage } from '../session.ts';
import { byName } from '../text/names.ts';
import { mayChange } from '../text/roles.ts';
import { periodSentence } from '../text/quota.ts';

const fetchDialog = () => import('../projects/new-project-dialog.tsx');
/** The parts that need a project. A first visit does not load them. */
const HomeDetails = lazy(() => import('../home/home-details.tsx'));
const HomeNotes = lazy(() => import('../home/home-notes.tsx'));

/**
 * The number of projects whose requests of 24 hours are shown. Each is a read of its own, and a person has a limited
 * number a minute.
 */
const CHARTS = 12;

/**
 * The home of an account: its projects with their quotas, the keys and refusals that need attention, the next steps.
 */
export function HomePage({ account }: AccountPage) {
  const { accountId } = account;
  const query = useQuery(projectPageQuery(accountId));
  const isKept = useIsKept();
  const [isNaming, setNaming] = useState(() => isKept('new project'));
  const [NewProjectDialog, load] = useLater(fetchDialog);
  useEffect(() => {
    if (isNaming) load();
  }, [isNaming, load]);
  const [first] = query.data?.projects ?? [];
  const action = first && mayChange(account) && (
    <Button kind="primary" icon={Plus} onHoverStart={load} onFocus={load} onPress={() => setNaming(true)}>
      New project
    </Button>
  );
  return (
    <Page title="Home" about={first && periodSentence(first.period)} action={action}>
      <Loaded query={query} what="the projects">
        {(page) =>
          page.projects.length === 0 ? (
            mayChange(account) ? (
              <>
                <Steps at={2} />
                <Card title="Name a first project">
                  <p>A project holds keys, which share its quota. Make one for each application.</p>
                  <NewProjectForm accountId={accountId} offered="My first project" />
                </Card>
              </>
            ) : (
              <Card>
                <Empty icon={Folder} title="No project yet.">
                  You see projects here when a member has made one. Viewers make none.
                </Empty>
              </Card>
            )
          ) : (
            // The notes are at the top, so nothing below them is shown before they are.
            <Suspense fallback={<Waiting what="the projects" />}>
              <HomeNotes account={account} projects={page.projects} />
              <ProjectCards accountId={accountId} first={page} />
              <HomeDetails accountId={accountId} projects={page.projects} />
            </Suspense>
          )
        }
      </Loaded>
      {isNaming && NewProjectDialog && <NewProjectDialog accountId={accountId} onClose={() => setNaming(false)} />}
    </Page>
  );
}

/** The first page of the projects, and further requested ones. */
function ProjectCards({ accountId, first }: { readonly accountId: string; readonly first: ProjectPage }) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const queries = useQueries({ queries: cursors.map((cursor) => projectPageQuery(accountId, cursor)) });
  const projects = [first, ...queries.map(({ data }) => data)].flatMap((page) => page?.projects ?? []).toSorted(byName);
  const last = queries.at(-1);
  const cursor = last ? last.data?.cursor : first.cursor;
  const used = projects.filter(({ lastRequest }) => lastRequest !== null).toSorted(lastUsedFirst);
  const withChart = new Set(used.slice(0, CHARTS).map(({ projectId }) => projectId));
  return (
    <Stack>
      <Cards>
        {projects.map((project) => (
          <ProjectCard
            key={project.projectId}
            accountId={accountId}
            project={project}
            hasChart={withChart.has(project.projectId)}
          />
        ))}
      </Cards>
      {last && !last.data && (
        <Loaded query={last} what="more projects">
          {() => null}
        </Loaded>
      )}
      {typeof cursor === 'string' && (
        <Row>
          <Muted>{projects.length} projects are shown, and there are more.</Muted>
          <Button onPress={() => setCursors([...cursors, cursor])}>Show more</Button>
        </Row>
      )}
      {used.length > CHARTS && <Muted>Requests are drawn for the {CHARTS} projects that were used last.</Muted>}
    </Stack>
  );
}

const lastUsedFirst = ({ lastRequest: one }: Project, { lastRequest: other }: Project): number =>
  (one ?? '') < (other ?? '') ? 1 : -1;
