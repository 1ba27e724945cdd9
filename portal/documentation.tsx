import { lazy, Suspense } from 'react';
import type { Account, Session } from './api/queries.ts';
import { Waiting } from './components/loaded.tsx';
import { SessionContext } from './session.ts';

const DocsPages = lazy(() => import('./pages/docs.tsx'));

interface DocumentationProps {
  readonly session: Session | undefined;
  /** Where the search is at home. */
  readonly account: Account | undefined;
}

/**
 * The documentation, for who is signed in and for who is not: it holds nothing secret, is in files that anyone can
 * fetch, and a link to a code's meaning works for the teammate who has no account.
 */
export const Documentation = ({ session, account }: DocumentationProps) => (
  <SessionContext value={session}>
    <Suspense fallback={<Waiting what="the page" />}>
      <DocsPages account={account} />
    </Suspense>
  </SessionContext>
);
