import { lazy, Suspense, use } from 'react';
import type { Account } from '../api/queries.ts';
import { Card, Muted, Row } from '../components/card.tsx';
import { PING_PATH } from '../keys/ping.ts';
import { signInAddress } from '../routes.ts';
import { SessionContext } from '../session.ts';
import sharedCss from '../styles/shared.module.css';

const Console = lazy(() => import('./console.tsx'));

/** Beside the documentation: a console with a session, and a link to the sign-in without. */
export function TryIt({ account }: { readonly account: Account | undefined }) {
  const session = use(SessionContext);
  return (
    <Card title="Try it" action={<Muted>1 unit</Muted>}>
      <Row>
        <span className={sharedCss.tag}>POST</span>
        <code>{PING_PATH}</code>
      </Row>
      {session ? (
        <Suspense fallback={<Muted>Loading the console …</Muted>}>
          <Console session={session} account={account} />
        </Suspense>
      ) : (
        <p>
          <a href={signInAddress(location)}>Sign in to try it</a>: this page then sends pings, with a key made for it.
        </p>
      )}
    </Card>
  );
}
