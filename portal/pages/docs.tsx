import { Route, Switch } from 'wouter';
import type { Account } from '../api/queries.ts';
import { DocsShell } from '../docs/docs-shell.tsx';
import { Errors } from '../docs/errors.tsx';
import { Idempotency } from '../docs/idempotency.tsx';
import { Limits } from '../docs/limits.tsx';
import { QuickStart } from '../docs/quick-start.tsx';
import { Reference } from '../docs/reference.tsx';
import { pages } from '../routes.ts';
import { NotFoundPage } from './not-found.tsx';

/** The documentation of the gateway: for who is signed in, and for who is not. */
const DocsPages = ({ account }: { readonly account: Account | undefined }) => (
  <DocsShell account={account}>
    <Switch>
      <Route path={pages.docs}>
        <QuickStart />
      </Route>
      <Route path={pages.errors}>
        <Errors />
      </Route>
      <Route path={pages.limits}>
        <Limits />
      </Route>
      <Route path={pages.idempotency}>
        <Idempotency />
      </Route>
      <Route path={pages.reference}>
        <Reference />
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  </DocsShell>
);
export default DocsPages;
