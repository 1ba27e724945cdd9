import { lazy, Suspense } from 'react';
import type { Session } from './api/queries.ts';
import { Waiting } from './components/loaded.tsx';
import { Shell } from './components/shell.tsx';
import { SessionContext } from './session.ts';

const DocsPages = lazy(() => import('./pages/docs.tsx'));

/**
 * The documentation, for who is signed in and for who is not: it holds nothing secret, is in files that anyone can
 * fetch, and a link to a code's meaning works for the teammate who has no account.
 */
export function Documentation({ session }: { readonly session: Session | undefined }) {
  // Who has one account keeps its navigation; of several it is not said which.
  const [only, ...others] = session?.accounts ?? [];
  return (
    <SessionContext value={session}>
      <Shell session={session} account={others.length === 0 ? only : undefined}>
        <Suspense fallback={<Waiting what="the page" />}>
          <DocsPages />
        </Suspense>
      </Shell>
    </SessionContext>
  );
}
