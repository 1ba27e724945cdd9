import { Redirect, Route, Switch } from 'wouter';
import type { Account } from '../api/queries.ts';
import { DocsShell } from '../docs/docs-shell.tsx';
import { GuidePage } from '../docs/guide.tsx';
import { GUIDES } from '../gateway/guides.ts';
import { pages } from '../routes.ts';
import { NotFoundPage } from './not-found.tsx';

/** The documentation of the gateway, with a session or without. */
const DocsPages = ({ account }: { readonly account: Account | undefined }) => (
  <DocsShell account={account}>
    <Switch>
      {GUIDES.map((guide) => (
        <Route key={guide.address} path={guide.address}>
          <GuidePage guide={guide} />
        </Route>
      ))}
      {/* As the first page's Markdown is called. */}
      <Route path="/docs/quick-start">
        <Redirect to={pages.docs} replace />
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  </DocsShell>
);
export default DocsPages;
