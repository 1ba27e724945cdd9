import { Link, Redirect } from 'wouter';
import { Page } from '../components/page.tsx';
import { Tabs } from '../components/tabs.tsx';
import { Endpoints } from '../notices/endpoints.tsx';
import { EndpointView } from '../notices/endpoint-view.tsx';
import { pages } from '../routes.ts';
import type { AccountPage } from '../session.ts';
import { Tokens } from '../tokens/tokens.tsx';
import { NotFoundPage } from './not-found.tsx';

const PLACES = { webhooks: ['Webhooks', Endpoints], tokens: ['Tokens', Tokens] } as const;

interface DevelopersPageProps extends AccountPage {
  /** The parts of the address after this page's own. */
  readonly place: string | undefined;
  readonly endpointId: string | undefined;
}

/** What programs of an account use, for its owners: webhooks, each with a page of its own, and management tokens. */
export default function DevelopersPage({ account, place, endpointId }: DevelopersPageProps) {
  const { accountId, role } = account;
  if (role !== 'owner') return <ForOwners accountId={accountId} />;
  if (place === undefined) return <Redirect to={pages.endpoints(accountId)} replace />;
  if (place === 'webhooks' && endpointId !== undefined)
    return <EndpointView key={endpointId} account={account} endpointId={endpointId} />;
  if ((place !== 'webhooks' && place !== 'tokens') || endpointId !== undefined) return <NotFoundPage />;
  const [words, Place] = PLACES[place];
  return (
    <Page title="Developers" tabTitle={`${words} · Developers`}>
      <Tabs
        label="Developers"
        tabs={[
          [PLACES.webhooks[0], pages.endpoints(accountId)],
          [PLACES.tokens[0], pages.tokens(accountId)],
        ]}
        current={words}
      />
      <Place account={account} />
    </Page>
  );
}

/** For who is no owner, perhaps no longer. */
const ForOwners = ({ accountId }: { readonly accountId: string }) => (
  <Page title="Developers">
    <p>
      Only owners of the account see its webhooks and management tokens. The owners are on the page{' '}
      <Link href={pages.team(accountId)}>Team</Link>.
    </p>
  </Page>
);
