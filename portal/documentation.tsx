import { lazy, Suspense } from 'react';
import type { Account, Session } from './api/queries.ts';
import { Waiting } from './components/loaded.tsx';
import { SessionContext } from './session.ts';

const DocsPages = lazy(() => import('./pages/docs.tsx'));

interface DocumentationProps {
  readonly session: Session | undefined;
  /** The section of the search. */
  readonly account: Account | undefined;
}

/**
 * The documentation, with a session or without. It holds nothing secret and its files are public, so a link to a code
 * also works for a colleague without an account.
 */
export const Documentation = ({ session, account }: DocumentationProps) => (
  <SessionContext value={session}>
    <Suspense fallback={<Waiting what="the page" />}>
      <DocsPages account={account} />
    </Suspense>
  </SessionContext>
);
