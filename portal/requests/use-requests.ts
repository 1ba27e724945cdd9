import { useState, useEffect, useRef } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useAction, type Action } from '../api/use-action.ts';
import type { ProjectIds } from '../api/queries.ts';
import { readEvents, requestsQuery, type RequestFilter } from '../api/usage-queries.ts';
import { isCut } from './runs.ts';
import { addOlder, newsOf, takeIn, type Listed, type RequestPage } from './live.ts';

/** The number of requests that are read at once. */
const PAGE = 25;
/** The number of pages that are read, once, to find the end of a run that begins in the first. */
const MOST_OF_A_RUN = 7;

const NO_NEWS = { count: 0, hasMore: false };

interface State {
  readonly listed: Listed | undefined;
  /** The newest page that the list contains. */
  readonly taken: RequestPage | undefined;
}

/**
 * A project's requests, newest first, read again every few seconds while `isLive`. Newer ones are added automatically,
 * but not while somebody reads the list. Then there is `news`, until `showNews` or the end of the reading.
 */
export function useRequests(ids: ProjectIds, filter: RequestFilter, isLive: boolean, isReading: boolean) {
  const query = useQuery(requestsQuery(ids, filter, PAGE, isLive));
  const newest = query.data;
  // One state for both: if the page were marked as added without being in the list, nobody would add it again.
  const [{ listed, taken }, setState] = useState<State>({ listed: undefined, taken: undefined });
  const take = (page: RequestPage): void => setState({ listed: takeIn(listed, page), taken: page });
  const news = listed && newest && newest !== taken ? newsOf(listed, newest) : NO_NEWS;
  if (newest && newest !== taken && !(isReading && news.count > 0)) take(newest);
  const older: Action<string> = useAction(
    (cursor: string) => readEvents(ids, { ...filter, limit: PAGE, cursor }),
    (page) => setState((state) => ({ ...state, listed: state.listed && addOlder(state.listed, page) })),
  );
  const pagesOfRun = useRef(0);
  const cutAt = listed && isCut(listed.events, listed.cursor !== null) ? listed.cursor : null;
  useEffect(() => {
    if (cutAt === null || older.isPending || older.error || pagesOfRun.current === MOST_OF_A_RUN) return;
    pagesOfRun.current += 1;
    older.run(cutAt);
  }, [cutAt, older]);
  return { query, listed, news, showNews: () => newest && take(newest), older };
}

/** Elements below the screen count as visible, so a jump from above an element to below its top is noticed, too. */
const BELOW = '0px 0px 10000000px 0px';

/**
 * Whether somebody reads in an element: its top is scrolled away, the mouse is over it, or the focus is in it. New
 * content at its top would then move what is being read.
 */
export function useReading<Of extends HTMLElement>() {
  const ref = useRef<Of>(null);
  const [isPast, setPast] = useState(false);
  const [isOver, setOver] = useState(false);
  const [isFocused, setFocused] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const observer = new IntersectionObserver((entries) => setPast(entries.at(-1)?.isIntersecting === false), {
      rootMargin: BELOW,
    });
    const mark = document.createElement('span');
    element.prepend(mark);
    observer.observe(mark);
    return () => {
      observer.disconnect();
      mark.remove();
    };
  }, []);
  const handlers = {
    onPointerEnter: ({ pointerType }: { pointerType: string }) => setOver(pointerType === 'mouse'),
    onPointerLeave: () => setOver(false),
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
  };
  return { ref, handlers, isReading: isPast || isOver || isFocused };
}
