import { createContext, use } from 'react';
import { useQuery } from '@tanstack/react-query';
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

/** What the policy of a page names beside its own origin (lib/portal/page-headers.ts). */
const CALLED = /connect-src 'self' ([^\s;]+)/;

/** The gateway's address. Without a session it is that which the page may call, by its policy; undefined: not yet. */
export function useGatewayUrl(): string | undefined {
  const session = use(SessionContext);
  const { data } = useQuery({
    queryKey: ['gateway'],
    queryFn: async () => {
      const { headers } = await fetch('/', { method: 'HEAD' });
      return CALLED.exec(headers.get('Content-Security-Policy') ?? '')?.[1] ?? null;
    },
    enabled: session === undefined,
    staleTime: Infinity,
  });
  return session?.gatewayUrl ?? data ?? undefined;
}

/** Whether the person may change projects and keys of an account. */
export const useMayChange = (accountId: string): boolean =>
  useSession().accounts.some((own) => own.accountId === accountId && mayChange(own));

/** The session. Throws outside of the pages that need it. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('There is no session here.');
  return session;
}
