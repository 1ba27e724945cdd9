import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useAction, type Action } from '../api/use-action.ts';
import { readEvents, requestsQuery, type ProjectIds, type RequestFilter } from '../api/usage-queries.ts';
import { addOlder, newsOf, takeIn, type Listed, type RequestPage } from './live.ts';

/** Requests read at once. */
const PAGE = 25;

/**
 * A project's requests, newest first, read again every few seconds while `isLive`. Newer ones are taken in by themselves,
 * but not while somebody reads the list: then there is `news`, until `showNews` or the end of the reading.
 */
export function useRequests(ids: ProjectIds, filter: RequestFilter, isLive: boolean, isReading: boolean) {
  const query = useQuery(requestsQuery(ids, filter, PAGE, isLive));
  const newest = query.data;
  const [listed, setListed] = useState<Listed>();
  const [taken, setTaken] = useState<RequestPage>();
  const take = (page: RequestPage): void => {
    setTaken(page);
    setListed((before) => takeIn(before, page));
  };
  const news = listed && newest && newest !== taken ? newsOf(listed, newest) : { count: 0, hasMore: false };
  if (newest && newest !== taken && !(listed && isReading && news.count > 0)) take(newest);
  const older: Action<string> = useAction(
    (cursor: string) => readEvents(ids, { ...filter, limit: PAGE, cursor }),
    (page) => setListed((before) => before && addOlder(before, page)),
  );
  return { query, listed, news, showNews: () => newest && take(newest), older };
}
