import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { endedKeysQuery, keysQuery } from '../api/queries.ts';
import type { Key } from '../api/schemas.ts';

const NONE: readonly Key[] = [];

/** The keys of a project with known names, and whether all of them have been read. */
interface KnownKeys {
  readonly keys: readonly Key[];
  readonly isReading: boolean;
}

/** The active keys, and those that ended last. For any other key a request shows the id. */
export function useKnownKeys(accountId: string, projectId: string): KnownKeys {
  const { data: active = NONE, isPending } = useQuery(keysQuery(accountId, projectId));
  const { data: ended = NONE, isPending: isReadingEnded } = useQuery(endedKeysQuery(accountId, projectId));
  const isReading = isPending || isReadingEnded;
  return useMemo(() => ({ keys: [...active, ...ended], isReading }), [active, ended, isReading]);
}
