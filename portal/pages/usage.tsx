import { useMemo } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { ProjectFrame } from '../projects/project-frame.tsx';
import { pages } from '../routes.ts';
import type { ProjectPage } from '../session.ts';
import { asksForRequests, PLAIN_VIEW, searchOf } from '../usage/address.ts';
import { Books } from '../usage/books.tsx';
import { RangeBar } from '../usage/range-bar.tsx';
import { endOf, type Step } from '../usage/ranges.ts';
import { UsageFigures } from '../usage/usage-figures.tsx';
import { useView } from '../usage/use-view.ts';

/** The usage of a project: its quota, the proof that it is counted right, figures and charts over a range. */
export default function UsagePage({ account, projectId }: ProjectPage) {
  const { accountId } = account;
  const ids = useMemo(() => ({ accountId, projectId }), [accountId, projectId]);
  const [, navigate] = useLocation();
  const search = useSearch();
  const { view, page, setView, addressOf } = useView();
  const requests = pages.requests(accountId, projectId);
  const toRequests = useMemo(() => {
    const addressOfSpan = (by: Step, first: string, last = first): string =>
      requests + searchOf({ ...PLAIN_VIEW, range: page.range, since: first, until: endOf(last, by) });
    return {
      addressOf: addressOfSpan,
      onChoose: (by: Step, first: string, last: string): void => navigate(addressOfSpan(by, first, last)),
    };
  }, [requests, page.range, navigate]);
  if (asksForRequests(search, location.hash)) return <Redirect to={requests + searchOf(view)} replace />;
  return (
    <ProjectFrame account={account} projectId={projectId} tab="Usage">
      {(project) => (
        <>
          <Books ids={ids} project={project} />
          <RangeBar range={page.range} addressOf={addressOf} />
          <UsageFigures ids={ids} project={project} view={page} onView={setView} {...toRequests} />
        </>
      )}
    </ProjectFrame>
  );
}
