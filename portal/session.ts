import { createContext, use } from 'react';
import type { Account, Session } from './api/queries.ts';

/** What a page of an account gets. */
export interface AccountPage {
  readonly account: Account;
}

/** What a page of a project gets. */
export interface ProjectPage extends AccountPage {
  readonly projectId: string;
}

/** Who is signed in; there wherever a page is shown. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** Who is signed in. Throws outside of the pages that need it. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('There is no session here.');
  return session;
}
