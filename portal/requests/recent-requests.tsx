import { useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import type { Key } from '../api/schemas.ts';
import type { ProjectIds } from '../api/queries.ts';
import { requestsQuery } from '../api/usage-queries.ts';
import { ButtonLink } from '../components/button.tsx';
import { Card, Muted } from '../components/card.tsx';
import { Loaded } from '../components/loaded.tsx';
import { pages } from '../routes.ts';
import { NotListed } from './not-listed.tsx';
import { RequestList } from './request-list.tsx';

/** Enough to show that a ping arrived. */
const LATEST = 5;

/** The latest requests of a key. */
export const latestQuery = (ids: ProjectIds, keyId: string) => requestsQuery(ids, { keyId }, LATEST, true);

interface RecentRequestsProps extends ProjectIds {
  readonly of: Key;
}

/** The latest requests of a key, read again every few seconds. */
export function RecentRequests({ accountId, projectId, of: key }: RecentRequestsProps) {
  const query = useQuery(latestQuery({ accountId, projectId }, key.keyId));
  return (
    <Card
      title="Its latest requests"
      action={
        <ButtonLink href={pages.keyRequests(accountId, projectId, key.keyId)} kind="quiet" iconAfter={ArrowRight}>
          All requests
        </ButtonLink>
      }
      isFlush={query.data !== undefined && query.data.events.length > 0}
    >
      <Loaded query={query} what="the requests">
        {({ events, cursor }) =>
          events.length === 0 ? (
            <>
              <Muted>{cursor === null ? WITHOUT : NOT_AMONG_NEWEST}</Muted>
              <NotListed />
            </>
          ) : (
            <RequestList
              events={events}
              hasMore={cursor !== null}
              keys={[key]}
              isOfOneKey
              addressOf={(event) => pages.request(accountId, projectId, event)}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

const WITHOUT = 'No request yet. Send a ping with this key: it is here within seconds.';
const NOT_AMONG_NEWEST = 'This key sent none of the newest requests of the project. “All requests” looks further back.';
