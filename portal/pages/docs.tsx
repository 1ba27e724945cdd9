import { Route, Switch } from 'wouter';
import type { Account } from '../api/queries.ts';
import { DocsShell } from '../docs/docs-shell.tsx';
import { DOCS_PAGES } from '../docs/pages.ts';
import { NotFoundPage } from './not-found.tsx';

/** The documentation of the gateway, with a session or without. */
const DocsPages = ({ account }: { readonly account: Account | undefined }) => (
  <DocsShell account={account}>
    <Switch>
      {DOCS_PAGES.map(([address, Page]) => (
        <Route key={address} path={address}>
          <Page />
        </Route>
      ))}
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  </DocsShell>
);
export default DocsPages;
