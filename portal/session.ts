import { createContext, use } from 'react';
import type { Account, Session } from './api/queries.ts';
import { mayChange } from './text/roles.ts';

/** The properties of a page of an account. */
export interface AccountPage {
  readonly account: Account;
}

/** The properties of a page of a project. */
export interface ProjectPage extends AccountPage {
  readonly projectId: string;
}

/** The session, for every page. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** Whether the person may change projects and keys of an account. */
export const useMayChange = (accountId: string): boolean =>
  useSession().accounts.some((own) => own.accountId === accountId && mayChange(own));

/** The session. Throws outside of the pages that need it. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('There is no session here.');
  return session;
}
