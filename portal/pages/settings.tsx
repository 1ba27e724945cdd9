import { Activity, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { answer, api } from '../api/client.ts';
import { ownerMailsQuery, thresholdsQuery } from '../api/people-queries.ts';
import { refreshSession } from '../api/queries.ts';
import { Card, Facts, Row } from '../components/card.tsx';
import { Id } from '../components/id.tsx';
import { Waiting } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { RenameForm } from '../components/rename-form.tsx';
import { Tabs } from '../components/tabs.tsx';
import { endpointsQuery } from '../notices/endpoint-queries.ts';
import { Endpoints } from '../notices/endpoints.tsx';
import { MailSettings } from '../notices/mail-settings.tsx';
import { ThresholdSettings } from '../notices/threshold-settings.tsx';
import { pages } from '../routes.ts';
import { useSession, type AccountPage } from '../session.ts';
import { CloseAccount, LeaveAccount } from '../team/leave-or-close.tsx';
import { Tokens } from '../tokens/tokens.tsx';
import { NotFoundPage } from './not-found.tsx';

interface SettingsPageProps extends AccountPage {
  /** The last part of the address; undefined: the first tab. */
  readonly tab: string | undefined;
}

/** The settings of an account: its name, its mails and webhooks, its tokens, leaving it and closing it. */
export default function SettingsPage({ account, tab = 'account' }: SettingsPageProps) {
  const { accountId, role } = account;
  const tabs = [
    ['account', 'Account', pages.settings],
    ['notices', 'Notices', pages.notices],
    ...(role === 'owner' ? [['tokens', 'Tokens', pages.tokens] as const] : []),
    ['end', role === 'owner' ? 'Leave or close' : 'Leave', pages.ending],
  ] as const;
  const [, words] = tabs.find(([name]) => name === tab) ?? [];
  if (words === undefined) return tab === 'tokens' ? <OwnersTokens accountId={accountId} /> : <NotFoundPage />;
  return (
    <Page title="Settings" tabTitle={`${words} · Settings`}>
      <Tabs label="Settings" tabs={tabs.map(([, name, page]) => [name, page(accountId)])} current={words} />
      {/* This tab stays mounted, so that typed text is not lost when the reader returns to it. */}
      <Activity mode={tab === 'account' ? 'visible' : 'hidden'}>
        <AccountDetails account={account} />
      </Activity>
      {tab === 'notices' && (
        <WhenRead account={account}>
          <MailSettings account={account} />
          <ThresholdSettings account={account} />
          {role === 'owner' && <Endpoints account={account} />}
        </WhenRead>
      )}
      {tab === 'tokens' && <Tokens account={account} />}
      {tab === 'end' && (
        <>
          <Card title="Leave the account">
            <LeaveAccount account={account} />
          </Card>
          {role === 'owner' && (
            <Card title="Close the account">
              <CloseAccount account={account} />
            </Card>
          )}
        </>
      )}
    </Page>
  );
}

/** For who is no owner, perhaps no longer. */
const OwnersTokens = ({ accountId }: { readonly accountId: string }) => (
  <Page title="Tokens">
    <p>
      Only owners of the account see its management tokens. The owners are on the page{' '}
      <Link href={pages.team(accountId)}>Team</Link>.
    </p>
  </Page>
);

function AccountDetails({ account: { accountId, name, role } }: AccountPage) {
  const { stage } = useSession();
  const client = useQueryClient();
  const params = { path: { accountId } };
  return (
    <Card title="Account">
      {role === 'owner' ? (
        <RenameForm
          name={name}
          send={(body) => answer(api.PATCH('/api/accounts/{accountId}', { body, params }))}
          onDone={() => refreshSession(client)}
        />
      ) : (
        <p>Only an owner can rename or close this account. You find the owners on the page Team.</p>
      )}
      <Facts
        facts={[
          ['Account id', <Id key="id" of={accountId} what="account" />],
          ['Your role', role],
          ['Stage', stage],
        ]}
      />
      <Row>
        <Link href={pages.welcome}>Create another account</Link>
        <Link href={pages.profile}>Your profile and sessions</Link>
      </Row>
    </Card>
  );
}

/** Shows the parts below when their heights are known, so that nothing moves. A failed part shows its failure. */
function WhenRead({ account: { accountId, role }, children }: AccountPage & { readonly children: ReactNode }) {
  const { hasMail } = useSession();
  const mails = useQuery({ ...ownerMailsQuery(accountId), enabled: hasMail });
  const endpoints = useQuery({ ...endpointsQuery(accountId), enabled: role === 'owner' });
  const thresholds = useQuery(thresholdsQuery(accountId));
  if (mails.isLoading || endpoints.isLoading || thresholds.isLoading) return <Waiting what="the settings" />;
  return children;
}
