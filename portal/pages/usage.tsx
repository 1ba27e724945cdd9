import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { keysQuery, readEvents, requestsQuery, type UsageEvent } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Card, Row } from '../components/card.tsx';
import { Failure } from '../components/form.tsx';
import { Loaded } from '../components/loaded.tsx';
import { QuotaMeter } from '../components/meter.tsx';
import { Toggle } from '../components/toggle.tsx';
import { ProjectFrame } from '../projects/project-frame.tsx';
import { RequestList } from '../requests/request-list.tsx';
import { pages } from '../routes.ts';
import type { ProjectPage } from '../session.ts';
import { periodSentence } from '../text/quota.ts';

/** Requests read at once. */
const PAGE = 25;

/** What a project used of its quota, and its requests. */
export default function UsagePage({ account, projectId }: ProjectPage) {
  const { accountId } = account;
  return (
    <ProjectFrame account={account} projectId={projectId} tab="Usage">
      {(project) => (
        <>
          <Card>
            <QuotaMeter quota={project} />
            <p>{periodSentence(project.period)}</p>
          </Card>
          <Requests accountId={accountId} projectId={projectId} />
        </>
      )}
    </ProjectFrame>
  );
}

interface RequestsProps {
  readonly accountId: string;
  readonly projectId: string;
}

function Requests({ accountId, projectId }: RequestsProps) {
  const [isLive, setLive] = useState(true);
  const keys = useQuery(keysQuery(accountId, projectId));
  const query = useQuery(requestsQuery(accountId, projectId, PAGE, isLive));
  const [older, setOlder] = useState<Older>();
  const more = useAction(
    (cursor: string) => readEvents(accountId, projectId, { limit: PAGE, cursor }),
    ({ events, cursor }) => setOlder((before) => ({ events: [...(before?.events ?? []), ...events], cursor })),
  );
  return (
    <Card
      title="Requests"
      action={
        <Toggle isOn={isLive} onChange={setLive}>
          Live
        </Toggle>
      }
      isFlush={query.data !== undefined && query.data.events.length > 0}
    >
      <Loaded query={query} what="the requests">
        {({ events, cursor: firstCursor }) => {
          const cursor = older ? older.cursor : firstCursor;
          const all = together(events, older?.events ?? []);
          if (all.length === 0 && cursor === null) {
            return (
              <p>
                No request yet. <Link href={pages.keys(accountId, projectId)}>Create a key</Link> and send a ping with
                it: it shows here within seconds.
              </p>
            );
          }
          return (
            <>
              <RequestList events={all} keys={keys.data ?? []} />
              {cursor !== null && (
                <Card>
                  <Failure error={more.error} />
                  <Row>
                    <Button isPending={more.isPending} onPress={() => more.run(cursor)}>
                      Older requests
                    </Button>
                  </Row>
                </Card>
              )}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

interface Older {
  readonly events: readonly UsageEvent[];
  readonly cursor: string | null;
}

/** The newest page and the older ones below it, each request once. */
function together(newest: readonly UsageEvent[], older: readonly UsageEvent[]): UsageEvent[] {
  return [...new Map([...newest, ...older].map((event) => [event.requestId, event])).values()];
}
