import { useEffect, type ReactNode } from 'react';
import type { Key, RequestReference } from '../api/schemas.ts';
import type { ProjectIds } from '../api/queries.ts';
import type { RequestFilter } from '../api/usage-queries.ts';
import { Button } from '../components/button.tsx';
import { Failure } from '../components/form.tsx';
import { Loaded } from '../components/loaded.tsx';
import { useLater } from '../components/use-later.ts';
import { useNow } from '../components/use-now.ts';
import { formatCount } from '../text/format.ts';
import type { UsageView } from '../usage/address.ts';
import { OPENED_HERE } from '../usage/use-view.ts';
import { verdictOf } from './charged-again.ts';
import { ChargeVerdict } from './charge-verdict.tsx';
import { NotListed } from './not-listed.tsx';
import { RequestList } from './request-list.tsx';
import css from './requests.module.css';
import { useReading, useRequests } from './use-requests.ts';

/** Fetched when the first request is opened, since it contains the code of dialogs. */
const fetchDrawer = () => import('./request-drawer.tsx');

interface RequestsProps {
  readonly ids: ProjectIds;
  readonly keys: readonly Key[];
  readonly view: UsageView;
  readonly filter: RequestFilter;
  readonly addressOf: (request: RequestReference) => string;
  readonly onClosed: () => void;
  /** The text of an empty list. */
  readonly children: ReactNode;
}

/**
 * The requests of a filter, and the opened one. New requests are added at the top, or announced while somebody reads.
 */
export function Requests({ ids, keys, view, filter, addressOf, onClosed, children }: RequestsProps) {
  const { ref, handlers, isReading } = useReading<HTMLDivElement>();
  const nowMs = useNow();
  const { requestId, isLive } = view;
  const isOver = view.until !== undefined && Date.parse(view.until) <= nowMs;
  const { query, listed, news, showNews, older } = useRequests(
    ids,
    filter,
    isLive && !isOver,
    isReading || requestId !== undefined,
  );
  const [RequestDrawer, load] = useLater(fetchDrawer);
  useEffect(() => {
    if (requestId !== undefined) load();
  }, [requestId, load]);
  const cursor = listed?.cursor ?? null;
  // With another filter some of its requests may be missing.
  const { clientRequestId, keyId, event, code } = view;
  const isOfOneName = clientRequestId !== undefined && [keyId, event, code].every((other) => other === undefined);
  const verdict = isOfOneName && listed ? verdictOf(listed.events, cursor === null) : undefined;
  const show = (): void => {
    showNews();
    ref.current?.scrollIntoView({ block: 'start' });
  };
  return (
    <>
      <div ref={ref} {...handlers} className={css.requests}>
        <div role="status" className={css.news}>
          {news.count > 0 && (
            <Button kind="primary" onPress={show}>
              {`${formatCount(news.count)}${news.hasMore ? ' or more' : ''} new ${news.count === 1 && !news.hasMore ? 'request' : 'requests'}`}
            </Button>
          )}
        </div>
        <div>
          {verdict && (
            <div className={css.verdict}>
              <ChargeVerdict of={verdict} keys={keys} addressOf={addressOf} />
            </div>
          )}
          <Loaded query={query} what="the requests">
            {() =>
              listed &&
              (listed.events.length > 0 || cursor !== null ? (
                <RequestList
                  events={listed.events}
                  hasMore={cursor !== null}
                  keys={keys}
                  addressOf={addressOf}
                  state={OPENED_HERE}
                />
              ) : (
                children
              ))
            }
          </Loaded>
        </div>
      </div>
      {listed && (
        <div className={css.foot}>
          {cursor !== null && (
            <>
              {listed.events.length === 0 && <p>None among the newest requests.</p>}
              <Failure error={older.error} />
              <Button isPending={older.isPending} onPress={() => older.run(cursor)}>
                Older requests
              </Button>
            </>
          )}
          <NotListed />
        </div>
      )}
      {requestId !== undefined && RequestDrawer && (
        <RequestDrawer
          ids={ids}
          requestId={requestId}
          keys={keys}
          addressOf={addressOf}
          listed={listed?.events ?? []}
          onClose={onClosed}
        />
      )}
    </>
  );
}
