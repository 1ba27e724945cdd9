import { useState } from 'react';
import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import { projectPageQuery, type Attention, type Project, type ProjectPage } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Cards, Muted, Row, Stack } from '../components/card.tsx';
import { Loaded, Waiting } from '../components/loaded.tsx';
import type { AccountPage } from '../session.ts';
import { byName } from '../text/names.ts';
import { mayChange } from '../text/roles.ts';
import { FirstSteps } from './first-steps.tsx';
import { NeedsYou } from './needs-you.tsx';
import { ProjectCard } from './project-card.tsx';

/**
 * The number of projects whose requests of 24 hours are shown. Each is a read of its own, and a person has a limited
 * number a minute.
 */
const CHARTS = 12;

interface OverviewProps extends AccountPage {
  /** The first page of the projects. */
  readonly first: ProjectPage;
  readonly attention: UseQueryResult<Attention>;
}

/** The home of an account with projects: what needs somebody, the projects, and for beginners the next steps. */
export default function Overview({ account, first, attention }: OverviewProps) {
  const { accountId } = account;
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const queries = useQueries({ queries: cursors.map((cursor) => projectPageQuery(accountId, cursor)) });
  const projects = [first, ...queries.map(({ data }) => data)].flatMap((page) => page?.projects ?? []).toSorted(byName);
  const last = queries.at(-1);
  const cursor = last ? last.data?.cursor : first.cursor;
  const used = projects.filter(({ lastRequest }) => lastRequest !== null).toSorted(lastUsedFirst);
  const charted = used.slice(0, CHARTS);
  // It is at the top, so nothing below it is shown before it.
  if (attention.isPending && attention.failureCount === 0) return <Waiting what="the projects" />;
  return (
    <>
      <NeedsYou accountId={accountId} projects={projects} charted={charted} query={attention} />
      <Stack>
        <Cards>
          {projects.map((project) => (
            <ProjectCard
              key={project.projectId}
              accountId={accountId}
              project={project}
              hasChart={charted.includes(project)}
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
      {mayChange(account) && <FirstSteps account={account} projects={projects} />}
    </>
  );
}

const lastUsedFirst = ({ lastRequest: one }: Project, { lastRequest: other }: Project): number =>
  (one ?? '') < (other ?? '') ? 1 : -1;
