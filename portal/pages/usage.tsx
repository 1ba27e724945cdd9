import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { KeyRound } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import type { Usage, RequestReference } from '../api/schemas.ts';
import { usageByKeyQuery, usageQuery } from '../api/usage-queries.ts';
import { Card, Muted } from '../components/card.tsx';
import { QuotaMeter } from '../components/meter.tsx';
import { Segments } from '../components/segments.tsx';
import { Select } from '../components/select.tsx';
import { keyOptions } from '../keys/key-view.ts';
import { useKnownKeys } from '../keys/use-known-keys.ts';
import { ProjectFrame } from '../projects/project-frame.tsx';
import { REQUESTS_ANCHOR } from '../routes.ts';
import { RequestsCard } from '../requests/requests-card.tsx';
import type { ProjectPage } from '../session.ts';
import { periodSentence } from '../text/quota.ts';
import { Books } from '../usage/books.tsx';
import { endOf, RANGES, type Step } from '../usage/ranges.ts';
import { UnitsByKey } from '../usage/units-by-key.tsx';
import { UsageFigures, type UsageFiguresProps } from '../usage/usage-figures.tsx';
import { useView } from '../usage/use-view.ts';
import css from './usage.module.css';

/** The span of a bucket, as a filter of requests. */
const timesOf = (start: string, by: Step) => ({ since: start, until: endOf(start, by) });

/** The usage of a project: its quota, figures and charts over a range, and its requests. */
export default function UsagePage({ account, projectId }: ProjectPage) {
  const { accountId } = account;
  const ids = useMemo(() => ({ accountId, projectId }), [accountId, projectId]);
  const { view, page, setView, addressOf, closeRequest } = useView();
  const { keys } = useKnownKeys(accountId, projectId);
  const requests = useRef<HTMLDivElement>(null);
  const toBucket = useMemo(
    () => ({
      addressOf: (start: string, { by }: Usage) => addressOf(timesOf(start, by)),
      onChoose: (start: string, { by }: Usage) => {
        setView(timesOf(start, by));
        requests.current?.scrollIntoView({ block: 'start' });
      },
    }),
    [addressOf, setView],
  );
  const addressOfRequest = useCallback(({ requestId }: RequestReference) => addressOf({ requestId }), [addressOf]);
  return (
    <ProjectFrame account={account} projectId={projectId} tab="Usage">
      {(project) => (
        <>
          <Card foot={<Books ids={ids} project={project} />}>
            <QuotaMeter quota={project} isMain />
            <Muted>{periodSentence(project.period)}</Muted>
          </Card>
          <div className={css.bar}>
            <Segments
              label="Range"
              value={view.range}
              segments={RANGES.map(([range, word]) => [range, word, addressOf({ range })])}
            />
            <Select
              label="Key"
              value={view.keyId ?? ''}
              options={keyOptions(keys, view.keyId)}
              plainIcon={KeyRound}
              onChange={(keyId) => setView({ keyId: keyId || undefined })}
            />
          </div>
          <UsageFigures ids={ids} project={project} view={page} onView={setView} {...toBucket} />
          <BelowFigures ids={ids} project={project} view={view} requests={requests}>
            {view.keyId === undefined && <UnitsByKey ids={ids} project={project} keys={keys} range={view.range} />}
            <div ref={requests}>
              <RequestsCard
                ids={ids}
                keys={keys}
                view={view}
                period={project.period}
                onView={setView}
                addressOf={addressOfRequest}
                onClosed={closeRequest}
              />
            </div>
          </BelowFigures>
        </>
      )}
    </ProjectFrame>
  );
}

type BelowFiguresProps = Pick<UsageFiguresProps, 'ids' | 'project' | 'view'> & {
  readonly requests: RefObject<HTMLDivElement | null>;
  readonly children: ReactNode;
};

/** It reads at once, and appears with the figures, since its position is unknown before. From then on it stays. */
function BelowFigures({ ids, project, view, requests, children }: BelowFiguresProps) {
  const { isPending } = useQuery(usageQuery(ids, view.range, project.period, view.keyId));
  const byKey = useQuery({ ...usageByKeyQuery(ids, view.range, project.period), enabled: view.keyId === undefined });
  const [isShown, setShown] = useState(false);
  if (!isPending && !byKey.isLoading && !isShown) setShown(true);
  useEffect(() => {
    if (isShown && location.hash === REQUESTS_ANCHOR) requests.current?.scrollIntoView({ block: 'start' });
  }, [isShown, requests]);
  return (
    <div hidden={!isShown} className={css.below}>
      {children}
    </div>
  );
}
