import { useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import type { Key } from '../api/queries.ts';
import { requestsQuery } from '../api/usage-queries.ts';
import { ButtonLink } from '../components/button.tsx';
import { Card, Muted } from '../components/card.tsx';
import { Loaded } from '../components/loaded.tsx';
import { pages } from '../routes.ts';
import { NotListed } from './not-listed.tsx';
import { RequestList } from './request-list.tsx';

/** As many as show that a ping arrived. */
const LATEST = 5;

interface RecentRequestsProps {
  readonly accountId: string;
  readonly projectId: string;
  readonly keys: readonly Key[];
}

/** The latest requests of a project, read again every few seconds. */
export function RecentRequests({ accountId, projectId, keys }: RecentRequestsProps) {
  const query = useQuery(requestsQuery({ accountId, projectId }, {}, LATEST, true));
  return (
    <Card
      title="Latest requests"
      action={
        <ButtonLink href={pages.usage(accountId, projectId)} kind="quiet" iconAfter={ArrowRight}>
          All requests
        </ButtonLink>
      }
      isFlush={query.data !== undefined && query.data.events.length > 0}
    >
      <Loaded query={query} what="the requests">
        {({ events }) =>
          events.length === 0 ? (
            <>
              <Muted>No request yet. Send a ping with a key: it is here within seconds.</Muted>
              <NotListed />
            </>
          ) : (
            <RequestList
              events={events}
              keys={keys}
              addressOf={(event) => pages.request(accountId, projectId, event)}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
