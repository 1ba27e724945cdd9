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

/** The latest requests of a project, or of one of its keys. */
export const latestQuery = (ids: ProjectIds, keyId?: string) =>
  requestsQuery(ids, keyId === undefined ? {} : { keyId }, LATEST, true);

interface RecentRequestsProps extends ProjectIds {
  readonly keys: readonly Key[];
  /** Only those with this key. */
  readonly keyId?: string;
}

/** The latest requests of a project or of one of its keys, read again every few seconds. */
export function RecentRequests({ accountId, projectId, keys, keyId }: RecentRequestsProps) {
  const query = useQuery(latestQuery({ accountId, projectId }, keyId));
  const all = keyId === undefined ? pages.usage(accountId, projectId) : pages.keyRequests(accountId, projectId, keyId);
  return (
    <Card
      title={keyId === undefined ? 'Latest requests' : 'Its latest requests'}
      action={
        <ButtonLink href={all} kind="quiet" iconAfter={ArrowRight}>
          All requests
        </ButtonLink>
      }
      isFlush={query.data !== undefined && query.data.events.length > 0}
    >
      <Loaded query={query} what="the requests">
        {({ events, cursor }) =>
          events.length === 0 ? (
            <>
              <Muted>{cursor === null ? WITHOUT[keyId === undefined ? 'project' : 'key'] : NOT_AMONG_NEWEST}</Muted>
              <NotListed />
            </>
          ) : (
            <RequestList
              events={events}
              keys={keys}
              isOfOneKey={keyId !== undefined}
              addressOf={(event) => pages.request(accountId, projectId, event)}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

const WITHOUT = {
  project: 'No request yet. Send a ping with a key: it is here within seconds.',
  key: 'No request yet. Send a ping with this key: it is here within seconds.',
};
const NOT_AMONG_NEWEST = 'This key sent none of the newest requests of the project. “All requests” looks further back.';
