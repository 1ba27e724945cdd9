import { lazy, Suspense, useEffect, useState } from 'react';
import { QueryCache, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useRoute } from 'wouter';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { expireKept } from './api/kept-words.ts';
import { PortalError } from './api/problem.ts';
import { handleRefusal, sessionQuery } from './api/queries.ts';
import { Announcer } from './components/announcer.tsx';
import { Loaded, Waiting } from './components/loaded.tsx';
import { Outside } from './components/outside.tsx';
import { Documentation } from './documentation.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { Navigation } from './navigation.tsx';
import { DOCS, pages } from './routes.ts';
import { SignedIn } from './signed-in.tsx';

/** Only people without a session see it. */
const LandingPage = lazy(() => import('./pages/landing.tsx'));

/** For the holder of a mail, with a session or without. */
const StopMailsPage = lazy(() => import('./pages/stop-mails.tsx'));

/** The number of automatic retries of a read before the page shows a failure. */
const READ_RETRIES = 2;

function newClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => handleRefusal(client, error),
    }),
    defaultOptions: {
      queries: {
        // A retry before the next minute would only be refused, too.
        retry: (failures, error) =>
          failures < READ_RETRIES &&
          error instanceof PortalError &&
          error.isTransient &&
          error.code !== 'TOO_MANY_REQUESTS',
      },
    },
  });
  return client;
}

/** The portal: reads the session first, then shows the page of the address or the sign-in. */
export function App() {
  const [client] = useState(newClient);
  return (
    <QueryClientProvider client={client}>
      {/* The page is in English, and so is what React Aria says to screen readers. */}
      <I18nProvider locale="en-GB">
        <Announcer>
          <Navigation>
            <Gate />
          </Navigation>
        </Announcer>
      </I18nProvider>
    </QueryClientProvider>
  );
}

function Gate() {
  const query = useQuery(sessionQuery);
  const [wasSignedIn, setSignedIn] = useState(false);
  const [isDocs] = useRoute(DOCS);
  const [isHome] = useRoute(pages.home);
  const [isStop] = useRoute(pages.stopMails);
  useEffect(expireKept, []);
  if (query.data && !wasSignedIn) setSignedIn(true);
  if (isStop) {
    return (
      <Suspense fallback={<Waiting what="the page" />}>
        <StopMailsPage />
      </Suspense>
    );
  }
  if (query.data) return <SignedIn key={query.data.user.userId} session={query.data} />;
  // Also while the portal's function is unavailable: the documentation says what to do then.
  if (isDocs && (query.data === null || query.failureCount > 0))
    return <Documentation session={undefined} account={undefined} />;
  if (query.data === null && isHome && !wasSignedIn) {
    return (
      <Suspense fallback={<Waiting what="the page" />}>
        <LandingPage />
      </Suspense>
    );
  }
  if (query.data === null) return <SignInPage hasEnded={wasSignedIn} />;
  return (
    <Outside>
      <Loaded query={query} what="who is signed in">
        {() => null}
      </Loaded>
    </Outside>
  );
}
