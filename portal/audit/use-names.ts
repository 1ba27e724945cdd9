import { useQueries, useQuery } from '@tanstack/react-query';
import type { AuditEvent } from '../api/people-queries.ts';
import { endpointsQuery } from '../notices/endpoint-queries.ts';
import { tokensQuery } from '../tokens/token-queries.ts';
import { endedKeysQuery, keysQuery, projectsQuery } from '../api/queries.ts';
import type { Key } from '../api/schemas.ts';

/** Present names by id. Undefined: it does not exist any more, or was not read yet. */
export interface Names {
  /** Whether more names may come. Until then no id is shown in place of a name. */
  readonly isReading: boolean;
  /** Whether all was read that these names come from. */
  readonly isWhole: boolean;
  readonly project: (projectId: string) => string | undefined;
  readonly key: (keyId: string) => Key | undefined;
  readonly endpoint: (endpointId: string) => string | undefined;
  readonly token: (tokenId: string) => string | undefined;
}

/** A list of ended keys is a counted read. Ended keys of projects with older changes have their id as name. */
const MOST_ENDED_LISTS = 10;

/**
 * The names of the changed objects: of the open projects and their keys, with ended ones of the projects whose keys
 * changed last.
 */
export function useNames(accountId: string, events: readonly AuditEvent[], endedLists = MOST_ENDED_LISTS): Names {
  const { data: projects = [], isPending, isSuccess } = useQuery(projectsQuery(accountId));
  // The newest first, as the events are.
  const changed = new Set(events.flatMap(({ projectId, keyId }) => (keyId === null ? [] : (projectId ?? []))));
  const open = new Set(projects.map(({ projectId }) => projectId));
  const withKeys = [...changed].filter((projectId) => open.has(projectId));
  const queries = useQueries({
    queries: [
      ...withKeys.map((projectId) => ({ ...keysQuery(accountId, projectId), refetchInterval: false as const })),
      ...withKeys.slice(0, endedLists).map((projectId) => endedKeysQuery(accountId, projectId)),
    ],
  });
  const has = (id: 'endpointId' | 'tokenId'): boolean => events.some((event) => event[id] !== null);
  const endpoints = useQuery({ ...endpointsQuery(accountId), enabled: has('endpointId') });
  const tokens = useQuery({ ...tokensQuery(accountId), enabled: has('tokenId') });
  const keys = new Map(queries.flatMap(({ data = [] }) => data.map((key) => [key.keyId, key])));
  return {
    isReading: isPending || [...queries, endpoints, tokens].some((query) => query.isLoading),
    isWhole: isSuccess && queries.every((query) => query.isSuccess),
    project: (projectId) => projects.find((project) => project.projectId === projectId)?.name,
    key: (keyId) => keys.get(keyId),
    endpoint: (endpointId) => endpoints.data?.find((endpoint) => endpoint.endpointId === endpointId)?.url,
    token: (tokenId) => tokens.data?.find((token) => token.tokenId === tokenId)?.name,
  };
}
